"""Tests one mutant by the tests that reach it, until one fails."""
import re
import time

from suite import names, run

_LIT_BATCH = 12


def _limit(seconds):
    return 15 + 5 * seconds


def _batches(tests):
    """Single tests, and batches of lit files for one lit process each."""
    batch = []
    for test in tests:
        if test.name.startswith("lit."):
            batch.append(test)
            if len(batch) == _LIT_BATCH:
                yield batch
                batch = []
        else:
            if batch and test.seconds > 2:
                yield batch
                batch = []
            yield [test]
    if batch:
        yield batch


def _named(output, batch):
    for line in output.split("\n"):
        if line.startswith(("FAIL: ", "TIMEOUT: ")):
            return "lit." + line.split(" :: ")[1].split(" ")[0]
    return batch[0].name


def _failures(output, batch):
    """The number of tests for which a failing trial counts: those that GoogleTest lists, the files of lit, else one."""
    if batch[0].name.startswith("unit.") and (found := re.search(r"^ *(\d+) FAILED TESTS?$", output, re.M)):
        return int(found[1])
    return max(1, len(re.findall(r"^(?:FAIL|TIMEOUT): ", output, re.M)))


def try_mutant(mutant, tests, scratch, budget_s, fails=1):
    """A row of the journal: killed, survived or unreached, by which test, and how long it took. Stops after `fails` tests have failed."""
    row = {"name": mutant.name, "key": mutant.key, "file": mutant.file, "kind": mutant.kind, "tried": 0, "left": 0, "fails": 0}
    started = time.monotonic()
    for batch in _batches(tests):
        due = row["tried"] == 0 or row["fails"] or any(names(mutant, test) for test in batch)
        if budget_s and not due and time.monotonic() - started + sum(test.seconds for test in batch) > budget_s:
            row["left"] += len(batch)
            continue
        environment = {**batch[0].environment, "ASSAY_MUTANT": str(mutant.number)}
        if len(batch) > 1:
            command = [*batch[0].command[:-1], "-j2", f"--max-failures={fails}", *(test.command[-1] for test in batch)]
        else:
            command = batch[0].command
            if batch[0].name.startswith("unit.") and fails == 1:
                environment["GTEST_FAIL_FAST"] = "1"
        how, _, output = run(command, batch[0].folder, environment, _limit(sum(test.seconds for test in batch)), scratch)
        row["tried"] += len(batch)
        if how != "passed":
            by = _named(output, batch) if len(batch) > 1 else batch[0].name
            row.setdefault("by", by)
            row.setdefault("how", how)
            row["fails"] += _failures(output, batch)
        if row["fails"] >= fails:
            break
    status = "killed" if row["fails"] else "survived" if tests else "unreached"
    return {**row, "status": status, "seconds": round(time.monotonic() - started, 2)}
