"""./dev mutants --python: mechanical mutants of the Python package, woven into one copy of python/assay and switched on one at a time.

    comparison  a < b becomes a <= b, `is` becomes `is not`, ...      logic     `and` becomes `or`, `if a` becomes `if not a`
    constant    a whole number becomes one more, True becomes False   removed   a call, a raise or an assignment is removed

Every Python test runs once to find the mutants that it reaches; then each mutant is tested by the tests that reach it, the quickest first, until one
fails.
"""
import ast
import argparse
import collections
import fnmatch
import hashlib
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

from suite import run

_SWAPS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.In: "not in", ast.NotIn: "in",
          ast.Is: "is not", ast.IsNot: "is"}
# A call with effects outside the copy is not changed, as in draw.py.
_DANGEROUS = ("kill", "unlink", "rmtree", "rename", "_exit", "setrlimit", "fork")
_SWITCH = '''"""Which mutant is on; every question marks it as reached."""
import mmap
import os

_on = int(os.environ.get("ASSAY_PYTHON_MUTANT", "-1"))
_path = os.environ.get("ASSAY_PYTHON_MUTANT_REACH")
_marks = None
if _path:
    with open(_path, "r+b") as _file:
        _marks = mmap.mmap(_file.fileno(), 0)


def on(number):
    if _marks is not None:
        _marks[number] = 1
    return number == _on
'''


class Text:
    """A file, and where its lines begin."""

    def __init__(self, file, text):
        self.file, self.text, self.lines = file, text, text.split("\n")
        self._begins = [0, *itertools.accumulate(len(line) + 1 for line in self.lines)]

    def at(self, line, column):
        """The place of a line and a column of bytes, as the syntax tree names them."""
        return self._begins[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node):
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def part(self, node):
        return self.text[slice(*self.span(node))]


