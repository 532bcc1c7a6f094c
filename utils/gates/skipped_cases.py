#!/usr/bin/env python3
"""Lists the cases that the latest run of each test skipped, with their reasons; a test that passed may have left some out.

usage: skipped_cases.py FOLDER     (of the results that GoogleTest, pytest and lit write as XML: build/release/results)

Exit code 0 when none was skipped, 77 (ctest then says "Skipped" in its closing lines) when some were, 1 for a file that is no result.
"""
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as xml


def skipped(path):
    """[(case, reason)] of one file."""
    for case in xml.parse(path).getroot().iter("testcase"):
        for mark in case.iter("skipped"):
            reason = mark.get("message") or mark.text or case.get("result") or "no reason"
            reason = re.sub(r"^.*?\.(?:cpp|h):\d+\s*", "", reason.strip().replace("\n", " "))
            yield f"{case.get('classname', '')}.{case.get('name')}".strip("."), reason or "no reason"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.xml"))
    total = 0
    for path in files:
        try:
            reasons = collections.defaultdict(list)
            for case, reason in skipped(path):
                reasons[reason].append(case)
        except xml.ParseError as error:
            print(f"{path.stem}: its results cannot be read: {error}")
            return 1
        for reason, cases in reasons.items():
            total += len(cases)
            names = ", ".join(cases[:3]) + (f" and {len(cases) - 3} more" if len(cases) > 3 else "")
            print(f"skipped in {path.stem}: {names}: {reason}")
    print(f"{total} cases skipped in {len(files)} tests")
    return 77 if total else 0


if __name__ == "__main__":
    sys.exit(main())
