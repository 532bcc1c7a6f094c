"""utils/mutants: the faults drawn from a text, how they are woven in and switched on, and the effect of a patch."""
import os
import pathlib
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "utils" / "mutants"))

import draw  # noqa: E402
import patches  # noqa: E402
import python_package  # noqa: E402
import score  # noqa: E402
from tree import Tree  # noqa: E402
from weave import Woven  # noqa: E402

PROGRAM = """#include <cstdio>
#include <vector>
static constexpr int kLimit = 4;
template <int N> struct Fixed { int values[N]; };
static int sumBelow(const std::vector<int> &values, int limit) {
  int sum = 0;
  for (int i = 0; i < static_cast<int>(values.size()); ++i) {
    if (values[i] < 0 && limit > 0)
      continue;
    sum += values[i] < limit ? values[i] : 100;
  }
  return sum;
}
int main() {
  std::vector<int> values = {1, -7, 2, kLimit};
  Fixed<3> fixed{{1, 2, 3}};
  values.push_back(fixed.values[2]);
  std::printf("%d\\n", sumBelow(values, kLimit));
}
"""


def numbered(mutants):
    for number, mutant in enumerate(mutants, 1):
        mutant.number = number
    return mutants


def run(folder, woven, **environment):
    (folder / "p.cpp").write_text(woven.text)
    built = subprocess.run(["g++", "-std=c++20", f"-I{SOURCE}/utils/mutants", "p.cpp", "-o", "p"], cwd=folder, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return lambda **more: subprocess.run(["./p"], cwd=folder, env={**os.environ, **environment, **more}, capture_output=True, text=True).stdout


def test_drawn_mutants_are_off_until_one_is_chosen(tmp_path):
    mutants = numbered(draw.sites("p.cpp", PROGRAM))
    kinds = {mutant.kind for mutant in mutants}
    assert kinds == {"comparison", "bound", "logic", "constant", "removed"}
    assert all("kLimit = 4" not in mutant.old and "int N" not in mutant.old and mutant.old != "3>" for mutant in mutants)
    # tree.py finds mutants that do not compile (for example of an array's length); here there are none.
    usable = [mutant for mutant in mutants if "Fixed<3>" not in PROGRAM[mutant.start - 6:mutant.end + 1]]
    program = run(tmp_path, Woven(PROGRAM, usable))
    assert program() == program(ASSAY_MUTANT="0") == program(ASSAY_MUTANT="9999") == "106\n"
    changed = {mutant.number for mutant in usable if program(ASSAY_MUTANT=str(mutant.number)) != program()}
    by_text = {mutant.number: (mutant.kind, mutant.new) for mutant in usable}
    noticed = {by_text[number] for number in changed}
    assert ("comparison", "values[i] <= limit") in noticed and ("removed", "") in noticed
    assert any(kind == "bound" for kind, _ in noticed) and any(kind == "constant" for kind, _ in noticed)


def test_reach_marks_what_is_asked(tmp_path):
    mutants = numbered(draw.sites("p.cpp", PROGRAM))
    usable = [mutant for mutant in mutants if "Fixed<3>" not in PROGRAM[mutant.start - 6:mutant.end + 1]]
    text = PROGRAM + "int never(int x) {\n  return x == 3;\n}\n"
    unreached = [mutant for mutant in draw.sites("p.cpp", text) if mutant.start >= len(PROGRAM)]
    for mutant in unreached:
        mutant.number = len(mutants) + 1
    (tmp_path / "marks").write_bytes(bytes(len(mutants) + 2))
    run(tmp_path, Woven(text, usable + unreached[:1]))(ASSAY_MUTANT_REACH=str(tmp_path / "marks"))
    marks = (tmp_path / "marks").read_bytes()
    assert not marks[len(mutants) + 1] and sum(marks) > len(usable) / 2


def test_the_compilers_error_names_the_mutant(tmp_path):
    (mutant, *_) = numbered([m for m in draw.sites("p.cpp", PROGRAM) if m.new == "values[i] <= limit"])
    woven = Woven(PROGRAM, [mutant], "/where/assay_mutants.h")
    assert woven.text.startswith('#include "/where/assay_mutants.h"\n#line 1\n')
    line = PROGRAM[:mutant.start].count("\n") + 1
    assert woven.body.count("\n") == PROGRAM.count("\n")
    column = woven.body.split("\n")[line - 1].index("assay_mutants") + 1
    assert woven.blamed(line, column) == [mutant] and woven.blamed(line, 1) == [mutant] and woven.blamed(1, 1) == []


@pytest.fixture
def project(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "p.cpp").write_text(PROGRAM)

    def load(old, new, form="expression"):
        import difflib

        assert old in PROGRAM
        diff = "".join(difflib.unified_diff(PROGRAM.splitlines(True), PROGRAM.replace(old, new, 1).splitlines(True), "a/src/p.cpp", "b/src/p.cpp", n=1))
        (tmp_path / "x_fault.patch").write_text("hurts: nobody\ntests: unit.x\n" + diff)
        return patches.load(tmp_path / "x_fault.patch", tmp_path, form)

    return load


def test_a_patch_is_the_smallest_expression_or_statement(project):
    fault = project("values[i] < limit ? values[i] : 100", "values[i] < limit ? values[i] : 0")
    assert (fault.form, fault.old, fault.new) == ("expression", "values[i] < limit ? values[i] : 100", "values[i] < limit ? values[i] : 0")
    fault = project("    if (values[i] < 0 && limit > 0)\n      continue;\n", "")
    assert fault.form == "statement" and fault.new == "" and fault.old.startswith("if") and fault.old.endswith("continue;")
    fault = project("sumBelow(values, kLimit)", "sumBelow(values, 2)")
    assert (fault.form, fault.old, fault.new) == ("expression", "kLimit", "2")
    assert project("kLimit = 4", "kLimit = 5", "rebuild").new == PROGRAM.replace("kLimit = 4", "kLimit = 5")


def test_a_case_that_is_left_out_is_built_alone(tmp_path):
    text = "int f(int a) {\n  switch (a) {\n  case 1:\n    return 2;\n  case 3:\n    return 4;\n  default:\n    return 5;\n  }\n}\n"
    (tmp_path / "p.cpp").write_text(text)
    (tmp_path / "x_f.patch").write_text("hurts: nobody\n--- a/p.cpp\n+++ b/p.cpp\n@@ -4,3 +4,1 @@\n     return 2;\n-  case 3:\n-    return 4;\n")
    assert patches.load(tmp_path / "x_f.patch", tmp_path, "expression").form == "rebuild"


def test_one_change_at_two_places_is_two_mutants(tmp_path):
    text = "".join(f"int {name}(int a) {{\n  if (a < 2)\n    return {name}0;\n  return 1;\n}}\n" for name in "fg")
    (tmp_path / "p.cpp").write_text(text)
    keys = set()
    for name, line in (("f", 1), ("g", 6)):
        patch = tmp_path / f"x_{name}.patch"
        patch.write_text(f"hurts: nobody\n--- a/p.cpp\n+++ b/p.cpp\n@@ -{line},3 +{line},3 @@\n int {name}(int a) {{\n-  if (a < 2)\n"
                         f"+  if (a < 3)\n     return {name}0;\n")
        mutant = patches.load(patch, tmp_path, "expression")
        assert text[mutant.start:mutant.end] == "a < 2" and text.count("\n", 0, mutant.start) == line
        keys.add(mutant.key)
        assert patches.load(patch, tmp_path, "rebuild").key == mutant.key  # in either form
    assert len(keys) == 2


def test_every_patch_has_who_is_hurt_and_a_name_of_its_component():
    names = sorted(path.stem for path in (SOURCE / "test" / "mutants").glob("*.patch"))
    counts = {}
    for name in names:
        text = (SOURCE / "test" / "mutants" / f"{name}.patch").read_text()
        assert text.startswith("hurts: ") and text.count("\n+++ b/") == 1, name
        counts[name.split("_")[0]] = counts.get(name.split("_")[0], 0) + 1
    components = set("support ranks dialect numerics reference program engine embed kernels judge verify trace triage select tensor tools".split())
    assert set(counts) == components and sum(counts.values()) <= 60, counts  # every mutant that a draw can make is drawn


def test_the_score_is_the_files_and_moves_with_them(tmp_path):
    rows = {str(i): {"file": file, "status": status} for i, (file, status) in enumerate((
        ("src/a/One.cpp", "killed"), ("src/a/One.cpp", "survived"), ("src/a/One.cpp", "no mutant"), ("src/a/Two.cpp", "unreached"), ("src/b/Run.cpp", "killed")))}  # fmt: skip
    fresh = score.of_journal(rows, "2026-11-25")
    path = tmp_path / "score.csv"
    score.write(path, score.merged({}, fresh, {"src/a/One.cpp", "src/a/Two.cpp", "src/b/Run.cpp"}))
    kept = score.read(path)
    assert {file: (row["killed"], row["tried"]) for file, row in kept.items()} == {"src/a/One.cpp": (1, 2), "src/a/Two.cpp": (0, 1), "src/b/Run.cpp": (1, 1)}
    # One moves, Two is gone, Run has a namesake: it is ambiguous. A new run replaces a file's row, and no other's.
    moved = score.merged(kept, {"src/c/New.cpp": {**kept["src/a/One.cpp"], "file": "src/c/New.cpp"}}, {"src/c/One.cpp", "src/c/Run.cpp", "src/d/Run.cpp", "src/c/New.cpp"})
    assert {file: (row["killed"], row["tried"]) for file, row in moved.items()} == {"src/c/New.cpp": (1, 2), "src/c/One.cpp": (1, 2)}
    assert score.text(moved).startswith("score by file: 2 of 4 killed (50.0 %) in 2 files") and "no score is kept" in score.text(score.read(tmp_path / "none"))


def test_a_draw_does_not_move_when_another_file_changes():
    files = {path: (SOURCE / path).read_text() for path in ("src/assay/numerics/Ulp.cpp", "src/assay/numerics/Text.cpp")}
    first = {mutant.key for mutant in draw.draw(files, 1, 20) if mutant.file.endswith("Text.cpp")}
    files["src/assay/numerics/Ulp.cpp"] = "// " + files["src/assay/numerics/Ulp.cpp"]
    assert {mutant.key for mutant in draw.draw(files, 1, 20) if mutant.file.endswith("Text.cpp")} == first
    assert {mutant.key for mutant in draw.draw(files, 2, 20)} != {mutant.key for mutant in draw.draw(files, 1, 20)}
    assert Tree is not None


PACKAGE = '''"""A module."""
import sys

NAMES = {"a": 1, "b": 2}


def least(values, limit=4):
    found = []
    for value in values:
        if value is None or value > limit:
            raise ValueError(f"{value} of {limit + 1}")
        found.append(value)
    sys.stderr.write(
        "done"
    )
    return found[0] if found else None
'''


def test_faults_of_python_are_off_until_one_is_chosen(tmp_path):
    package = tmp_path / "python" / "assay"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "m.py").write_text(PACKAGE)
    drawn = python_package.draw(package, 3, 100)
    kinds = {mutant.old: mutant.kind for mutant in drawn}
    assert set(kinds.values()) == {"comparison", "logic", "constant", "removed"}
    assert not any("of {limit" in mutant.old and not mutant.statement for mutant in drawn)  # positions inside such a string are not known
    python_package.weave(package, tmp_path / "copy", drawn)

    def run(number):
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / "copy" / "python"), "ASSAY_PYTHON_MUTANT": str(number)}
        code = "from assay.m import least, NAMES\ntry:\n  print(least([3, 4, 1]), least([]), NAMES)\n  least([5])\nexcept ValueError as e: print(e)"
        return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)

    plain = run(-1)
    assert (plain.stdout, plain.stderr) == ("3 None {'a': 1, 'b': 2}\n5 of 5\n", "done" * 2), plain
    for mutant in drawn:
        changed = run(mutant.number)
        assert (changed.stdout, changed.stderr) != (plain.stdout, plain.stderr), mutant.name


def test_a_draw_of_python_has_no_fault_inside_another():
    drawn = python_package.draw(SOURCE / "python" / "assay", 1, 400)
    assert len(drawn) == 400 and len({mutant.key for mutant in drawn}) > 390
    for one, other in zip(drawn, drawn[1:]):
        assert one.file != other.file or one.end <= other.start
    assert python_package.draw(SOURCE / "python" / "assay", 1, 400)[7].name == drawn[7].name
