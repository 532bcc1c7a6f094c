#!/usr/bin/env python3
"""Finished work survives a kill: the recorder, a collection and a batch of problems are killed at random moments.

usage: kills.py [--build DIR] [--kills N] [--seed S] [recorder] [collection] [batch]

Each is started, killed by SIGKILL at a random moment and started again, N times, all on the same files (the recorder on new ones), and then allowed
to finish. Work is finished if the journal had its whole line at the kill. Prints a row for each: the kills that happened while the process was
working, the work that was finished then, and how much of it was lost. For reductions and ranks see reduce_cases.py and verify_ranks.py. Exit code 1:
something was lost.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import h5py

RECORD = """
import numpy, sys
from assay._assay import DumpWriter
writer = DumpWriter(sys.argv[1])
for number in range(100000):
    tensor = numpy.full((64, 256), float(number), numpy.float32)
    writer.put(f"/1/{number}", "float32", [64, 256], tensor.ctypes.data, tensor.nbytes)
    print(writer.finished, flush=True)
"""
SLOWEST = 120  # seconds within which a process must have something to lose


def lines_of(path):
    """The whole lines of a file that is being written."""
    return path.read_text(errors="replace").split("\n")[:-1] if path.exists() else []


class Subject:
    """A command that is killed and resumed on the files of a folder."""

    def __init__(self, options, folder):
        self.folder, self.rng = folder, random.Random(options.seed)
        self.program = str(options.build / "bin" / "assay")
        self.environment = {**os.environ, "PYTHONPATH": str(options.build / "python")}
        self.hits = self.finished = self.lost = 0

    def kill(self, words, begun):
        """Starts the process, waits for `begun()` and a random moment, and kills it. Returns whether it was still working."""
        process = subprocess.Popen(words, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        end = time.time() + SLOWEST
        while process.poll() is None and not begun() and time.time() < end:
            time.sleep(0.002)
        time.sleep(self.rng.uniform(0, 0.4))
        hit = process.poll() is None
        process.kill()
        self.said = process.communicate()[0]
        self.hits += hit
        return hit

    def run(self, *words):
        return subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=1200)

    def miss(self, count, text=""):
        if count > 0:
            self.lost += count
            print(f"  lost {count}: {text}", flush=True)


class Recorder(Subject):
    def once(self, number):
        path = self.folder / f"{number}.h5"
        journal = path.with_suffix(".h5.journal")
        self.kill([sys.executable, "-c", RECORD, str(path)], lambda: sum('"hash"' in line for line in lines_of(journal)) > 0)
        said = int((self.said.split() or ["0"])[-1])
        finished = max(said, sum('"hash"' in line for line in lines_of(journal)))
        ran = self.run(self.program, "summary", str(path), "--quiet")
        with h5py.File(path) as file:
            right = sum((dataset[()] == int(name)).all() for name, dataset in file["1"].items())
        path.unlink()
        self.finished += finished
        self.miss(finished - right, f"{right} of {finished} tensors are there: {ran.stderr.strip()}")

    def close(self):
        pass


class Collection(Subject):
    WORDS = ("tune", "collect", "--shapes", "shapes.csv", "--kernels", "sample:12", "--threads", "1", "--pairs", "5", "-o", "d.parquet")

    def rows(self):
        return [line for line in lines_of(self.folder / "d.parquet.journal")[1:] if "kernel" in json.loads(line)]

    def once(self, number):
        (self.folder / "shapes.csv").write_text("m,n,k\n" + "".join(f"{m},64,64\n" for m in range(1, 20000)))
        before = self.rows()
        self.kill([self.program, *self.WORDS, *(["--resume"] if number else [])], lambda: len(self.rows()) > len(before))
        now = self.rows()
        self.miss(len(set(before) - set(now)), "rows of the journal")
        self.finished += len(now) - len(before)

    def close(self):
        rows = len(self.rows())
        ran = self.run(self.program, *self.WORDS, "--resume", "--budget", "1", "--json", "-")
        reused = json.loads(ran.stdout)["reused"] if ran.returncode == 0 else 0
        self.miss(rows - reused, f"{reused} of {rows} rows were taken over: {ran.stderr.strip()}")


class Batch(Subject):
    COUNT = 3000

    def words(self, journal):
        sizes = random.Random(0)
        text = "".join(f"{sizes.randint(1, 40)}x{k}:{k}x{sizes.randint(1, 40)}\n" for k in range(1, self.COUNT + 1))
        (self.folder / "problems").write_text("--engine=native\n" + text)
        return [self.program, "verify", "--matmul", f"--resume={journal}", "--batch=problems"]

    def once(self, number):
        journal = self.folder / "journal"
        before = lines_of(journal)
        self.kill(self.words(journal), lambda: len(lines_of(journal)) > len(before))
        now = lines_of(journal)
        self.miss(sum(a != b for a, b in zip(before, now)) + max(0, len(before) - len(now)), "lines of the journal")
        self.finished += len(now) - len(before)

    def close(self):
        journal = self.folder / "journal"
        before = lines_of(journal)
        ran = self.run(*self.words(journal))
        reports = [line for line in ran.stdout.split("\n") if "__REPRO" in line]
        self.miss(self.COUNT - len({line.split(":")[0] for line in reports}), "problems in the report")
        self.miss(sum(a != b for a, b in zip(before, lines_of(journal))), "lines of the journal")
        self.miss(sum(":PASSED" not in line for line in reports), "problems that passed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    subjects = {"recorder": Recorder, "collection": Collection, "batch": Batch}
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", default=list(subjects))
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "build" / "release")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if unknown := set(options.subjects) - set(subjects):
        parser.error(f"no subject is called {', '.join(sorted(unknown))}; there are {', '.join(subjects)}")
    options.build = options.build.resolve()
    lost = 0
    for name in options.subjects:
        with tempfile.TemporaryDirectory() as folder:
            subject = subjects[name](options, pathlib.Path(folder))
            for number in range(options.kills):
                subject.once(number)
            subject.close()
        lost += subject.lost
        print(f"{name}: killed at work in {subject.hits} of {options.kills} runs, {subject.finished} finished by then, {subject.lost} lost", flush=True)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
