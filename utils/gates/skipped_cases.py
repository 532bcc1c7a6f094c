#!/usr/bin/env python3
"""Lists the cases that the latest run of each test skipped, with their reasons: a test that passed may have skipped some. A skip that is not in
test/known_skips.txt is an error, because a test that no longer runs looks like one that passes.

usage: skipped_cases.py FOLDER [KNOWN]     FOLDER: the results that GoogleTest, pytest and lit write as XML (build/release/results);
                                           KNOWN: the list of intended skips (default: test/known_skips.txt)

Exit code 0 when none was skipped, 77 (ctest then says "Skipped" in its closing lines) when some were and all are known, 1 for a new
skip, a file that is not a result, or a line of the list that cannot be read.
"""
import collections
import fnmatch
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

KNOWN = pathlib.Path(__file__).resolve().parents[2] / "test" / "known_skips.txt"
ITSELF = "golden.skipped_cases.whole"


def skipped(path):
    """[(case, reason)] of one file."""
    for case in xml.parse(path).getroot().iter("testcase"):
        for mark in case.iter("skipped"):
            reason = mark.get("message") or mark.text or case.get("result") or "no reason"
            reason = re.sub(r"^.*?\.(?:cpp|h):\d+\s*", "", reason.strip().replace("\n", " "))
            yield f"{case.get('classname', '')}.{case.get('name')}".strip("."), reason or "no reason"


def known_skips(path):
    """[(pattern of "TEST: CASE", pattern of the reason)]; ValueError for a malformed line."""
    patterns = []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        case, bar, reason = line.partition(" | ")
        if not bar or ": " not in case or not reason.strip():
            raise ValueError(f"{path}:{number}: expected TEST: CASE | REASON, got '{line}'")
        patterns.append((case.strip(), reason.strip()))
    return patterns


def is_known(name, reason, patterns):
    # Names of cases contain brackets, which are not patterns here.
    fits = lambda text, pattern: fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))
    return any(fits(name, case) and fits(reason, why) for case, why in patterns)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.strip())
    try:
        patterns = known_skips(pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else KNOWN)
    except ValueError as error:
        print(error)
        return 1
    files = [path for path in sorted(pathlib.Path(sys.argv[1]).glob("*.xml")) if path.stem != ITSELF]
    total, new = 0, 0
    for path in files:
        test = path.stem.removesuffix(".whole")
        try:
            reasons = collections.defaultdict(list)
            for case, reason in skipped(path):
                reasons[is_known(f"{test}: {case}", reason, patterns), reason].append(case)
        except xml.ParseError as error:
            print(f"{path.stem}: its results cannot be read: {error}")
            return 1
        for (known, reason), cases in reasons.items():
            total += len(cases)
            new += 0 if known else len(cases)
            shown = cases if not known else cases[:3]
            names = ", ".join(shown) + (f" and {len(cases) - len(shown)} more" if len(cases) > len(shown) else "")
            print(f"{'skipped' if known else 'NEW SKIP'} in {test}: {names}: {reason}")
    print(f"{total} cases skipped in {len(files)} tests")
    if new:
        print(f"{new} of them are not known: mend them (is `./dev setup test` complete?), or add them to test/known_skips.txt with their reason")
    return 1 if new else 77 if total else 0


if __name__ == "__main__":
    sys.exit(main())
