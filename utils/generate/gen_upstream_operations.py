#!/usr/bin/env python3
"""Writes test/reference/upstream_operations.txt: the names of upstream's operations, from a checkout of openxla/stablehlo.

usage: gen_upstream_operations.py CHECKOUT      (a work tree or a bare repository)

Only names are copied: those of every operation that StablehloOps.td and ChloOps.td define, and of every one that has a heading in
docs/spec.md. `test/python/test_upstream_operations.py` compares our tables with the list.
"""
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "test" / "reference" / "upstream_operations.txt"


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2

    def git(*words):
        return subprocess.run(["git", "-C", sys.argv[1], *words], check=True, capture_output=True, text=True).stdout

    names = set()
    for file, dialect in (("StablehloOps.td", "stablehlo"), ("ChloOps.td", "chlo")):
        text = re.sub(r"//.*", "", git("show", f"HEAD:stablehlo/dialect/{file}"))
        for name in re.findall(r'^def\s+(?:StableHLO|CHLO)_\w+Op\s*:\s*\w+<\s*"([\w-]+)"', text, re.M):
            names.add(f"{dialect}.{name}")
    section = re.search(r"^## Ops$(.*?)^## ", git("show", "HEAD:docs/spec.md"), re.M | re.S).group(1)
    for name in re.findall(r"^### ([a-z0-9_]+)$", section, re.M):
        names.add(f"stablehlo.{name}")
    commit = git("log", "-1", "--format=%H of %cs").strip()
    PAGE.write_text(f"# Operations of openxla/stablehlo at {commit}: names from StablehloOps.td, ChloOps.td and docs/spec.md.\n"
                    "# Written by utils/generate/gen_upstream_operations.py; do not edit.\n" + "\n".join(sorted(names)) + "\n")
    print(f"{len(names)} operations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
