#!/usr/bin/env python3
"""Runs the suites of an unmodified checkout of openxla/stablehlo with Assay's programs.

usage: python3 utils/conformance DIR [--suite NAME,...] [--json FILE] [--before FILE] [--write-status] [--jobs N] [--verbose]

Suites that execute: interpret, testdata, quantized, math (functions with checks), dynamic (files, on inputs made for their shapes). Suites
of the dialect: verdicts (parts that are accepted or rejected as upstream expects), and, only on request by --suite, those that follow their
own RUN lines: dialect, chlo, transforms, vhlo. Prints a row per suite and the most common reasons. `explained` is a difference for which
there is evidence that it is not ours. Exits 1 when something failed or was lost since --before, 3 when nothing was found.
"""
import argparse
import json
import os
import pathlib
import sys
from concurrent import futures

import executed
import run_lines
import verdicts
from results import FAILED, losses, table

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFAULT = ["interpret", "testdata", "quantized", "math", "dynamic", "verdicts"]
FOLDERS = {
    "interpret": "tests/interpret", "testdata": "testdata", "quantized": "testdata/quantized", "math": "tests/math",
    "dynamic": "testdata/dynamic", "verdicts": "tests", "dialect": "tests", "chlo": "tests/chlo",
    "transforms": "tests/transforms", "vhlo": "tests/vhlo",
}
STATUS = ROOT / "docs" / "status.md"


def run_suite(name, folder, jobs):
    if name == "interpret":
        return executed.interpret(folder)
    if name == "testdata":
        return executed.testdata(folder, jobs)
    if name in ("quantized", "math"):
        return executed.plain_suite(name, folder)
    if name == "dynamic":
        import dynamic

        return dynamic.suite(folder)
    return (verdicts if name == "verdicts" else run_lines).suite(name, folder, jobs)


def run_suites(parser, options):
    """The suites that exist, in the order requested. While one waits, the next uses the processors."""
    names = options.suite.split(",")
    if unknown := [name for name in names if name not in FOLDERS]:
        parser.error(f"there is no suite '{unknown[0]}': {', '.join(FOLDERS)}")
    folders = {name: options.checkout.resolve() / "stablehlo" / FOLDERS[name] for name in names}
    there = [name for name in names if any(folders[name].glob("*.mlir"))]
    with futures.ThreadPoolExecutor(options.jobs) as pool:
        return list(pool.map(lambda name: run_suite(name, folders[name], options.jobs), there))


def as_json(suites):
    rows = [{"name": suite.name, "unit": suite.unit, "outcomes": [vars(one) for one in suite.outcomes]} for suite in suites]
    return json.dumps({"suites": rows}, indent=1) + "\n"


def status_page(suites, checkout):
    lines = [
        "# Conformance", "",
        "Written by `./dev conformance DIR --write-status` on an unmodified checkout of openxla/stablehlo; how it counts is said by",
        "`python3 utils/conformance --help`. `--before FILE` compares with the `--json` of an earlier run and names what was lost.", "",
        *("    " + line for line in table(suites)),
    ]
    for suite in suites:
        different = [one for one in suite.outcomes if one.reason and one.status != "passed"]
        if different:
            lines += ["", f"## {suite.name}: what is not plainly passed", ""]
            lines += [f"- `{one.name}`, {one.status}: {' '.join(one.reason.replace(f'{checkout}/', '').split())[:240]}" for one in different]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--suite", default=",".join(DEFAULT), help="some of: " + ", ".join(FOLDERS))
    parser.add_argument("--json", type=pathlib.Path, help="every outcome")
    parser.add_argument("--before", type=pathlib.Path, help="the --json of an earlier run: names what was lost since")
    parser.add_argument("--write-status", action="store_true", help="write docs/status.md")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--verbose", action="store_true", help="a line per failure")
    options = parser.parse_args()
    programs = os.environ.get("ASSAY_BIN", f"{ROOT}/build/release/bin")
    os.environ["PATH"] = f"{programs}:/usr/lib/llvm-22/bin:{os.environ['PATH']}"
    sys.path[:0] = [f"{ROOT}/python", f"{ROOT}/build/release/python"]
    suites = run_suites(parser, options)
    if not any(suite.outcomes for suite in suites):
        print(f"conformance: no .mlir file of StableHLO's suites below {options.checkout}", file=sys.stderr)
        return 3
    if options.verbose:
        for suite in suites:
            for one in suite.outcomes:
                if one.status == FAILED:
                    print(f"FAILED {suite.name}: {one.name}: {' '.join(one.reason.split())[:300]}")
    print("\n".join(table(suites)))
    lost = losses(suites, json.loads(options.before.read_text())) if options.before else []
    print("".join(line + "\n" for line in lost), end="")
    if options.json:
        options.json.write_text(as_json(suites))
    if options.write_status:
        STATUS.write_text(status_page(suites, options.checkout.resolve()))
    return 1 if lost or any(suite.count(FAILED) for suite in suites) else 0


if __name__ == "__main__":
    sys.exit(main())
