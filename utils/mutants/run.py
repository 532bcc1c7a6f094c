"""One mutant against the tests that reach it, until one fails."""
import time

from suite import names, run

_LIT_BATCH = 12


def _limit(seconds):
    return 15 + 5 * seconds


def _batches(tests):
    """Single tests, and lit files in batches of one lit process."""
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


def try_mutant(mutant, tests, scratch, budget_s):
    """A row of the journal: killed, survived or unreached, by whom, and how long it took."""
    row = {"name": mutant.name, "key": mutant.key, "file": mutant.file, "kind": mutant.kind, "tried": 0, "left": 0}
    if not tests:
        return {**row, "status": "unreached", "seconds": 0.0}
    started = time.monotonic()
    for batch in _batches(tests):
        due = row["tried"] == 0 or any(names(mutant, test) for test in batch)
        if budget_s and not due and time.monotonic() - started + sum(test.seconds for test in batch) > budget_s:
            row["left"] += len(batch)
            continue
        environment = {**batch[0].environment, "ASSAY_MUTANT": str(mutant.number)}
        if len(batch) > 1:
            command = [*batch[0].command[:-1], "-j2", "--max-failures=1", *(test.command[-1] for test in batch)]
        else:
            command = batch[0].command
            if batch[0].name.startswith("unit."):
                environment["GTEST_FAIL_FAST"] = "1"
        how, _, output = run(command, batch[0].folder, environment, _limit(sum(test.seconds for test in batch)), scratch)
        row["tried"] += len(batch)
        if how != "passed":
            by = _named(output, batch) if len(batch) > 1 else batch[0].name
            return {**row, "status": "killed", "by": by, "how": how, "seconds": round(time.monotonic() - started, 2)}
    return {**row, "status": "survived", "seconds": round(time.monotonic() - started, 2)}
