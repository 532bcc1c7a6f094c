#!/usr/bin/env python3
"""The problems of the fault matrix through a PJRT plugin, `--engine=pjrt:`.

Assay's own plugin runs every problem of verify_matrix.py and of verify_driver_faults.py, each once: all must pass. The example that wraps it
(examples/pjrt_faults) runs them with each of its 20 faults: a wrong result must be FAILED with a description of the error's pattern, the end of the
process CRASHED, a hang TIMEOUT. Where results have special values, a fault may change nothing (a NaN becomes another NaN, a zero is written over a
zero); these cases are counted separately. Exit code 1 when a verdict is another one.
"""
import argparse
import concurrent.futures
import re
import subprocess
import sys

import verify_driver_faults as drivers
import verify_matrix as matrix

WRONG = "first last sign small zero_first zero_tail zero_all ones swap shift repeat reverse every_fourth stale bytes".split()
DEADLY = {"crash": "CRASHED", "abort": "CRASHED", "exit": "CRASHED", "wild": "CRASHED", "hang": "TIMEOUT"}


def problems(rows):
    """The command lines of the two tables, each once."""
    cells = [matrix.words(fault, dtype, m) for fault in matrix.FAULTS for dtype in matrix.TYPES for m in rows if not matrix.inapplicable(fault, dtype, m)]
    cells += [["--" + driver, *words.split()] for driver, words, _ in drivers.ROWS]
    return [list(cell) for cell in dict.fromkeys(map(tuple, cells))]


def has_special(problem):
    return "--fill=special" in problem or "--mask=causal_bottom_right" in problem


def verdict(build, problem, fault):
    """(status, the first lines of the report, whether they describe where the wrong elements are)."""
    engine = f"--engine=pjrt:{build}/lib/" + (f"pjrt_faults.so,fault={fault}" if fault else "pjrt_assay.so")
    wait = ["--timeout=5"] if fault == "hang" else []
    text = subprocess.run([f"{build}/bin/assay", "verify", engine, *wait, *problem], capture_output=True, text=True).stdout
    status = re.search(r"^0:(\w+)", text, re.M)
    return status.group(1) if status else "NONE", text, re.search(r"data, judged by .*? are wrong: \S", text) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--rows", type=int, nargs="*", default=matrix.ROWS, help="values of M")
    parser.add_argument("--fault", nargs="*", default=["", *WRONG, *DEADLY], help="only these; '' is none")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    cells, wrong = problems(options.rows), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for fault in options.fault:
            expected = DEADLY.get(fault, "FAILED" if fault else "PASSED")
            answers = list(pool.map(lambda cell, fault=fault: verdict(options.build, cell, fault), cells))
            bad = [(cell, answer) for cell, answer in zip(cells, answers, strict=True) if answer[0] != expected or (expected == "FAILED" and not answer[2])]
            unseen = [(cell, answer) for cell, answer in bad if fault in WRONG and has_special(cell) and answer[0] == "PASSED"]
            bad = [each for each in bad if each not in unseen]
            wrong += len(bad)
            words = f", {len(unseen)} where it changes nothing" if unseen else ""
            print(f"{fault or '(none)':13} {expected:8} {len(cells) - len(bad) - len(unseen)} of {len(cells)}{words}", flush=True)
            for cell, (status, text, _) in bad:
                print(f"  {status}: {' '.join(cell)}\n    " + "\n    ".join(text.splitlines()[:4]), flush=True)
    print(f"{len(cells)} problems, {len(options.fault)} runs of each, {wrong} other verdicts than expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
