#!/usr/bin/env python3
"""Lengths of the source files against the house rule: median at most 150 lines, p90 at most 400, none over 800.

usage: loc.py [FOLDER...]        (default: src tools python utils test/python examples)

Counts what git tracks; tables (.def) and generated files are exempt. Exits 1 when a file is over 800 lines.
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIXES = {".cpp", ".h", ".c", ".py", ".td", ".sh"}
HARD_STOP = 800


def main():
    folders = sys.argv[1:] or ["src", "tools", "python", "utils", "test/python", "examples", "benchmark", "fuzz"]
    names = subprocess.run(["git", "-C", str(ROOT), "ls-files", *folders], capture_output=True, text=True, check=True)
    files = [ROOT / name for name in names.stdout.split() if pathlib.Path(name).suffix in SUFFIXES]
    sizes = sorted((len(path.read_bytes().splitlines()), str(path.relative_to(ROOT))) for path in files if path.exists())
    if not sizes:
        print("loc: no source files found")
        return 3
    at = lambda share: sizes[min(len(sizes) - 1, int(share * len(sizes)))][0]
    print(f"{len(sizes)} files, {sum(size for size, _ in sizes)} lines: median {at(0.5)}, p90 {at(0.9)}")
    for size, name in reversed(sizes[-5:]):
        print(f"{size:6d}  {name}")
    over = [name for size, name in sizes if size > HARD_STOP]
    if over:
        print(f"over the hard stop of {HARD_STOP} lines: {', '.join(over)}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
