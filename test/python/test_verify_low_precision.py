"""`assay verify` in types of 8 bits and fewer: every type reaches an engine and passes, block scales are computed as in ml_dtypes and
NumPy, faults are detected, and 4-bit elements share bytes in the data of a Python kernel's process."""

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BIN = pathlib.Path(os.environ.get("ASSAY_BIN", ROOT / "build/release/bin"))
EXAMPLE = f"plugin:{BIN.parent / 'lib' / 'libassay_example.so'}"
TYPES = ["f8_e4m3", "f8_e5m2", "f4_e2m1", "f8_e3m4", "f8_e4m3_ieee", "f8_e4m3fnuz", "f8_e4m3b11fnuz", "f8_e5m2fnuz", "f6_e2m3",
         "f6_e3m2", "s4", "s2"]  # fmt: skip
MX = "--dt=f4_e2m1:f4_e2m1:f32 --attr-scales=src:per_tensor:e8m0:1x32+wei:per_tensor:e8m0:32x1"
NVFP4 = "--dt=f4_e2m1:f4_e2m1:bf16 --attr-scales=src:per_tensor:f8_e4m3:1x16+src:common:0.5+wei:per_tensor:f8_e4m3:16x1+wei:common:0.25"
GROUPED = "--dt=bf16:u4:bf16 --attr-scales=wei:per_ocic:f16:16x1 --attr-zero-points=wei:per_ocic:u4:16x1"
KERNELS = """
    import numpy

    def plain(src, wei):
        return (src.astype(numpy.float32) @ wei.astype(numpy.float32))

    def swapped(src, wei):  # as if the first element of a byte were its upper half
        pairs = wei.reshape(wei.shape[0], -1, 2)[:, :, ::-1].reshape(wei.shape)
        return plain(src, pairs)

    def blocks(src, wei, scale_src, scale_wei):
        wide = lambda x, axis: numpy.repeat(x.astype(numpy.float32), 32, axis)
        return (src.astype(numpy.float32) * wide(scale_src, 1)) @ (wei.astype(numpy.float32) * wide(scale_wei, 0))

    def known(src, wei, scale_src, scale_wei, problem=None):
        return blocks(src, wei, scale_src, scale_wei)
"""


def verify(words, engine=EXAMPLE, fault="", *more):
    run = subprocess.run([BIN / "assay", "verify", f"--engine={engine}", *more, *words.split()], capture_output=True, text=True,
                         env={**os.environ, "ASSAY_EXAMPLE_FAULT": fault, "ASSAY_PYTHON": sys.executable})
    return run.returncode, run.stdout + run.stderr


@pytest.mark.parametrize("engine", [EXAMPLE, "reference", "native"])
def test_every_type_passes_as_a_factor(engine):
    code, said = verify(f"--matmul --dt={','.join(f'{name}:{name}:f32' for name in TYPES)} 5x64:64x7", engine)
    assert code == 0, said
    assert f"tests:{len(TYPES)} passed:{len(TYPES)}" in said


@pytest.mark.parametrize("engine", [EXAMPLE, "native"])
def test_every_type_passes_as_a_result(engine):
    code, said = verify(f"--matmul --dt={','.join(f'f32:f32:{name}' for name in TYPES if name != 's2')} 9x64:64x7", engine)
    assert code == 0, said


@pytest.mark.parametrize("engine", [EXAMPLE, "reference", "native"])
@pytest.mark.parametrize("words", [MX, NVFP4, GROUPED])
def test_block_scales_pass(engine, words):
    code, said = verify(f"--matmul {words} 5x64:64x6", engine)
    assert code == 0, said


@pytest.mark.parametrize("words, fault", [
    (MX, "block_next"), (MX, "block_last"), (MX, "block_offset"), (MX, "scale_exponent"), (MX, "scale_twice"), (NVFP4, "scale_mantissa"),
    (NVFP4, "global_ignored"), (GROUPED, "zp_block"), (GROUPED, "zp_after_scale"), (GROUPED, "nibble_swapped"),
    ("--dt=s8:s4:s4", "wrap"), ("--dt=f8_e4m3:f8_e4m3:f8_e4m3", "truncate")])  # fmt: skip
def test_faults_are_seen(words, fault):
    code, said = verify(f"--matmul {words} 32x256:256x48", EXAMPLE, fault)
    assert code == 1 and "0:FAILED" in said, said


STOCHASTIC = "--dt=bf16 --attr-rounding-mode=dst:stochastic"


@pytest.mark.parametrize("types", ["bf16", "f16", "bf16:bf16:f8_e4m3", "f8_e5m2", "s8:s8:s8"])
def test_stochastic_rounding_passes(types):
    code, said = verify(f"--matmul --attr-rounding-mode=dst:stochastic --attr-scales=src:common:0.3 --dt={types} 32x64:64x48")
    assert code == 0, said
    assert "--attr-rounding-mode=dst:stochastic" in said


