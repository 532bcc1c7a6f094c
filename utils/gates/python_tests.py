#!/usr/bin/env python3
"""Checks that every file of test/python is a test of the build: without .venv the suite would have fewer tests and still
pass.

usage: python_tests.py BUILD [SOURCE]
"""
import json
import pathlib
import subprocess
import sys


def missing(tests, source):
    """Files of test/python that none of the named tests runs."""
    files = sorted((source / "test" / "python").glob("test_*.py"))
    return [path.name for path in files if f"python.{path.stem.removeprefix('test_')}" not in tests]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.strip())
    source = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else pathlib.Path(__file__).resolve().parents[2]
    shown = subprocess.run(["ctest", "--test-dir", sys.argv[1], "--show-only=json-v1"], capture_output=True, text=True)
    if shown.returncode != 0:
        print(f"ctest names no tests of {sys.argv[1]}: {shown.stderr.strip()}")
        return 1
    left = missing({entry["name"] for entry in json.loads(shown.stdout)["tests"]}, source)
    if left:
        why = "" if (source / ".venv" / "bin" / "python").exists() else " and there is no .venv (`./dev setup test` makes it)"
        print(f"{len(left)} files of test/python are not run{why}; configure the build again: {', '.join(left)}")
        return 1
    print("every file of test/python is a test")
    return 0


if __name__ == "__main__":
    sys.exit(main())
