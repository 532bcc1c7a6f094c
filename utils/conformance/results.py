"""The results of a suite: one outcome per function, file or part, and the table of all suites."""
import collections
import dataclasses
import re

PASSED, EXPLAINED, FAILED = "passed", "explained", "failed"


@dataclasses.dataclass
class Outcome:
    """`reason`: why it failed, or why a difference is not ours (explained)."""

    name: str
    status: str
    reason: str = ""


@dataclasses.dataclass
class Suite:
    name: str
    unit: str  # the unit that is counted: functions, files, parts
    outcomes: list

    def count(self, status):
        return sum(outcome.status == status for outcome in self.outcomes)

    def reasons(self):
        """The reasons of failures, without locations and values, so that equal causes count together."""
        return collections.Counter(alike(outcome.reason) for outcome in self.outcomes if outcome.status == FAILED)


def alike(reason):
    reason = re.sub(r"\S*/(\S+?\.mlir)(:\S+)?:? ?", "", reason.strip())
    reason = re.sub(r"'[^']{25,}'", "'…'", reason)
    reason = re.sub(r"\b(\d+) of \d+ elements? fails?", "elements fail", reason)
    return re.sub(r"\s+", " ", reason)[:110]


def table(suites):
    """The lines of the report: a row per suite, then the reasons of its failures."""
    lines = [f"{'suite':<12} {'unit':<10} {'total':>6} {'passed':>7} {'explained':>10} {'failed':>7}"]
    for suite in suites:
        lines.append(
            f"{suite.name:<12} {suite.unit:<10} {len(suite.outcomes):>6} {suite.count(PASSED):>7} "
            f"{suite.count(EXPLAINED):>10} {suite.count(FAILED):>7}"
        )
    for suite in suites:
        for reason, count in suite.reasons().most_common(5):
            lines.append(f"  {suite.name}: {count} x {reason}")
    return lines


def losses(suites, before):
    """Lines about tests that passed or were explained in `before` (the JSON of an earlier run) and fail now."""
    good = {
        (suite["name"], outcome["name"])
        for suite in before["suites"]
        for outcome in suite["outcomes"]
        if outcome["status"] != FAILED
    }
    return [
        f"LOST {suite.name}: {outcome.name}: {outcome.reason[:200]}"
        for suite in suites
        for outcome in suite.outcomes
        if outcome.status == FAILED and (suite.name, outcome.name) in good
    ]