@pytest.mark.parametrize("fault, text", [("stochastic_nearest", "the nearer one was taken too often"), ("stochastic_biased", "are rounded up"),
                                         ("stochastic_even", "standard deviations"), ("drop_k", "are wrong")])  # fmt: skip
def test_what_is_not_random_fails(fault, text):
    code, said = verify(f"--matmul {STOCHASTIC} 96x256:256x96", EXAMPLE, fault)
    assert code == 1 and text in said, said


def test_engines_that_round_to_nearest_say_so():
    assert "rounds to nearest, never at random" in verify(f"--matmul {STOCHASTIC} 4x5:5x6", "native")[1]
    assert "UNIMPLEMENTED (--attr-rounding-mode=dst:stochastic)" in verify(f"--eltwise {STOCHASTIC} 4x5", "native")[1]


@pytest.fixture
def kernels(tmp_path):
    pytest.importorskip("assay._assay")
    path = tmp_path / "kernels.py"
    path.write_text(textwrap.dedent(KERNELS))
    return f"python:{path}"


@pytest.mark.parametrize("types", ["s4:s4:f32", "u4:s4:f32", "s2:u2:f32", "f4_e2m1:f4_e2m1:f32", "f8_e4m3:f8_e5m2:f32", "f6_e2m3:f6_e3m2:f32"])
def test_a_python_kernel_gets_ml_dtypes(kernels, types):
    code, said = verify(f"--matmul --dt={types} --wtag=ba 5x32:32x7", f"{kernels}:plain")
    assert code == 0, said


def test_a_python_kernel_with_exchanged_halves_fails(kernels):
    assert verify("--matmul --dt=s4:s4:f32 5x32:32x8", f"{kernels}:swapped")[0] == 1


def test_numpy_agrees_on_mx(kernels):
    code, said = verify(f"--matmul {MX} 5x64:64x8", f"{kernels}:known")
    assert code == 0, said


@pytest.mark.parametrize("words, status, text", [
    ("--matmul --attr-scales=wei:per_ocic:e8m0:24x1 4x64:64x8", "INVALID_ARGUMENTS", "groups of 24 elements do not divide dimension 0"),
    ("--matmul --dt=e8m0:f32:f32 4x64:64x8", "INVALID_ARGUMENTS", "e8m0, which is for scales"),
    ("--matmul --attr-scales=wei:per_ocic:s8:32x1 4x64:64x8", "INVALID_ARGUMENTS", "has type s8; scales are floats"),
    ("--matmul --attr-scales=wei:common:2+wei:common:4 4x64:64x8", "INVALID_ARGUMENTS", "two scales of 'wei'"),
    ("--matmul --dt=f4_e3m0 4x64:64x8", "UNIMPLEMENTED", "data type f4_e3m0")])  # fmt: skip
def test_what_contradicts_is_said(words, status, text):
    _, said = verify(words, "reference")
    assert f"0:{status} (" in said and text in said, said


@pytest.fixture
def without_ml_dtypes(tmp_path):
    """The environment of a Python that lacks the package."""
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "ml_dtypes.py").write_text("raise ImportError('not here')\n")
    return {**os.environ, "ASSAY_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join([str(tmp_path / "hidden"), os.environ["PYTHONPATH"]])}


LACKS = f"which {sys.executable} lacks ({sys.executable} -m pip install ml_dtypes)"


@pytest.mark.parametrize("types, name", [("bf16", "bfloat16"), ("f8_e4m3:f8_e4m3:f32", "float8_e4m3fn"), ("s4:s4:f32", "int4")])
def test_verify_says_which_python_lacks_ml_dtypes(kernels, without_ml_dtypes, types, name):
    words = [os.path.join(os.environ["ASSAY_BIN"], "assay"), "verify", f"--engine={kernels}:plain", "--matmul", f"--dt={types}", "5x32:32x7"]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=120, env=without_ml_dtypes)
    assert ran.returncode == 3 and f"0:SKIPPED (arrays of {name} need the package ml_dtypes, {LACKS})" in ran.stdout, ran.stdout + ran.stderr


def test_check_says_which_python_lacks_ml_dtypes(without_ml_dtypes):
    script = """
import assay
text = "func.func @main(%x: tensor<8xbf16>) -> tensor<8xbf16> { return %x : tensor<8xbf16> }"
try:
    print(assay.check(lambda x: x.copy(), text, assay.bf16[8], framework="numpy"))
except (ImportError, ValueError) as error:
    print("raised:", error)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, env=without_ml_dtypes)
    assert ran.stdout.startswith("raised:") and f"arrays of bfloat16 need the package ml_dtypes, {LACKS}" in ran.stdout, ran.stdout + ran.stderr
