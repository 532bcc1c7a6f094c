#!/usr/bin/env python3
"""Compares `mpirun -n N assay verify` with one process, also when a rank is killed at a random moment.

usage: verify_ranks.py [--build DIR] [--ranks N] [--count N] [--kills N] [--seed S]

Draws problems for the example plugin (as utils/evidence/verify_clean.py does), runs them in one process and on N ranks, and compares the
reports except for times. Then kills, --kills times each, the working process of a random rank at a random moment (with plain mpirun),
and a whole rank (with mpirun --enable-recovery: without it mpirun itself ends all ranks when one is killed). Every report must contain every
problem once, in order, with its status from the run in one process. Needs mpirun (apt-get install openmpi-bin).
"""
import argparse
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from verify_clean import problems

ALLOWED = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def lines_of(text):
    """(number, status, words) from each problem's line."""
    return [match.groups() for match in re.finditer(r"^(\d+):([A-Z_]+).*__REPRO: (.*)$", text, re.M)]


def children(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(word) for word in task.read_text().split()]
    return found


def ranks_of(launcher):
    """The processes that mpirun started."""
    try:
        return [pid for pid in children(launcher.pid) if b"verify" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()]
    except FileNotFoundError:
        return []


def killed(command, moment, whole, rng):
    """Runs, and kills one process at that moment; (report, whether a process was killed)."""
    with tempfile.TemporaryFile("w+") as out:
        launcher = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, env={**os.environ, **ALLOWED})
        time.sleep(moment)
        hit = False
        if ranks := ranks_of(launcher):
            victim = rng.choice(ranks)
            working = children(victim) if pathlib.Path(f"/proc/{victim}").exists() else []
            if whole or working:
                try:
                    os.kill(victim if whole else working[0], signal.SIGKILL)
                    hit = True
                except ProcessLookupError:
                    pass
        code = launcher.wait(timeout=600)
        out.seek(0)
        return out.read(), hit, code


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    build, rng = os.path.abspath(options.build), random.Random(options.seed)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        batch = pathlib.Path(folder) / "problems"
        engine = f"--engine=plugin:{build}/lib/libassay_example.so"
        batch.write_text("".join(line.replace("--reset", f"--reset {engine}") + "\n" for line in problems(options.count, options.seed)))
        words = [f"{build}/bin/assay", "verify", "--matmul", f"--batch={batch}"]
        start = time.time()
        one = subprocess.run(words, capture_output=True, text=True)
        single, middle = time.time() - start, time.time()
        launch = ["mpirun", "--oversubscribe", "-n", str(options.ranks)]
        shared = subprocess.run([*launch, *words], capture_output=True, text=True, env={**os.environ, **ALLOWED})
        ranks = time.time() - middle
        due = lines_of(one.stdout)
        same = lines_of(shared.stdout) == due and shared.returncode == one.returncode
        closing = [re.search(r"^tests:.*$", ran.stdout, re.M).group() for ran in (one, shared)]
        wrong += not same or closing[0] != closing[1]
        print(f"{len(due)} problems: one process {single:.1f} s, {options.ranks} ranks {ranks:.1f} s; the reports are {'equal' if same else 'NOT equal'}")
        print(f"  {closing[1]}")
        for whole, what, more in ((False, "working process", []), (True, "whole rank", ["--enable-recovery"])):
            hits = bad = 0
            for _ in range(options.kills):
                report, hit, _ = killed([*launch, *more, *words], rng.uniform(0.3, ranks), whole, rng)
                hits += hit
                # The next rank makes the whole report again if a killed rank had begun it.
                begun = [i for i, line in enumerate(lines_of(report)) if line[0] == "0"]
                held = bool(begun) and lines_of(report)[begun[-1]:] == due
                bad += not held
            wrong += bad
            print(f"{what} killed in {hits} of {options.kills} runs: {bad} reports lost something", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
