#!/usr/bin/env python3
"""Checks the lengths of source files and of C++ functions against the house rule: a file has at most 150 lines in the
median, at most 400 at p90 and never over 800; a C++ function has at most 60, from its signature to its closing brace.

usage: loc.py [FOLDER...]        (default: src tools python utils test/python examples benchmark fuzz)

Counts the files that git tracks; tables (.def) and generated files are exempt. Exits 1 when a file or a function is too
long.
"""
import pathlib
import subprocess
import sys

from cpp_functions import functions

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUFFIXES = {".cpp", ".h", ".c", ".py", ".td", ".sh"}
CPP = {".cpp", ".h", ".c"}
HARD_STOP = 800
LONGEST_FUNCTION = 60
# (file, function): why it may be longer.
EXCEPTIONS = {}


def long_functions(files):
    """(messages, number of functions, lines of the longest one); an exception that no function needs is a message too."""
    messages, lengths, needed = [], [0], set()
    for path in files:
        name = str(path.relative_to(ROOT))
        try:
            found = functions(path.read_text())
        except ValueError as error:
            messages.append(f"{name}: cannot find the functions: {error}")
            continue
        for function, first, last in found:
            lines = last - first + 1
            lengths.append(lines)
            if lines <= LONGEST_FUNCTION:
                continue
            if (name, function) in EXCEPTIONS:
                needed.add((name, function))
            else:
                messages.append(f"{name}:{first}: {function} has {lines} lines, at most {LONGEST_FUNCTION}: name its parts")
    names = {str(path.relative_to(ROOT)) for path in files}
    for name, function in EXCEPTIONS.keys() - needed:
        if name in names:
            messages.append(f"{name}: {function} needs no exception any more")
    return messages, len(lengths) - 1, max(lengths)


def main():
    folders = sys.argv[1:] or ["src", "tools", "python", "utils", "test/python", "examples", "benchmark", "fuzz"]
    names = subprocess.run(["git", "-C", str(ROOT), "ls-files", *folders], capture_output=True, text=True, check=True)
    files = [ROOT / name for name in names.stdout.split() if pathlib.Path(name).suffix in SUFFIXES]
    files = [path for path in files if path.exists()]
    sizes = sorted((len(path.read_bytes().splitlines()), str(path.relative_to(ROOT))) for path in files)
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
    messages, count, longest = long_functions([path for path in files if path.suffix in CPP])
    print(f"{count} C++ functions, the longest has {longest} lines")
    print("\n".join(messages), end="\n" if messages else "")
    return 1 if over or messages else 0


if __name__ == "__main__":
    sys.exit(main())
