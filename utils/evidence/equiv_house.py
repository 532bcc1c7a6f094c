"""Asks `assay passes` about Assay's own passes, printers, writers and readers, for the programs of the project's test data.

    python utils/evidence/equiv_house.py [PART OF A NAME ...]      ASSAY_BIN names the folder of the programs

Each program is written, in this order, as: its text, Assay's print of it, MLIR's generic text, bytecode, portable artifacts of several versions
(without those that a version cannot express), and the text read back from the last of them. Each form is compared with the previous one. The program
is also compared with itself after constants are folded, after each pass of the native engine, and after all of them. Exit code 1 if a pair
differs."""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from equiv_passes import LONG

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("ASSAY_BIN", ROOT / "build/release/bin"))
FOLDERS = ("test/programs", "inputs/op", "inputs/op/programs", "test/cli/Inputs", "test/recipes", "utils/dev/demo")
VERSIONS = ("0.9.0", "0.14.0", "0.17.0", "1.0.0", "1.4.0", "1.8.0", "current")
PASSES = re.findall(r'ASSAY_NATIVE_(?:PASS|GROUPS)\(\s*"([^"]+)"', (ROOT / "src/assay/engine/native/ProgramPasses.def").read_text())


def programs():
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.mlir"))]


def opt(out, *words):
    """Whether assay-opt wrote `out`."""
    return subprocess.run([BIN / "assay-opt", *map(str, words), "-o", out], capture_output=True).returncode == 0


def written(path, folder):
    """The program in the form of every writer, in order; None if assay-opt does not read it."""
    files = [path]

    def add(name, *words):
        if opt(folder / name, *words):
            files.append(folder / name)
        return folder / name

    if not add("text.mlir", path).exists():
        return None
    add("generic.mlir", "--mlir-print-op-generic", path)
    add("bytecode.mlirbc", "--emit-bytecode", path)
    for version in VERSIONS:
        last = add(f"artifact_{version}.mlirbc", "--serialize", *([f"--target={version}"] if version != "current" else []), path)
    if last.exists():
        add("read_back.mlir", "--vhlo-legalize-to-stablehlo", last)
    return files


def rewritten(path, folder):
    """The program after every pass that changes its text; none for those in LONG."""
    if path.stem in LONG:
        return []
    before, files = (folder / "text.mlir").read_text(), []
    for name, words in [("fold", "--assay-fold"), *((name, f"--assay-native={name}") for name in PASSES), ("all_native", "--assay-native")]:
        out = folder / f"{name}.mlir"
        if not opt(out, words, path) or out.read_text() != before:
            files.append(out)
    return files


def ask(files, folder):
    """[(after, verdict, line)] for adjacent files."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    words = [BIN / "assay", "passes", *files, "--json", report, "--quiet", "--jobs", "2", "--max-seconds", "20"]
    ran = subprocess.run(words, capture_output=True, text=True)
    if not report.exists():
        return [(files[-1].name, "unread", ran.stderr.strip())]
    answer = json.loads(report.read_text())
    return [(pathlib.Path(pair["after"]).name, pair["verdict"], pair["line"]) for pair in answer["passes"]] + [
        (files[-1].name, "unread", line) for line in answer["unread"]
    ]


def asked(path, folder):
    """(answers about writers and readers, answers about passes) for one program; None if it is not one."""
    files = written(path, folder)
    if files is None:
        return None
    return ask(files, folder), [answer for file in rewritten(path, folder) for answer in ask([path, file], folder)]


def main(parts):
    counts, passes, none = collections.Counter(), 0, []
    for path in programs():
        if parts and not any(part in path.name for part in parts):
            continue
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copy(path, folder)  # where `assay passes` keeps its journal
            found = asked(pathlib.Path(copy), pathlib.Path(folder))
        if found is None:
            none.append(path.stem)
            continue
        passes += len(found[1])
        for name, verdict, line in found[0] + found[1]:
            counts[verdict] += 1
            if verdict != "equal":
                print(f"{path.relative_to(ROOT)}: {name}: {line.splitlines()[0] if line else verdict}", flush=True)
    print(f"not read by assay-opt: {len(none)}{': ' if none else ''}{', '.join(none)}")
    print(f"{sum(counts.values())} pairs, {passes} of them a pass that changes the text: {', '.join(f'{n} {verdict}' for verdict, n in counts.most_common())}")
    if not counts:
        print("equiv_house: no pair was asked: no program of the tree has such a name", file=sys.stderr)
        return 2
    return 1 if counts["differs"] else 0


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("parts", nargs="*", help="parts of the programs' names")
    sys.exit(main(options.parse_args().parts))