def _faults(node, part):
    """(kind, node, new text) of the faults that fit at a node; an empty text leaves a statement out."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield "comparison", node, f"({part(node.left)}) {_SWAPS[type(node.ops[0])]} ({part(node.comparators[0])})"
    elif isinstance(node, ast.BoolOp):
        other = " or " if isinstance(node.op, ast.And) else " and "
        yield "logic", node, other.join(f"({part(value)})" for value in node.values)
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield "logic", node.test, f"not ({part(node.test)})"
    elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int)):
        yield "constant", node, str(not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, ast.Raise) or isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "removed", node, ""
    elif isinstance(node, (ast.AugAssign, ast.Assign)) and not isinstance(getattr(node, "target", None) or node.targets[0], ast.Name):
        yield "removed", node, ""


def _inside(node):
    """Every node whose place in the text is known and may contain an expression: not strings with fields, patterns, names of types."""
    for field, value in ast.iter_fields(node):
        if isinstance(node, (ast.JoinedStr, ast.match_case)) or field in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
                yield from _inside(child)


class Mutant:
    def __init__(self, text, kind, node, new):
        file, (self.start, self.end) = text.file, text.span(node)
        self.file, self.kind, self.old, self.new, self.statement = file, kind, text.part(node), new, isinstance(node, ast.stmt)
        self.name = f"{file}:{node.lineno}:{node.col_offset}:{kind}"
        self.key = hashlib.sha256(f"{kind}\0{file}\0{self.old}\0{new}\0{text.lines[node.lineno - 1]}".encode()).hexdigest()[:16]

    def woven(self):
        on = f"_assay_on({self.number})"
        if not self.statement:
            return f"(({self.new}) if {on} else ({self.old}))"
        return f"{on} or ({self.old})" if isinstance(ast.parse(self.old.strip()).body[0], ast.Expr) else f"if not {on}: {self.old}"


def _fits(mutant, text):
    line = text[text.rfind("\n", 0, mutant.start) + 1:mutant.start]
    if mutant.statement and (line.strip() or "\n" in mutant.old and not mutant.old.rstrip().endswith(")")):
        return False  # `if x: y`, or lines whose indentation has a meaning
    return not any(word in mutant.old for word in _DANGEROUS)


def candidates(package):
    for path in sorted(package.rglob("*.py")):
        text = Text(str(path.relative_to(package)), path.read_text())
        for node in _inside(ast.parse(text.text)):
            for fault in _faults(node, text.part):
                mutant = Mutant(text, *fault)
                if _fits(mutant, text.text):
                    yield mutant


def draw(package, seed, count):
    """`count` mutants, none inside another."""
    everything = list(candidates(package))
    random.Random(seed).shuffle(everything)
    taken = collections.defaultdict(list)
    for mutant in everything:
        if sum(map(len, taken.values())) < count and all(mutant.end <= other.start or other.end <= mutant.start for other in taken[mutant.file]):
            taken[mutant.file].append(mutant)
    drawn = sorted((mutant for some in taken.values() for mutant in some), key=lambda mutant: (mutant.file, mutant.start))
    for number, mutant in enumerate(drawn):
        mutant.number = number
    return drawn


def weave(package, copy, mutants):
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(package, copy / "python" / "assay", ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "build").symlink_to(package.parents[1] / "build")
    (copy / "python" / "assay" / "_mutants.py").write_text(_SWITCH)
    for file in {mutant.file for mutant in mutants}:
        text = (package / file).read_text()
        for mutant in sorted((m for m in mutants if m.file == file), key=lambda m: -m.start):
            text = text[:mutant.start] + mutant.woven() + text[mutant.end:]
        body = ast.parse(text).body
        documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        lines = text.split("\n")
        lines.insert(body[0].end_lineno if documented else 0, "from assay._mutants import on as _assay_on")
        (copy / "python" / "assay" / file).write_text("\n".join(lines))


class Tests:
    """The Python tests of the build, against a copy of the package."""

    def __init__(self, root, copy, chosen):
        shown = subprocess.run(["ctest", "--test-dir", root / "build" / "release", "--show-only=json-v1"], check=True, capture_output=True, text=True)
        self.scratch, self.copy, self.reached, self.seconds = str(copy / "scratch"), copy, {}, {}
        self.commands = {entry["name"]: [word for word in entry["command"] if "--junitxml" not in word]
                         for entry in json.loads(shown.stdout)["tests"] if entry["name"].startswith("python.") and re.search(chosen, entry["name"])}
        self.environment = {"ASSAY_BIN": str(root / "build/release/bin"), "PYTHONDONTWRITEBYTECODE": "1",
                            "PYTHONPATH": f"{copy}/python:{root}/build/release/python"}
        os.makedirs(self.scratch, exist_ok=True)

    def run(self, name, limit, **switches):
        return run([*self.commands[name], "-x"], str(self.copy), {**self.environment, **switches}, limit, self.scratch)

    def measure(self, size):
        marks = self.copy / "marks"
        for name in self.commands:
            marks.write_bytes(bytes(size))
            how, seconds, output = self.run(name, 600, ASSAY_PYTHON_MUTANT_REACH=str(marks))
            if how != "passed":
                print(f"  {name} {how} without a mutant and is left out:\n{output[-600:]}", flush=True)
                continue
            self.reached[name], self.seconds[name] = {n for n, mark in enumerate(marks.read_bytes()) if mark}, seconds

    def reaching(self, mutant):
        return sorted((name for name in self.reached if mutant.number in self.reached[name]), key=self.seconds.get)


def main(words):
    parser = argparse.ArgumentParser(prog="./dev mutants --python", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="*", help="shell patterns of files below python/assay (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default 1)")
    parser.add_argument("--count", type=int, default=150, help="how many are drawn (default 150)")
    parser.add_argument("--tests", default="", metavar="REGEX", help="only the Python tests whose name fits, such as 'python.check|python.properties'")
    parser.add_argument("--list", action="store_true", help="lists the mutants and ends")
    options = parser.parse_args(words)
    root = pathlib.Path(__file__).resolve().parents[2]
    known = dict(line.split(" ", 1) for line in (root / "test/mutants/equivalent.txt").read_text().split("\n") if line and line[0] != "#")
    mutants = [m for m in draw(root / "python" / "assay", options.seed, options.count)
               if not options.pattern or any(fnmatch.fnmatch(m.file, pattern) for pattern in options.pattern)]
    if options.list:
        print("\n".join(f"{m.key} {m.name}: {' '.join(m.old.split())}  ->  {m.new or '(removed)'}" for m in mutants))
        return 0
    copy = root / "build" / "python_mutants"
    weave(root / "python" / "assay", copy, mutants)
    tests = Tests(root, copy, options.tests)
    tests.measure(max(m.number for m in mutants) + 1)
    ends = collections.Counter()
    for mutant in mutants:
        reaching = tests.reaching(mutant)
        status = "survived" if reaching else "not reached"
        if mutant.key in known:
            status, reaching = "equivalent", []
        for name in reaching:
            how, _, _ = tests.run(name, 15 + 5 * tests.seconds[name], ASSAY_PYTHON_MUTANT=str(mutant.number))
            if how != "passed":
                status = f"killed by {name}"
                break
        ends[status.split(" by ")[0]] += 1
        print(f"{mutant.key} {mutant.name}: {' '.join(mutant.old.split())[:70]}  ->  {mutant.new[:70] or '(removed)'}: {status}", flush=True)
    print(", ".join(f"{count} {status}" for status, count in ends.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
