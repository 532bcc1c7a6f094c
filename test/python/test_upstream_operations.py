"""Our tables against upstream's list of operations (test/reference/upstream_operations.txt): all of them parse, run, and are tested."""
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = (ROOT / "test" / "reference" / "upstream_operations.txt").read_text()
UPSTREAM = [line for line in LIST.splitlines() if line and not line.startswith("#")]
TESTS = {path: path.read_text() for path in (ROOT / "test" / "reference").glob("*.mlir")}
# Not operations that run: the end of a region, and one that appears only in place of a type.
ENDS = {"stablehlo.return"}
# Ours, or older spellings that upstream has dropped.
OURS = {"stablehlo.dynamic_reduce_window"}


def table(path):
    text = re.sub(r"^\s*//.*$", "", (ROOT / path).read_text(), flags=re.M)
    return set(re.findall(r'^\s*[A-Z][A-Z0-9_]*\(\s*"([\w.-]+)"', text, re.M))


def test_the_list_is_whole():
    assert len(UPSTREAM) == len(set(UPSTREAM)) > 160
    assert {"stablehlo.einsum", "stablehlo.batch_norm_grad", "chlo.erf", "stablehlo.slice"} <= set(UPSTREAM)


@pytest.mark.parametrize("name", [name for name in UPSTREAM if name not in ENDS])
def test_an_operation_of_upstream_runs_in_a_test_of_the_reference(name):
    spelled = re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w-])")
    files = [path for path, text in TESTS.items() if "RUN: assay test" in text and any(spelled.search(line) for line in text.splitlines() if not line.lstrip().startswith("//"))]
    assert files, f"no test in test/reference runs {name}"


def test_every_operation_has_a_row_or_is_the_executors():
    rows = set().union(*map(table, ["src/assay/reference/Ops.def", "src/assay/reference/Elementwise.def", "src/assay/program/Expansions.def"]))
    builder = (ROOT / "src/assay/program/PlanBuilder.cpp").read_text()
    control = {"stablehlo.while", "stablehlo.if", "stablehlo.case", "stablehlo.composite", "stablehlo.async_start", "stablehlo.constant", "chlo.constant"}
    for name in control:  # the builder names it, by class or text
        assert name in builder or re.search(rf"stablehlo::{name.split('.')[1].title().replace('_', '')}Op", builder), name
    missing = [name for name in UPSTREAM if name not in rows | control | ENDS and not name.startswith("chlo.broadcast_")]
    assert not missing


def test_the_dialects_know_no_operation_that_upstream_lacks():
    """A name of ours in upstream's dialects would be a private extension: each is listed here."""
    text = "\n".join(path.read_text() for path in (ROOT / "src/assay/dialect").glob("*.td") if path.stem not in ("Check", "Interpreter", "Native", "Sdy"))
    chlo = (ROOT / "src/assay/dialect/Chlo.td").read_text()
    rest = text.replace(chlo, "")
    for dialect, source in (("chlo", chlo), ("stablehlo", rest)):
        names = {f"{dialect}.{name}" for name in re.findall(r'^def\s+\w+Op\s*:\s*\w+<"([\w-]+)"', source, re.M)}
        assert names, dialect
        assert names - set(UPSTREAM) <= OURS


def test_an_operation_that_nobody_has_is_refused_by_name(tmp_path):
    path = tmp_path / "p.mlir"
    path.write_text('func.func @main() -> tensor<i32> {\n  %0 = "stablehlo.trace"() : () -> tensor<i32>\n  return %0 : tensor<i32>\n}\n')
    ran = subprocess.run([ROOT / "build/release/bin/assay", "run", path], capture_output=True, text=True)
    assert ran.returncode == 2 and "stablehlo.trace" in ran.stderr
