#!/usr/bin/env python3
"""Runs the suites of an unmodified checkout of openxla/stablehlo with Assay's programs.

usage: conformance.py DIR [--json FILE] [--write-status] [--jobs N] [--filter REGEX] [--verbose]

Interpreter suites (tests/interpret, testdata): `assay test FILE`, a file passes when its checks hold. Dialect suites (the
rest of tests/): the file's own RUN lines with assay-opt in the place of stablehlo-opt. Prints a table of suite, files,
passed, failed and the commonest reason; exits 1 when a file failed, 3 when there was none.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM_TOOLS = "/usr/lib/llvm-22/bin"
SUITES = {
    "interpret": "stablehlo/tests/interpret",
    "testdata": "stablehlo/testdata",
    "dialect": "stablehlo/tests",
    "chlo": "stablehlo/tests/chlo",
    "math": "stablehlo/tests/math",
    "transforms": "stablehlo/tests/transforms",
    "vhlo": "stablehlo/tests/vhlo",
}
BY_TEST = ("interpret", "testdata")


def commands(suite, file):
    """The shell lines that a file's test consists of."""
    if suite in BY_TEST:
        return [f"assay test '{file}'"]
    text, lines, open_line = file.read_text(errors="replace"), [], ""
    for match in re.finditer(r"^\s*//\s*RUN:(.*)$", text, re.M):
        part = open_line + match.group(1).strip()
        open_line = part[:-1] if part.endswith("\\") else ""
        if not open_line:
            lines.append(part.replace("%s", f"'{file}'").replace("stablehlo-opt", "assay-opt"))
    return lines


def reason_of(output):
    """One line for a failure: the first error, without places and values, so that equal causes count together."""
    for line in output.splitlines():
        if "error" in line.lower() or "assert" in line.lower() or "command not found" in line:
            line = re.sub(r"^.*?(error: )", r"\1", line.strip())
            line = re.sub(r"'[^']{25,}'", "'…'", line)
            return re.sub(r"\s+", " ", line)[:110]
    return (output.strip().splitlines() or ["no output"])[-1][:110]


def run(job):
    suite, file = job
    lines = commands(suite, file)
    if not lines:
        return suite, file, None, ""
    for line in lines:
        try:
            ran = subprocess.run(
                ["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, errors="replace", timeout=120
            )
        except subprocess.TimeoutExpired:
            return suite, file, False, "took longer than 120 s"
        if ran.returncode != 0:
            return suite, file, False, reason_of(ran.stderr + ran.stdout)
    return suite, file, True, ""


def table(results):
    """(lines of the table, facts for JSON)."""
    lines = [f"{'suite':<12} {'files':>6} {'passed':>7} {'failed':>7}  commonest reason"]
    facts = []
    for suite in SUITES:
        mine = [(ok, reason) for name, _, ok, reason in results if name == suite and ok is not None]
        if not mine:
            continue
        passed = sum(ok for ok, _ in mine)
        reasons = collections.Counter(reason for ok, reason in mine if not ok)
        common = "".join(f"{count} x {reason}" for reason, count in reasons.most_common(1))
        lines.append(f"{suite:<12} {len(mine):>6} {passed:>7} {len(mine) - passed:>7}  {common}")
        facts.append(
            {"suite": suite, "files": len(mine), "passed": passed, "failed": len(mine) - passed, "reasons": reasons}
        )
    return lines, facts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--json", help="every file's outcome")
    parser.add_argument("--write-status", action="store_true", help="write docs/status.md")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--filter", default="", help="only files whose path contains a match")
    parser.add_argument("--verbose", action="store_true", help="a line per failed file")
    options = parser.parse_args()
    os.environ["PATH"] = f"{ROOT}/build/release/bin:{LLVM_TOOLS}:{os.environ['PATH']}"
    jobs = []
    for suite, folder in SUITES.items():
        files = sorted((options.checkout.resolve() / folder).glob("*.mlir"))
        jobs += [(suite, file) for file in files if re.search(options.filter, str(file))]
    if not jobs:
        print(f"conformance: no .mlir file of StableHLO's suites below {options.checkout}", file=sys.stderr)
        return 3
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(run, jobs))
    if options.verbose:
        for suite, file, ok, reason in results:
            if ok is False:
                print(f"FAILED {suite}/{file.name}: {reason}")
    lines, facts = table(results)
    print("\n".join(lines))
    if options.json:
        outcomes = [{"suite": s, "file": f.name, "passed": ok, "reason": r} for s, f, ok, r in results if ok is not None]
        pathlib.Path(options.json).write_text(json.dumps({"suites": facts, "files": outcomes}, indent=1) + "\n")
    if options.write_status:
        page = "# Conformance\n\nWritten by `./dev conformance DIR --write-status` on an unmodified checkout of openxla/stablehlo.\n\n"
        (ROOT / "docs" / "status.md").write_text(page + "\n".join("    " + line for line in lines) + "\n")
    return 1 if any(ok is False for _, _, ok, _ in results) else 0


if __name__ == "__main__":
    sys.exit(main())
