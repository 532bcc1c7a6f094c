"""Portable artifacts that `assay-opt --serialize` writes, read by jaxlib's deserialiser: the same program as jaxlib's parse of the
text, in every version in which jaxlib itself writes it, refused with one message in the others."""
import os
import pathlib
import re
import subprocess

import numpy
import pytest

jax = pytest.importorskip("jax")
from jax._src.interpreters import mlir as jax_mlir  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.dialects import stablehlo  # noqa: E402

TEST = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = sorted(path.stem for path in (TEST / "programs").glob("*.mlir"))
OPERATIONS = sorted(path.stem for path in (TEST / "dialect").glob("*.mlir"))
VERSIONS = ("0.9.0", "0.11.0", "0.13.0", "0.14.0", "0.17.0", "1.0.0", "1.4.0", "1.8.0", stablehlo.get_current_version())
FEW = ("0.9.0", "1.0.0", "1.8.0")  # for the many small programs
DEFAULT = re.compile(r"result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>(, )?| <{}>")


@pytest.fixture(scope="module")
def context():
    return jax_mlir.make_ir_context()


def generic(module):
    return DEFAULT.sub("", DEFAULT.sub("", module.operation.get_asm(print_generic_op_form=True)))


def serialize(*words):
    program = os.path.join(os.environ["ASSAY_BIN"], "assay-opt")
    return subprocess.run([program, "--serialize", *map(str, words)], capture_output=True, text=True)


def theirs(module, version):
    try:
        return stablehlo.serialize_portable_artifact(module, version)
    except Exception:  # the version lacks what the program uses
        return None


def check_versions(file, module, context, out, versions=VERSIONS):
    """How many versions have the program."""
    written = 0
    for version in versions:
        ran = serialize(f"--target={version}", file, "-o", out)
        expected = theirs(module, version)
        assert (ran.returncode == 0) == (expected is not None), (version, ran.stderr)
        if expected is None:
            assert ran.returncode == 2 and ran.stderr.count("error: ") == 1, ran.stderr
            continue
        written += 1
        read = stablehlo.deserialize_portable_artifact(context, out.read_bytes())
        assert generic(read) == generic(stablehlo.deserialize_portable_artifact(context, expected)), version
    return written


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(tmp_path, assay, context, name):
    file, out = TEST / "programs" / f"{name}.mlir", tmp_path / "p.mlirbc"
    try:
        module = ir.Module.parse(file.read_text(), context)
    except Exception:
        pytest.skip("jaxlib does not parse it")
    if check_versions(file, module, context, out) == 0:
        return  # operations of other dialects: refused like upstream
    assert serialize(file, "-o", out).returncode == 0
    expected = theirs(module, stablehlo.get_current_version())  # it fills in the defaults of VHLO
    assert generic(stablehlo.deserialize_portable_artifact(context, out.read_bytes())) == generic(
        stablehlo.deserialize_portable_artifact(context, expected))
    data = file.with_suffix(".npz")
    inputs = ["--input", data if data.exists() else "random"]
    results = []
    for program in (file, out):
        ran = assay("run", program, *inputs, "--output", tmp_path / "r.npz", "--quiet")
        assert ran.returncode == 0, ran.stderr
        results.append({key: value.tobytes() for key, value in numpy.load(tmp_path / "r.npz").items()})
    assert results[0] == results[1]


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(tmp_path, context, name):
    """Every valid part of the dialect's tests that jaxlib parses: each operation, its attributes given and left out; for the oldest version
    and for one of the later ones."""
    out, file = tmp_path / "p.mlirbc", tmp_path / "p.mlir"
    for number, part in enumerate((TEST / "dialect" / f"{name}.mlir").read_text().split("// -----")):
        if "expected-error" in part:
            continue
        try:
            module = ir.Module.parse(part, context)
        except Exception:
            continue
        file.write_text(part)
        check_versions(file, module, context, out, (FEW[0], FEW[1 + number % 2]))


def test_the_oldest_version_that_has_the_program(tmp_path):
    for op, version in (("cosine", "1.0.0"), ("tan", "1.4.0")):
        (tmp_path / "p.mlir").write_text(f"func.func @main(%a: tensor<f32>) -> tensor<f32> {{ %0 = stablehlo.{op} %a : tensor<f32> return %0 : tensor<f32> }}")
        assert serialize(tmp_path / "p.mlir", "-o", tmp_path / "p.mlirbc").returncode == 0
        assert f"StableHLO_v{version}\0".encode() in (tmp_path / "p.mlirbc").read_bytes()[:40]


def test_an_artifact_for_an_older_reader(tmp_path, context):
    """An artifact is read like any program, so it becomes one of another version; passes run before it is written."""
    (tmp_path / "p.mlir").write_text(
        "func.func @main() -> tensor<f32> { %0 = stablehlo.constant dense<2.0> : tensor<f32> %1 = stablehlo.add %0, %0 : tensor<f32> return %1 : tensor<f32> }"
    )
    assert serialize("--target=current", tmp_path / "p.mlir", "-o", tmp_path / "new").returncode == 0
    assert serialize("--target=minimum", "--assay-fold", "--symbol-dce", tmp_path / "new", "-o", tmp_path / "old").returncode == 0
    text = str(stablehlo.deserialize_portable_artifact(context, (tmp_path / "old").read_bytes()))
    assert "StableHLO_v0.9.0" in (tmp_path / "old").read_bytes()[:40].decode("latin1") and "dense<4.0" in text


@pytest.mark.parametrize(
    "body, flags, said",
    [
        ("%0 = stablehlo.tan %a : tensor<f32>", ["--target=1.3.0"], "'stablehlo.tan' in this form needs portable artifacts of version 1.4.0 or later, the target is 1.3.0"),
        ("%0 = chlo.erf %a : tensor<f32> -> tensor<f32>", [], "'chlo.erf' is not an operation of portable artifacts"),
        ("%0 = stablehlo.tan %a {x.y = affine_map<(d) -> (d)>} : tensor<f32>", [], "which has no form in portable artifacts"),
        ("%0 = stablehlo.tan %a : tensor<f32>", ["--target=2.0.0"], "--target '2.0.0' is not a version from 0.9.0 to 1.22.0, nor current or minimum"),
        ("%0 = stablehlo.tan %a : tensor<f16>", [], "expects different type"),
    ],
)
def test_messages(tmp_path, body, flags, said):
    (tmp_path / "p.mlir").write_text(f"func.func @main(%a: tensor<f32>) {{ {body}\n return }}")
    ran = serialize(*flags, tmp_path / "p.mlir", "-o", tmp_path / "out")
    assert ran.returncode == 2 and said in ran.stderr and ran.stderr.count("error: ") == 1, ran.stderr
    assert not (tmp_path / "out").exists()


def test_a_missing_file(tmp_path):
    ran = serialize(tmp_path / "none.mlir")
    assert ran.returncode == 2 and "assay-opt: error: cannot open input file" in ran.stderr, ran.stderr
