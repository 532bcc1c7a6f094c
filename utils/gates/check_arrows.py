#!/usr/bin/env python3
"""Checks that every include follows the arrows of the build, and that docs/architecture.md shows these arrows.

usage: check_arrows.py [--write]

A component may include itself and the components of its DEPENDS (and of theirs); the lists are read from the CMakeLists.txt of
src/assay. Unit tests may include more, because they are linked with the code that they test. Prints one line per include
without an arrow, and says when the table in docs/architecture.md differs from the build; --write updates the table.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "assay"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- arrows: made by utils/gates/check_arrows.py --write -->", "<!-- arrows end -->"
CALL = re.compile(r"assay_component\(\s*(\w+)(.*?)\n?\)", re.S)
KEYWORDS = {"SOURCES", "DEPENDS", "LINK", "TESTS"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"assay/([^"]+)"', re.M)


def components():
    """name -> (folder, direct dependencies)."""
    found = {}
    for path in sorted(SOURCES.rglob("CMakeLists.txt")):
        text = re.sub(r"#.*", "", path.read_text())
        for name, body in CALL.findall(text):
            words, key, depends = body.split(), None, []
            for word in words:
                if word in KEYWORDS:
                    key = word
                elif key == "DEPENDS":
                    depends.append(word)
            found[name] = (path.parent.relative_to(SOURCES), depends)
    return found


def closure(name, table):
    """Everything that a component may include, itself among it."""
    seen, todo = set(), [name]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo += table[one][1] if one in table else []
    return seen


def owner(path, table):
    """The component whose folder holds a path below src/assay, the deepest one."""
    best = None
    for name, (folder, _) in table.items():
        if path.is_relative_to(folder) and (best is None or len(folder.parts) > len(table[best][0].parts)):
            best = name
    return best


def violations(table):
    for path in sorted(SOURCES.rglob("*")):
        if path.suffix not in (".h", ".cpp", ".def", ".inc") or path.stem.endswith("Test"):
            continue
        here = path.relative_to(SOURCES)
        mine = owner(here, table)
        if mine is None:
            continue
        allowed = closure(mine, table)
        for target in INCLUDE.findall(path.read_text(errors="replace")):
            other = owner(pathlib.Path(target), table)
            if other is not None and other not in allowed:
                yield f"src/assay/{here} includes assay/{target}: no arrow from {mine} to {other}"


def arrows(table):
    lines = ["| component | folder | may include |", "|---|---|---|"]
    order = sorted(table, key=lambda name: (len(closure(name, table)), name))
    for name in order:
        folder, depends = table[name]
        lines.append(f"| {name} | `src/assay/{folder}/` | {', '.join(depends) if depends else 'LLVM Support'} |")
    return "\n".join(lines)


def main():
    table = components()
    complaints = list(violations(table))
    text = PAGE.read_text()
    if BEGIN not in text or END not in text:
        complaints.append(f"{PAGE.relative_to(ROOT)} has no place for the arrows: {BEGIN} ... {END}")
    else:
        head, rest = text.split(BEGIN, 1)
        shown, tail = rest.split(END, 1)
        made = arrows(table)
        if "--write" in sys.argv[1:]:
            PAGE.write_text(f"{head}{BEGIN}\n{made}\n{END}{tail}")
        elif shown.strip() != made:
            complaints.append("docs/architecture.md: the arrows differ from the build; run utils/gates/check_arrows.py --write")
    for line in complaints:
        print(line)
    print(f"{len(table)} components, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
