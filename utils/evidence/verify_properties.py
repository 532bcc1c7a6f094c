#!/usr/bin/env python3
"""Tests which engine has which property bit for bit, on one problem of each driver; --property=all must hold everywhere.

Runs `assay verify --property` for the engines reference, native and onednn. Prints a table; --write FILE puts it between the marks of a
page. Exit code 1: a correct engine fails --property=all (a false alarm).
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROBLEMS = [
    ("matmul", "33x100:100x20"),
    ("matmul", "--bia-dt=f32 --attr-post-ops=relu 33x100:100x20"),
    ("matmul", "--dt=bf16 33x100:100x20"),
    ("matmul", "--dt=s8:s8:s32 33x100:100x20"),
    ("conv", "--dir=FWD_D mb4ic8ih9oc8oh9kh3ph1"),
    ("conv", "--dir=BWD_W mb4ic8ih9oc8oh9kh3ph1"),
    ("deconv", "--dir=FWD_D mb4ic8ih9oc8oh9kh3ph1"),
    ("ip", "--dir=FWD_D mb6ic40oc20"),
    ("eltwise", "--alg=gelu_erf 6x40"),
    ("binary", "--alg=mul 6x40:6x40"),
    ("softmax", "6x40"),
    ("reduction", "--alg=sum 6x40:6x1"),
    ("pool", "--alg=max mb4ic8ih8oh4kh2sh2"),
    ("lnorm", "6x40"),
    ("sum", "6x40"),
    ("concat", "--axis=1 6x40:6x20"),
    ("reorder", "6x40"),
]
ENGINES = ("reference", "native", "onednn")
MARKS = "<!-- properties: made by utils/evidence/verify_properties.py -->", "<!-- properties end -->"


def names():
    text = pathlib.Path(__file__).resolve().parents[2].joinpath("src/assay/verify/properties/Properties.def").read_text()
    return [line.split('"')[1] for line in text.splitlines() if line.startswith('ASSAY_PROPERTY("')]


def ask(program, engine, properties, driver, words):
    """(status, reason, facts of the properties)."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run(
            [program, "verify", f"--engine={engine}", f"--property={properties}", f"--json={file.name}", "--quiet", f"--{driver}", *words.split()],
            capture_output=True,
        )
        row = json.loads(pathlib.Path(file.name).read_text())["problems"][0]
    return row["status"], row.get("reason", ""), row.get("properties", {})


def cell(program, engine, name, driver, words):
    status, _, facts = ask(program, engine, name, driver, words)
    if status == "FAILED":
        return "no"
    return "yes" if facts.get(name) == "holds" else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", metavar="FILE")
    parser.add_argument("--only-all", action="store_true", help="look for false alarms alone")
    options = parser.parse_args()
    home = os.environ.get("ASSAY_BIN", "build/release/bin")
    program = os.path.join(home, "assay") if os.path.isdir(home) else home
    alarms, lines = [], ["| problem | engine | " + " | ".join(names()) + " |", "|---" * (len(names()) + 2) + "|"]
    for driver, words in PROBLEMS:
        for engine in ENGINES:
            status, reason, _ = ask(program, engine, "all", driver, words)
            if status not in ("PASSED", "SKIPPED"):
                alarms.append(f"{driver} {words} {engine}: {status} {reason}")
            if status == "SKIPPED" or options.only_all:
                continue
            cells = [cell(program, engine, name, driver, words) for name in names()]
            lines.append(f"| {driver} `{words}` | {engine} | " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    print(f"{len(PROBLEMS)} problems, {len(ENGINES)} engines: {len(alarms)} false alarms of --property=all", *alarms, sep="\n")
    if options.write:
        page = pathlib.Path(options.write)
        before, rest = page.read_text().split(MARKS[0])
        page.write_text(before + MARKS[0] + "\n" + "\n".join(lines) + "\n" + MARKS[1] + rest.split(MARKS[1])[1])
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())
