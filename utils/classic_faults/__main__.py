"""Judges kernels with one classic fault each, and correct ones, by `assay.check` and `assay verify`.

usage: python utils/classic_faults [--share=I/N] [--verify] [--cost] [--write] [NAME...]

Every kernel is a callable of assay.check and an engine of `assay verify`, both with default data; --verify runs that command too (minutes). A correct
kernel must pass, and each command that runs must find a fault unless missed.txt lists it with a reason: exit code 1 otherwise. NAME: operations or
parts of keys. --share=I/N: every N-th row, starting at the I-th. --write puts the table of both commands into docs/classic_faults.md. --cost measures
the time of the right kernels on default data, and on default data without range and special data. ASSAY_BIN names the folder of the program; without
it the program on PATH is used.
"""
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import page  # noqa: E402
import table  # noqa: E402

import assay  # noqa: E402


def reference_of(operation):
    return getattr(importlib.import_module("references"), operation.reference)


def verdict_on(row, **options):
    operation = row.operation
    if operation.words:
        words = operation.words.split()
        return assay.check(row.kernel, " ".join([words[0].removeprefix("--"), *words[1:]]), **options)
    return assay.check(row.kernel, reference_of(operation), *operation.inputs, **options)


def cost(rows):
    """The seconds that assay.check takes for the right kernels, by default and on exact and normal data only: the least of three runs each."""
    kinds = ({}, {"fill": ("exact", "normal")})
    least = {}
    for row in rows:
        for _ in range(3):
            for i, options in enumerate(kinds):
                start = time.monotonic()
                verdict_on(row, **options)
                took = time.monotonic() - start
                least[row.key, i] = min(least.get((row.key, i), took), took)
    return [sum(took for (_, which), took in least.items() if which == i) for i in range(len(kinds))]


def checked(row):
    """assay.check's result for a row: (status, data on which it failed, reason)."""
    verdict = verdict_on(row)
    failed = [one.data for one in verdict.outputs if one.status == "FAILED"]
    return verdict.status, failed[0] if failed else "", verdict.reason if verdict.status != "PASSED" else ""


def program_text(operation):
    from assay.checking import Question
    from assay.reference import make

    return make(reference_of(operation), Question(None, operation.inputs, {})).program.text


def verified(rows):
    """The results of one run of assay verify for the rows, in their order."""
    program = os.path.join(os.environ.get("ASSAY_BIN", ""), "assay")
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for row in rows:
            if row.operation.words:
                problem = row.operation.words.split()
            else:
                file = pathlib.Path(folder, row.operation.name.replace(" ", "_") + ".mlir")
                file.write_text(program_text(row.operation))
                problem = ["--op", str(file)]
            words += [f"--engine=python:{HERE}/engine.py:{row.key}", *problem]
        out = pathlib.Path(folder, "out.json")
        environment = {"ASSAY_PYTHON": sys.executable, **os.environ}
        batch = pathlib.Path(folder, "rows.batch")
        batch.write_text("\n".join(words))
        run = subprocess.run([program, "verify", f"--json={out}", f"--batch={batch}"], capture_output=True, text=True, env=environment)
        if not out.exists():
            raise SystemExit(run.stdout + run.stderr)
        problems = json.loads(out.read_text())["problems"]
    assert len(problems) == len(rows), run.stdout + run.stderr
    return [(one["status"].upper(), one.get("wrong", {}).get("data", ""), one.get("reason", "")) for one in problems]


def known_misses():
    """{(key, command): why} from missed.txt: a line "KEY: why" is for both commands, "KEY COMMAND: why" for one."""
    misses = {}
    for line in (HERE / "missed.txt").read_text().splitlines():
        name, _, why = line.partition(": ")
        key, *commands = name.split()
        misses.update({(key, command): why for command in commands or ("check", "verify")})
    return misses


MISSED = known_misses()


def is_bad(row, said):
    """Whether the result of a row is unexpected: a right kernel is rejected, a fault is missed, or a fault is found although the list says
    otherwise."""
    if row.is_right:
        return any(status != "PASSED" for status, _, _ in said.values())
    return any((status == "FAILED") == ((row.key, command) in MISSED) for command, (status, _, _) in said.items())


def main(words):
    options = dict(word.removeprefix("--").partition("=")[::2] for word in words if word.startswith("--"))
    names = [word for word in words if not word.startswith("--")]
    rows = [row for row in table.all_rows() if not names or any(name == row.operation.name or name in row.key for name in names)]
    if share := options.get("share"):
        first, step = map(int, share.split("/"))
        rows = rows[first::step]
    found = {}
    asked = {"check": lambda rows: [checked(row) for row in rows]}
    if "verify" in options:
        asked["verify"] = verified
    for name, ask in asked.items():
        start = time.monotonic()
        found[name] = ask(rows)
        print(f"{name}: {len(rows)} kernels in {time.monotonic() - start:.1f} s", flush=True)
    bad = 0
    for i, row in enumerate(rows):
        said = {name: answers[i] for name, answers in found.items()}
        if is_bad(row, said):
            bad += 1
            print(f"BAD {row.key}: " + "; ".join(f"{name}: {status} {data} {reason[:160]}" for name, (status, data, reason) in said.items()), flush=True)
    faults = [row for row in rows if not row.is_right]
    missed = len({row.key for row in faults for command in found if (row.key, command) in MISSED})
    print(f"{len(faults)} faults, {missed} of them known to be missed, and {len(rows) - len(faults)} right kernels: {bad} not as they should be")
    if "cost" in options or "write" in options:
        seconds = cost([row for row in rows if row.is_right])
        print(f"right kernels: {seconds[0]:.2f} s by default, {seconds[1]:.2f} s on exact and normal data alone")
    if "write" in options:
        page.write(rows, found, MISSED, seconds)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
