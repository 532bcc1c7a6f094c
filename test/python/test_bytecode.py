"""Programs as bytecode: portable artifacts of several versions, files of jax.export, and bytecode of StableHLO, compared with jaxlib, which
reads and writes all of them with upstream's code."""
import io
import os
import pathlib
import random
import subprocess

import numpy
import pytest

jax = pytest.importorskip("jax")
from jax._src.interpreters import mlir as jax_mlir  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.dialects import stablehlo  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parents[1] / "programs"
NAMES = ("cnn_gradients", "complex_fft", "convolution_kinds", "embedding_gather_scatter", "fp8_matmul", "int8_matmul", "linear_algebra",
         "lstm_scan", "newton_while", "switch_case", "transformer_block_bf16")
# jaxlib's MLIR writes constants of 8-bit floats in a form that MLIR 22 lacks; portable artifacts have no such forms.
NEWER = ("fp8_matmul",)
# Assay's printer shows the accuracy that upstream's omits.
DEFAULT = " <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}>"


@pytest.fixture(scope="module")
def context():
    return jax_mlir.make_ir_context()


def generic(module):
    return module.operation.get_asm(print_generic_op_form=True).replace(DEFAULT, "")


def opt(*words):
    program = os.path.join(os.environ["ASSAY_BIN"], "assay-opt")
    ran = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stdout


@pytest.mark.parametrize("name", NAMES)
def test_the_same_program_in_every_form(tmp_path, assay, context, name):
    text = (PROGRAMS / f"{name}.mlir").read_text()
    module = ir.Module.parse(text, context)
    theirs, file = io.BytesIO(), tmp_path / "p.mlirbc"
    module.operation.write_bytecode(theirs)
    file.write_bytes(theirs.getvalue())
    expected = generic(module)
    if name not in NEWER:
        assert generic(ir.Module.parse(opt("--mlir-print-op-generic", file), context)) == expected
    opt("--emit-bytecode", PROGRAMS / f"{name}.mlir", "-o", tmp_path / "ours.mlirbc")
    assert generic(ir.Module.parse((tmp_path / "ours.mlirbc").read_bytes(), context)) == expected
    versions = 0
    for version in ("0.9.0", "0.17.0", "1.0.0", "1.8.0", stablehlo.get_current_version()):
        try:
            artifact = stablehlo.serialize_portable_artifact(ir.Module.parse(text, context), version)
        except Exception:  # the version lacks an operation that the program uses
            continue
        versions += 1
        file.write_bytes(artifact)
        read = opt("--vhlo-legalize-to-stablehlo", "--mlir-print-op-generic", file)
        assert generic(ir.Module.parse(read, context)) == generic(stablehlo.deserialize_portable_artifact(context, artifact)), version
    assert versions >= 1
    data = PROGRAMS / f"{name}.npz"
    ran = assay("run", file, "--input", data, "--expect", data, "--quiet")
    assert ran.returncode == 0 and "0 failed" in ran.stdout, ran.stdout + ran.stderr


RAGGED = ("lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
          "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]")
CHLO = {
    "top_k": """%a: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %v, %i = chlo.top_k(%a, k = 2) : tensor<4x6xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %v, %i : tensor<4x2xf32>, tensor<4x2xi32> }""",
    "broadcast_compare": """%a: tensor<4xf32>) -> tensor<4xi1> {
  %0 = chlo.broadcast_compare %a, %a {comparison_direction = #chlo<comparison_direction GE>, compare_type = #chlo<comparison_type TOTALORDER>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0: tensor<4xi1> }""",
    "constant_like": """%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "chlo.constant_like"(%a) {value = 2.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0: tensor<4xf32> }""",
    "ragged_dot": f"""%a: tensor<5x3xf32>, %b: tensor<2x3x4xf32>, %s: tensor<2xi64>) -> tensor<5x4xf32> {{
  %0 = "chlo.ragged_dot"(%a, %b, %s) {{ragged_dot_dimension_numbers = #chlo.ragged_dot<{RAGGED}>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGH>]}} : (tensor<5x3xf32>, tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32> }}""",
    "erf": """%a: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %0 = chlo.erf %a : tensor<?x6xf32> -> tensor<?x6xf32>
  return %0: tensor<?x6xf32> }""",
}  # fmt: skip


@pytest.mark.parametrize("name", CHLO)
def test_operations_of_chlo_are_read_and_written(tmp_path, context, name):
    text, ours, theirs = "func.func public @main(" + CHLO[name], tmp_path / "ours.mlirbc", tmp_path / "theirs.mlirbc"
    module = ir.Module.parse(text, context)
    with open(theirs, "wb") as out:
        module.operation.write_bytecode(out)
    assert generic(ir.Module.parse(opt("--mlir-print-op-generic", theirs), context)) == generic(module)
    (tmp_path / "p.mlir").write_text(text)
    opt("--emit-bytecode", tmp_path / "p.mlir", "-o", ours)
    assert generic(ir.Module.parse(ours.read_bytes(), context)) == generic(module)


