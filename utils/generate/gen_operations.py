#!/usr/bin/env python3
"""Writes docs/operations.md: every operation of the reference interpreter with the test that covers it.

usage: gen_operations.py [--check]      (--check: exit 1 when the page is not up to date)
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "operations.md"
TABLES = ["src/assay/reference/Ops.def", "src/assay/reference/Elementwise.def", "src/assay/program/Expansions.def"]
HEAD = """# Operations of the reference interpreter

Written by `utils/generate/gen_operations.py` from `src/assay/reference/Ops.def`, `Elementwise.def` and `src/assay/program/Expansions.def`; do not
edit. An operation of `Expansions.def` becomes others when a program is read, so that bounds, engines and shadows know it. Control flow
(`while`, `if`, `case`, `call`, `composite`, `async_start`) and constants are the executor's own.

| operation | table | test |
|---|---|---|
"""


def page():
    rows = {}
    for table in TABLES:
        text = re.sub(r"^\s*//.*$", "", (ROOT / table).read_text(), flags=re.M)
        for name in re.findall(r'^\s*[A-Z][A-Z0-9_]*\(\s*"([\w.-]+)"', text, re.M):
            test = f"test/reference/{name.split('.')[-1]}.mlir"
            shown = f"[{test}](../{test})" if (ROOT / test).exists() else ""
            rows[name] = f"| `{name}` | {pathlib.Path(table).name} | {shown} |"
    return HEAD + "\n".join(rows[name] for name in sorted(rows)) + f"\n\n{len(rows)} operations.\n"


def main():
    if "--check" in sys.argv:
        if not PAGE.exists() or PAGE.read_text() != page():
            print("docs/operations.md is not up to date: run utils/generate/gen_operations.py")
            return 1
        return 0
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
