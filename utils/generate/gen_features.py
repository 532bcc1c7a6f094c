#!/usr/bin/env python3
"""Writes the tables of docs/features.md (docs/tables/features_OP.json) from `assay tune features --op OP`, and the line about the schema on
the page.

usage: gen_features.py [--check]      ASSAY_BIN names the folder of the program (default: build/release/bin)
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils/site"))
import site_tables  # noqa: E402

OPERATIONS = ("gemm", "gemm_universal", "grouped_conv", "conv_fwd")
PAGE, TABLES = ROOT / "docs/features.md", ROOT / "docs/tables"


def printed(program, operation):
    """(columns, rows, the line that names the schema) of what the program prints."""
    text = subprocess.run([program, "tune", "features", "--op", operation], capture_output=True, text=True, check=True).stdout
    lines = [line for line in text.splitlines() if line]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return cells[0], cells[2:], next(line for line in lines if line.startswith("Schema "))


def made(program, page):
    """{path: text} of the page and its tables."""
    files = {}
    for operation in OPERATIONS:
        columns, rows, schema = printed(program, operation)
        name = f"features_{operation}.json"
        files[TABLES / name] = site_tables.content(columns, rows)
        page = re.sub(rf"(\[[^\]\n]+\]\(tables/{name}\)\n\n)Schema .*", lambda found: found[1] + schema, page)
    return files | {PAGE: page}


def main():
    program = pathlib.Path(os.environ.get("ASSAY_BIN", ROOT / "build/release/bin")) / "assay"
    files = made(program, PAGE.read_text())
    stale = [path.name for path, text in files.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[1:]:
        print("".join(f"docs: {name} is not what the program prints: run utils/generate/gen_features.py\n" for name in stale), end="")
        return 1 if stale else 0
    for path, text in files.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
