#!/usr/bin/env python3
"""Compares Assay with XLA on every function of jax.numpy, jax.lax, jax.nn, jax.scipy and jax.random with simple arguments, in seven types.

usage: jax_sweep.py [--only REGEX] [--types a,b] [--every N] [--engine E] [--keep DIR] [--write FILE.md] [--json FILE]

Each function is lowered with the first form of arguments that JAX accepts, run by XLA, and tested by `assay test` with XLA's results
(rule dtype). A difference counts as known when it is one of REASONS; any other one is an error (exit code 1). `./dev conformance jax` runs it.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Differences between XLA and the specification, by the program's label.
REASONS = (
    (r"\.cross\.(float|complex)", "x times x cancels to 0; XLA contracts one of the two products into a fused multiply-add"),
    (r"^nn\.standardize\.bfloat16", "the mean is taken away in bf16; XLA keeps it wider"),
    (r"^scipy\.special\.owens_t\.|^scipy\.stats\.norm\.(isf|ppf)\.float32|^random\.(generalized_normal|weibull_min)\.complex64",
     "a result in f64 of steps in f32: one rounding of f32 is more than the rule allows in f64"),
    (r"^scipy\.fft\.idctn?\.float16", "a result in f32 of steps in f16: one rounding of f16 is more than the rule allows in f32"),
    (r"^scipy\.stats\.cauchy\.(isf|ppf)\.(int32|uint8)", "the tangent beside its pole: the rounding of pi decides"),
    (r"^numpy\.linalg\.lstsq\.", "the residual of a system that has a solution: nothing but roundings"),
    (r"^numpy\.linalg\.slogdet\.(int32|uint8)", "the determinant of a singular matrix: nothing but roundings"),
    (r"^scipy\.linalg\.eigh_tridiagonal\.complex", "the phase of a complex eigenvector is free: each is XLA's times a number of modulus 1"),
    (r"^scipy\.stats\.wrapcauchy\.pdf\.(int32|uint8)", "c beyond 1: no distribution; the sign of a denominator near 0 decides"),
)  # fmt: skip


def chunks(items, size):
    part = []
    for item in items:
        part.append(item)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part


def write(folder, label, program):
    import numpy

    text, inputs, outputs = program
    path = folder / f"{label}.mlir"
    path.write_text(text)
    store = lambda array: array.view(numpy.uint16) if array.dtype.name == "bfloat16" else array
    names = {f"in{i}": store(a) for i, a in enumerate(inputs)} | {f"out{i}": store(a) for i, a in enumerate(outputs)}
    numpy.savez(path.with_suffix(".npz"), **names)


def judged(folder, engine):
    """label -> (status, detail) for the programs in the folder."""
    report = folder / "report.json"
    assay = pathlib.Path(os.environ.get("ASSAY_BIN", ROOT / "build/release/bin")) / "assay"
    ran = subprocess.run([assay, "test", str(folder), "--engine", engine, "--json", str(report), "--quiet", "--max-seconds", "600"],
                         capture_output=True, text=True)  # fmt: skip
    verdicts = {}
    for test in json.loads(report.read_text())["tests"]:
        verdicts[pathlib.Path(test["name"].rsplit(":", 1)[0]).name.removesuffix(".mlir")] = (test["status"], test["detail"])
    for line in ran.stderr.splitlines():  # files that do not parse
        if match := re.match(rf"assay: error: {re.escape(str(folder))}/(.*?)\.mlir:?(.*)", line):
            verdicts.setdefault(match[1], ("refused", match[2].strip()))
    return verdicts


def reason_for(label):
    return next((why for pattern, why in REASONS if re.search(pattern, label)), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--types", default="")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth program only")
    parser.add_argument("--engine", default="reference")
    parser.add_argument("--keep", type=pathlib.Path, help="programs that differ, with XLA's data")
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    jax.config.update("jax_enable_x64", True)
    from functions import TYPES
    from programs import programs

    types = options.types.split(",") if options.types else TYPES
    rows = []
    for part in chunks(programs(re.compile(options.only), types, options.every), 200):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for label, program in part:
                if program:
                    write(folder, label, program)
            verdicts = judged(folder, options.engine) if any(program for _, program in part) else {}
            for label, program in part:
                status, detail = verdicts.get(label, ("lost", "no verdict")) if program else ("not taken", "")
                rows.append((label, status, detail))
                if options.keep and program and status != "passed":
                    options.keep.mkdir(parents=True, exist_ok=True)
                    write(options.keep, label, program)
            print(f"\r{len(rows)} asked, {sum(status == 'passed' for _, status, _ in rows)} agree", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return report(rows, options)


def report(rows, options):
    counts = collections.Counter(status for _, status, _ in rows)
    programs = len(rows) - counts["not taken"]
    wrong = [(label, status, detail) for label, status, detail in rows if status not in ("passed", "not taken")]
    known = [row for row in wrong if reason_for(row[0])]
    unknown = [row for row in wrong if not reason_for(row[0])]
    lines = [f"{programs} programs of {len({label.rsplit('.', 1)[0] for label, status, _ in rows if status != 'not taken'})} functions: "
             f"{counts['passed']} agree with XLA, {len(known)} differ for a known reason, {len(unknown)} differ."]  # fmt: skip
    print(lines[0])
    for label, status, detail in unknown:
        print(f"  {status} {label}: {detail[:200]}")
    if options.write:
        text = ["# JAX's functions compared with XLA", "", "Made by `./dev conformance jax --write docs/jax_sweep.md`.", "", lines[0], ""]
        text += ["| program | why it differs |", "|---|---|", *(f"| `{label}` | {reason_for(label)} |" for label, _, _ in known)]
        options.write.write_text("\n".join(text) + "\n")
    if options.json:
        options.json.write_text(json.dumps([dict(zip(("program", "status", "detail"), row)) for row in rows], indent=1) + "\n")
    return 3 if not programs else 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
