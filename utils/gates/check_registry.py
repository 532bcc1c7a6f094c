#!/usr/bin/env python3
"""Checks that every row of a registry has what the recipes of CONTRIBUTING.md promise: its file, its test and its line in the docs.

usage: check_registry.py [--list]

The registries are the .def tables below. A row is a macro call at the start of a line; its first argument is the row's
name. Prints one line per missing item and exits 1; --list prints the rows found.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Table -> (the number of the argument that is a row's name, the items that each row needs). "file:" a glob that must match something, where
# {name} is the row's name; "text:" globs for files one of which must contain the name.
TABLES = {
    "tools/assay/Commands.def": (0, ["text:test/cli/*.test test/python/*.py", "text:README.md docs/*.md"]),
    "src/assay/reference/Ops.def": (0, ["file:test/reference/{name}.mlir", "text:docs/operations.md"]),
    "src/assay/reference/Elementwise.def": (0, ["file:test/reference/{name}.mlir", "text:docs/operations.md"]),
    "src/assay/program/Expansions.def": (0, ["file:test/reference/{name}.mlir", "text:docs/operations.md"]),
    "src/assay/reference/custom/CustomCalls.def": (0, ["text:test/reference/custom_call.mlir test/cli/custom_calls.test", "text:docs/custom_calls.md"]),
    "src/assay/numerics/Metrics.def": (0, ["text:src/assay/numerics/**/*Test.cpp", "text:docs/*.md"]),
    "src/assay/kernels/Families.def": (1, ["text:docs/*.md"]),  # its differential test walks the table
    "src/assay/kernels/conv/ConvAlgorithms.def": (0, ["file:src/assay/engine/native/{name}Convolution.cpp"]),
    "src/assay/verify/Drivers.def": (1, ["file:inputs/{name}/*", "file:docs/drivers/{name}.md"]),
    "src/assay/engine/Engines.def": (0, ["text:test/**/*.test src/assay/**/*Test.cpp", "text:docs/*.md"]),
}
ROW = re.compile(r"^\s*(?!\w+_GROUP\()[A-Z][A-Z0-9_]*\(([^()]*)", re.M)  # _GROUP rows are headings


def rows(table):
    """The names in a table's rows: the arguments are split at commas, without quotes."""
    text = re.sub(r"^\s*(//|#).*$", "", (ROOT / table).read_text(), flags=re.M)
    return [row.split(",")[TABLES[table][0]].strip().strip('"') for row in ROW.findall(text)]


def read(pattern, cache={}):
    """The whole text of the files that a space-separated list of globs matches."""
    if pattern not in cache:
        files = [path for part in pattern.split() for path in sorted(ROOT.glob(part))]
        cache[pattern] = "\n".join(path.read_text(errors="replace") for path in files)
    return cache[pattern]


def missing(name, need):
    """The complaint if a row lacks one of the items that it needs, or None."""
    kind, _, what = need.partition(":")
    short = name.split(".")[-1]
    if kind == "file":
        pattern = what.format(name=short)
        return None if any(ROOT.glob(pattern)) else f"{pattern} does not exist"
    found = re.search(rf"(?<![\w-]){re.escape(short)}(?![\w-])", read(what))
    return None if found else f"no mention in {what}"


def main():
    complaints, total = [], 0
    for table, (_, needs) in TABLES.items():
        if not (ROOT / table).exists():
            continue
        names = rows(table)
        total += len(names)
        if not names:
            complaints.append(f"{table}: no row found")
        if len(set(names)) != len(names):
            complaints.append(f"{table}: a name occurs twice: {sorted({n for n in names if names.count(n) > 1})}")
        for name in names:
            if "--list" in sys.argv:
                print(f"{table}: {name}")
            for need in needs:
                complaint = missing(name, need)
                if complaint:
                    complaints.append(f"{table}: row '{name}': {complaint}")
    print("\n".join(complaints + [f"registry: {total} rows, {len(complaints)} complaints"]))
    return 1 if complaints or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