def test_groups_along_axes_of_a_mesh(tmp_path, context):
    """The forms that shard_map of newer JAX makes: the axes of a mesh, whole and in part, and groups of numbers; a mesh by name and one in full."""
    mesh = '#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 2>], device_ids = dense<[3, 1, 0, 2]> : tensor<4xi64>>'
    gather = '%{0} = "stablehlo.all_gather"(%a) <{{all_gather_dim = 1 : i64, replica_groups = {1}}}> : (tensor<2x3xf32>) -> tensor<2x6xf32>'
    groups = (
        "dense<[[0, 1]]> : tensor<1x2xi64>",
        '#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>',
        '#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>',
        f'#stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = [#stablehlo.axis_ref<name = "y">]>',
    )
    text = "func.func private @m()\nfunc.func public @main(%a: tensor<2x3xf32>) {\n" + "\n".join(gather.format(i, one) for i, one in enumerate(groups)) + "\nreturn }"
    module = ir.Module.parse(text, context)
    ours, theirs = tmp_path / "ours.mlirbc", tmp_path / "theirs.mlirbc"
    with open(theirs, "wb") as out:
        module.operation.write_bytecode(out)
    assert generic(ir.Module.parse(opt("--mlir-print-op-generic", theirs), context)) == generic(module)
    (tmp_path / "p.mlir").write_text(text)
    opt("--emit-bytecode", tmp_path / "p.mlir", "-o", ours)
    assert generic(ir.Module.parse(ours.read_bytes(), context)) == generic(module)


def exported():
    from jax import export
    from jax import numpy as jnp

    def f(x, w):
        y = jax.nn.gelu(x @ w)
        mask = y > 0.1
        z = jnp.where(mask, y, jnp.log1p(jnp.abs(y)))[jnp.argsort(y[:, 0])]
        table = jnp.array([True, False, True, True, False, True, True, True, False, True])
        return z, jax.lax.fori_loop(0, 3, lambda i, a: a * 1.5 + i, z), jnp.cumsum(z, 0), mask[:, 0] ^ table[:8], jax.random.bits(jax.random.key(0), (3,))

    rng = numpy.random.default_rng(0)
    arguments = rng.standard_normal((8, 5)).astype("f"), rng.standard_normal((5, 8)).astype("f")
    return export.export(jax.jit(f))(*arguments), arguments, jax.jit(f)(*arguments)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    program, arguments, results = exported()
    (folder / "f.mlirbc").write_bytes(program.mlir_module_serialized)
    (folder / "f.jax").write_bytes(program.serialize())
    numpy.savez(folder / "f.npz", **{f"in{i}": a for i, a in enumerate(arguments)}, **{f"out{i}": numpy.asarray(r) for i, r in enumerate(results)})
    return folder


@pytest.mark.parametrize("name", ["f.mlirbc", "f.jax"])
def test_what_jax_exports_runs(assay, files, name):
    ran = assay("run", files / name, "--input", files / "f.npz", "--expect", files / "f.npz")
    assert ran.returncode == 0 and "checks: 5 passed, 0 failed" in ran.stdout, ran.stdout + ran.stderr


def test_in_process(files):
    import assay

    data = numpy.load(files / "f.npz")
    results = assay.load(str(files / "f.mlirbc"))(data["in0"], data["in1"])
    numpy.testing.assert_allclose(results[0], data["out0"], rtol=1e-5, atol=1e-6)


def test_damaged_artifacts_are_one_message(tmp_path, assay, files):
    codes = []
    for number in range(100):
        draw = random.Random(number)
        content = bytearray((files / draw.choice(["f.mlirbc", "f.jax"])).read_bytes())
        for _ in range(draw.choice((1, 2, 4))):
            at = draw.randrange(len(content))
            kind = draw.randrange(3)
            if kind == 0:
                content[at] ^= 1 << draw.randrange(8)
            elif kind == 1:
                del content[at : at + draw.randrange(1, 40)]
            else:
                content[at:at] = draw.randbytes(draw.randrange(1, 9))
        (tmp_path / "bad").write_bytes(content)
        ran = assay("run", "bad", "--input", files / "f.npz", "--max-seconds", "5", "--quiet")
        codes.append(ran.returncode)
        assert ran.returncode in (0, 2), (number, ran.returncode, ran.stderr[-500:])
        assert ran.returncode == 0 or ran.stderr.startswith("assay: error: "), (number, ran.stderr)
    assert codes.count(2) > 70


def test_messages(tmp_path, assay):
    for content, said in ((b"ML\xefR", "bytecode"), (b"ML\xefR\x06StableHLO_v1.10.0\0" + bytes(100), "bytecode"), (b"\x93NUMPY\0\0", "is a binary file")):
        (tmp_path / "bad").write_bytes(content)
        ran = assay("run", "bad", "--input", "random")
        assert ran.returncode == 2 and said in ran.stderr and ran.stderr.count("assay: error") == 1, ran.stderr
