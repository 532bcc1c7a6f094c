#!/usr/bin/env python3
"""Damaged inputs: runs every reader of Assay on files that were valid before they were damaged.

    utils/damage                        2,000 inputs over all readers
    utils/damage --count 20000          more of them
    utils/damage --readers hdf5,model   for some readers only
    utils/damage --again hdf5 1234      runs one input again; prints its command and its output

Each input is a seed (made by another program, or by Assay) that was damaged in one or two ways: bits flipped, the end cut off, pieces
left out, inserted or repeated, numbers changed; also inside of archives that are valid. Each run has to end by itself within --limit
seconds with exit code 0 to 3 and, for 2 or 3, one message. Input N of a reader is the same in every run with the same --seed. Inputs
that break these rules are kept in --keep. Exit code 1 when there is one.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import readers

# Output of a program that ended in an unintended way.
TROUBLE = ("terminate called", "Stack dump", "Assertion", "Sanitizer", "runtime error:", "PLEASE submit", "internal error", "LLVM ERROR",
           "Traceback", "Segmentation", "corrupted size", "malloc(): ", "free(): ", "std::")


class Trial:
    """Input `number` of a reader: its seed, its damage, and the command's output."""

    def __init__(self, seeds, reader, number, seed):
        self.reader, self.number = reader, number
        self.random = random.Random(f"{seed}:{reader}:{number}")
        self.seed = self.random.choice(seeds)
        self.name = self.random.choice(self.seed.files)
        self.command = self.random.choice(self.seed.commands)

    def harmed(self):
        data = (self.seed.folder / self.name).read_bytes()
        for _ in range(self.random.choice((1, 1, 2))):
            data = self.random.choice(self.seed.ways)(data, self.random) if data else data
        return data

    def run(self, assay, folder, limit):
        """(exit code or None after the limit, seconds, trouble or None); afterwards the folder contains the input."""
        shutil.copytree(self.seed.folder, folder, dirs_exist_ok=True)
        (folder / self.name).write_bytes(self.harmed())
        words = [word.format(file=folder / self.name, folder=folder) for word in self.command]
        environment = dict(os.environ, HOME=str(folder), XDG_DATA_HOME=str(folder / "share"), ASSAY_MODEL_DIR=str(folder))
        start = time.monotonic()
        try:
            said = subprocess.run([assay, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=limit)
        except subprocess.TimeoutExpired:
            return None, limit, f"still runs after {limit} s"
        self.output, self.errors = (text.decode(errors="replace") for text in (said.stdout, said.stderr))
        return said.returncode, time.monotonic() - start, self.trouble(said.returncode)

    def trouble(self, code):
        if not 0 <= code <= 3:
            return f"exit code {code}"
        for word in TROUBLE:
            if word in self.errors:
                return f"says '{word}'"
        messages = sum(line.startswith("assay: error:") for line in self.errors.splitlines())
        if messages > 1:
            return f"{messages} messages"
        if code >= 2 and not self.errors.strip() and not self.output.strip():
            return f"exit code {code} without a message"
        return None


def numbered(groups, count, first):
    """Inputs that alternate between the readers, so that any count covers all of them."""
    names = sorted(groups)
    return [(names[i % len(names)], first + i // len(names)) for i in range(count)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assay", default=str(readers.SOURCE / "build/release/bin/assay"))
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="number of each reader's first input")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--readers", default="", help="some of " + ", ".join(readers.MAKERS))
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--seconds", type=float, default=0, help="begin no further input after this time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=pathlib.Path, default=readers.SOURCE / ".cache/damage")
    parser.add_argument("--again", nargs=2, metavar=("READER", "NUMBER"))
    options = parser.parse_args()
    wanted = set(filter(None, options.readers.split(",")))
    if wanted - set(readers.MAKERS):
        parser.error(f"--readers: no {', '.join(sorted(wanted - set(readers.MAKERS)))}")
    with tempfile.TemporaryDirectory(prefix="assay-damage-") as scratch:
        return damage(options, wanted, pathlib.Path(scratch))


def damage(options, wanted, scratch):
    seeds = readers.Seeds(scratch / "seeds", options.assay)
    groups = collections.defaultdict(list)
    for seed in seeds.make(wanted):
        groups[seed.reader].append(seed)
    for name, why in seeds.left_out.items():
        print(f"left out: {name}: {why}")
    if options.again:
        reader, number = options.again[0], int(options.again[1])
        trial = Trial(groups[reader], reader, number, options.seed)
        folder = options.keep / f"{reader}-{number}"
        code, seconds, trouble = trial.run(options.assay, folder, options.limit)
        print("command:", "assay", *[word.format(file=folder / trial.name, folder=folder) for word in trial.command])
        print(f"exit code {code} after {seconds:.1f} s: {trouble or 'fine'}")
        if code is not None:
            print(trial.output[-2000:] + trial.errors[-4000:])
        return 1 if trouble else 0
    return run_all(options, groups, scratch)


def run_all(options, groups, scratch):
    start = time.monotonic()
    codes = collections.defaultdict(collections.Counter)
    slowest, found = collections.Counter(), []

    def one(item):
        reader, number = item
        if options.seconds and time.monotonic() - start > options.seconds:
            return None
        folder = scratch / f"{reader}-{number}"
        trial = Trial(groups[reader], reader, number, options.seed)
        code, seconds, trouble = trial.run(options.assay, folder, options.limit)
        if trouble:
            kept = options.keep / folder.name
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept)
        shutil.rmtree(folder)
        return reader, number, code, seconds, trouble, " ".join(trial.command[:2])

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(one, numbered(groups, options.count, options.first)):
            if result is None:
                continue
            reader, number, code, seconds, trouble, command = result
            codes[reader][code] += 1
            slowest[reader] = max(slowest[reader], seconds)
            if trouble:
                found.append(result)
                print(f"{reader} {number} ({command}): {trouble}; kept in {options.keep / f'{reader}-{number}'}", flush=True)
    print(f"{'reader':<12} {'inputs':>7} {'exit 0':>7} {'1':>6} {'2':>6} {'3':>6} {'other':>6} {'slowest':>8}")
    for reader in sorted(codes):
        count = codes[reader]
        print(f"{reader:<12} {sum(count.values()):>7} {count[0]:>7} {count[1]:>6} {count[2]:>6} {count[3]:>6} "
              f"{sum(count.values()) - sum(count[i] for i in range(4)):>6} {slowest[reader]:>6.1f} s")
    total = sum(sum(count.values()) for count in codes.values())
    print(f"{total} damaged inputs: {total - len(found)} ended well, {len(found)} did not; {time.monotonic() - start:.0f} s")
    return 1 if found or not total else 0


if __name__ == "__main__":
    sys.exit(main())
