"""dot_general by an algorithm, against NumPy emulations of it: factors rounded or split, sums in the requested type."""
import numpy as np
import pytest


def rounded(x, digits):
    """Rounded to this many significant bits, ties to even (no number here is near the ends of the range)."""
    m, e = np.frexp(np.asarray(x, np.float64))
    return np.ldexp(np.rint(np.ldexp(m, digits)), e - digits)


def parts(x, digits, count):
    out, rest = [], np.asarray(x, np.float64)
    for _ in range(count):
        out.append(rounded(rest, digits))
        rest = rest - out[-1]
    return out


DIGITS = {"tf32": 11, "bf16": 8, "f16": 11}
PAIRS = {1: [(0, 0)], 3: [(0, 0), (0, 1), (1, 0)], 6: [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (2, 0)],
         9: [(i, j) for i in range(3) for j in range(3)]}


def emulate(a, b, factor, products):
    count = {1: 1, 3: 2, 6: 3, 9: 3}[products]
    x, y = parts(a, DIGITS[factor], count), parts(b, DIGITS[factor], count)
    return sum(x[i] @ y[j] for i, j in PAIRS[products])


def program(factor, products, accumulation="f32", imprecise="false", a="f32", result="f32"):
    return f"""func.func @main(%a: tensor<8x64x{a}>, %b: tensor<64x6x{a}>) -> tensor<8x6x{result}> {{
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT],
    algorithm = <lhs_precision_type = {factor}, rhs_precision_type = {factor}, accumulation_type = {accumulation}, lhs_component_count = 1,
    rhs_component_count = 1, num_primitive_operations = {products}, allow_imprecise_accumulation = {imprecise}>
    : (tensor<8x64x{a}>, tensor<64x6x{a}>) -> tensor<8x6x{result}>
  return %0 : tensor<8x6x{result}>
}}
"""


def factors(seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((8, 64)).astype(np.float32), rng.standard_normal((64, 6)).astype(np.float32)


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("factor,products", [("tf32", 1), ("tf32", 3), ("bf16", 1), ("bf16", 3), ("bf16", 6), ("bf16", 9), ("f16", 1)])
def test_sums_in_f32(tmp_path, assay, factor, products, engine):
    a, b = factors()
    exact = emulate(a, b, factor, products)
    (tmp_path / "p.mlir").write_text(program(factor, products))
    np.savez(tmp_path / "in.npz", in0=a, in1=b, out0=exact.astype(np.float32))
    run = ["run", "p.mlir", "--input", "in.npz", "--engine", engine, "--expect", "in.npz", "--rule"]
    ran = assay(*run, "ulp:0")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert assay(*run, "bound").returncode == 0
    np.savez(tmp_path / "in.npz", in0=a, in1=b, out0=exact.astype(np.float32) * np.float32(1 + 1e-3))
    assert assay(*run, "bound").returncode == 1
    if products == 1:  # differs from the plain product
        np.savez(tmp_path / "in.npz", in0=a, in1=b, out0=a @ b)
        assert assay(*run, "bound").returncode == 1


def test_sums_in_a_narrow_type(tmp_path, assay):
    a, b = factors(1)
    a, b = rounded(a, 11).astype(np.float16), rounded(b, 11).astype(np.float16)
    narrow = np.zeros((8, 6), np.float16)
    for k in range(64):
        narrow = (narrow + a[:, k:k + 1] * b[k:k + 1]).astype(np.float16)
    (tmp_path / "p.mlir").write_text(program("f16", 1, "f16", a="f16", result="f32"))
    np.savez(tmp_path / "in.npz", in0=a, in1=b, out0=narrow.astype(np.float32))
    ran = assay("run", "p.mlir", "--input", "in.npz", "--expect", "in.npz", "--rule", "bound")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    np.savez(tmp_path / "in.npz", in0=a, in1=b, out0=(narrow + np.float16(1)).astype(np.float32))
    assert assay("run", "p.mlir", "--input", "in.npz", "--expect", "in.npz", "--rule", "bound").returncode == 1


def test_what_cannot_be_computed_is_named(tmp_path, assay):
    (tmp_path / "p.mlir").write_text(program("bf16", 1, a="complex<f32>", result="complex<f32>"))
    ran = assay("run", "p.mlir", "--input", "random")
    assert ran.returncode == 2 and "is computed on floats only" in ran.stderr
