"""Quantised operations against NumPy: storage integers in and out, the specification's formulas written out with f32 arithmetic.

Every program bitcasts plain integers to the quantised type and back, so that the stored integers are compared exactly.
"""
import itertools

import ml_dtypes
import numpy as np
import pytest

import assay

F32 = np.float32


class Q:
    """A quantised type: storage bits and sign, scales and zero points, for the tensor or along `axis`."""

    def __init__(self, bits, scales, zeros, signed=True, axis=None, limits=None):
        self.bits, self.signed, self.axis = bits, signed, axis
        self.scales, self.zeros = scales, zeros
        whole = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        self.low, self.high = limits or whole
        storage = f"{'i' if signed else 'u'}{bits}" + (f"<{limits[0]}:{limits[1]}>" if limits else "")
        pairs = [f"{scale!r}:{zero}" for scale, zero in zip(scales, zeros)]
        where, what = ("", pairs[0]) if axis is None else (f":{axis}", "{" + ", ".join(pairs) + "}")
        self.mlir = f"!quant.uniform<{storage}:f32{where}, {what}>"
        self.stored = f"{'i' if signed else 'ui'}{bits}"
        self.dtype = np.dtype(f"{'int' if signed else 'uint'}{max(bits, 8)}")

    def along(self, values, shape):
        if self.axis is None:
            return values[0]
        return np.asarray(values).reshape([-1 if d == self.axis else 1 for d in range(len(shape))])

    def random(self, shape, seed):
        return np.random.default_rng(seed).integers(self.low, self.high, shape, endpoint=True).astype(self.dtype)

    def given(self, stored):
        """The array in the program's type: narrow integers have their own types."""
        name = f"{'int' if self.signed else 'uint'}{self.bits}"
        return stored.astype(getattr(ml_dtypes, name)) if self.bits < 8 else stored

    def dequantize(self, stored):
        difference = stored.astype(np.int64) - self.along(self.zeros, stored.shape)
        return difference.astype(F32) * self.along([F32(s) for s in self.scales], stored.shape)

    def quantize(self, floats):
        floats = np.asarray(floats, F32)
        with np.errstate(all="ignore"):
            moved = floats / self.along([F32(s) for s in self.scales], floats.shape)
            moved = (moved + self.along([F32(z) for z in self.zeros], floats.shape)).astype(F32)
            rounded = np.rint(np.clip(moved, F32(self.low), F32(self.high)))
        rounded = np.where(np.isnan(rounded), 0, rounded).astype(np.float64)
        return np.clip(rounded, self.low, self.high).astype(self.dtype)


def program(op, ins, out, shapes, result_shape, text):
    """A function of stored integers: `text` computes %r of %q0, %q1, ..."""
    dims = ["x".join(map(str, shape)) + ("x" if shape else "") for shape in [*shapes, result_shape]]
    lines = []
    for i, kind in enumerate(ins):
        if isinstance(kind, Q):
            lines.append(f"  %q{i} = stablehlo.bitcast_convert %a{i} : (tensor<{dims[i]}{kind.stored}>) -> tensor<{dims[i]}{kind.mlir}>")
        else:
            lines.append(f"  %q{i} = stablehlo.optimization_barrier %a{i} : tensor<{dims[i]}{kind}>")
    stored = [kind.stored if isinstance(kind, Q) else kind for kind in [*ins, out]]
    arguments = ", ".join(f"%a{i}: tensor<{d}{s}>" for i, (d, s) in enumerate(zip(dims[:-1], stored)))
    result = f"tensor<{dims[-1]}{stored[-1]}>"
    last = "%r"
    types = [f"tensor<{d}{kind.mlir if isinstance(kind, Q) else kind}>" for d, kind in zip(dims, [*ins, out])]
    lines.append("  " + text.format(op=op, types=", ".join(types[:-1]), result=types[-1], t=types))
    if isinstance(out, Q):
        lines.append(f"  %s = stablehlo.bitcast_convert %r : ({types[-1]}) -> {result}")
        last = "%s"
    return f"func.func @main({arguments}) -> {result} {{\n" + "\n".join(lines) + f"\n  func.return {last} : {result}\n}}\n"


ELEMENTWISE = '%r = "stablehlo.{op}"(%q0) : ({types}) -> {result}'
BINARY = '%r = "stablehlo.{op}"(%q0, %q1) : ({types}) -> {result}'


def wide(function):
    """The function in f64, rounded to f32 once."""
    return lambda *xs: function(*(np.asarray(x, np.float64) for x in xs)).astype(F32)


UNARY = {
    "abs": np.abs, "negate": np.negative, "ceil": np.ceil, "floor": np.floor, "sign": np.sign,
    "round_nearest_even": np.rint, "cosine": wide(np.cos), "sine": wide(np.sin), "tanh": wide(np.tanh),
    "exponential": wide(np.exp), "exponential_minus_one": wide(np.expm1), "cbrt": wide(np.cbrt),
    "logistic": wide(lambda x: 1 / (1 + np.exp(-x))), "sqrt": wide(lambda x: np.sqrt(x)),
}
TYPES = [
    Q(8, [0.05], [-3]), Q(8, [0.02], [128], signed=False), Q(4, [0.5], [1]), Q(2, [0.75], [0]),
    Q(16, [0.001], [77]), Q(32, [1e-4], [-1000], limits=(-40000, 40000)), Q(8, [0.1], [5], limits=(-100, 90)),
]


@pytest.mark.parametrize("op", UNARY)
def test_unary_operations(op):
    for seed, kind in enumerate(TYPES):
        stored = kind.random((5, 7), seed)
        got = assay.run(program(op, [kind], kind, [(5, 7)], (5, 7), ELEMENTWISE), kind.given(stored))
        with np.errstate(invalid="ignore"):
            want = kind.quantize(UNARY[op](kind.dequantize(stored)))
        np.testing.assert_array_equal(np.asarray(got).astype(kind.dtype), want, f"{op} of {kind.mlir}")


BINARIES = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "maximum": np.maximum,
            "minimum": np.minimum, "atan2": wide(np.arctan2)}


@pytest.mark.parametrize("op", BINARIES)
def test_binary_operations_with_different_scales(op):
    for seed, (bits, signed) in enumerate([(8, True), (8, False), (4, True), (16, True)]):
        kinds = [Q(bits, [scale], [zero], signed) for scale, zero in [(0.25, 1), (0.1, 2), (0.3, 3)]]
        stored = [kinds[i].random((6, 4), 10 * seed + i) for i in range(2)]
        got = assay.run(program(op, kinds[:2], kinds[2], [(6, 4)] * 2, (6, 4), BINARY), *(k.given(s) for k, s in zip(kinds, stored)))
        with np.errstate(all="ignore"):
            want = kinds[2].quantize(BINARIES[op](*(k.dequantize(s) for k, s in zip(kinds, stored))))
        np.testing.assert_array_equal(np.asarray(got).astype(kinds[2].dtype), want, f"{op}, {bits} bits")


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_per_axis(axis):
    shape = (3, 4, 5)
    scales = [0.1 * (i + 1) for i in range(shape[axis])]
    lhs = Q(8, scales, list(range(shape[axis])), axis=axis)
    out = Q(8, scales[::-1], [-i for i in range(shape[axis])], axis=axis)
    stored = [lhs.random(shape, i) for i in range(2)]
    got = assay.run(program("add", [lhs, lhs], out, [shape] * 2, shape, BINARY), *stored)
    np.testing.assert_array_equal(got, out.quantize(lhs.dequantize(stored[0]) + lhs.dequantize(stored[1])))
    got = assay.run(program("uniform_quantize", [lhs], out, [shape], shape, ELEMENTWISE), stored[0])
    np.testing.assert_array_equal(got, out.quantize(lhs.dequantize(stored[0])))


def test_compare_select_and_clamp():
    a, b = Q(8, [0.5], [0]), Q(8, [0.25], [10])
    x, y = a.random((40,), 0), b.random((40,), 1)
    text = '%r = stablehlo.compare LT, %q0, %q1, FLOAT : ({types}) -> {result}'
    got = assay.run(program("", [a, b], "i1", [(40,)] * 2, (40,), text), x, y)
    np.testing.assert_array_equal(got, a.dequantize(x) < b.dequantize(y))
    flags = np.random.default_rng(2).integers(0, 2, 40).astype(bool)
    text = '%r = "stablehlo.select"(%q0, %q1, %q2) : ({types}) -> {result}'
    got = assay.run(program("", ["i1", a, a], a, [(40,)] * 3, (40,), text), flags, x, x[::-1].copy())
    np.testing.assert_array_equal(got, np.where(flags, x, x[::-1]))
    text = '%r = "stablehlo.clamp"(%q0, %q1, %q2) : ({types}) -> {result}'
    low, high = np.int8(-20), np.int8(30)
    got = assay.run(program("", [a, a, a], a, [(), (40,), ()], (40,), text), low, x, high)
    np.testing.assert_array_equal(got, np.clip(x, low, high))


DOT = '%r = stablehlo.dot_general %q0, %q1, contracting_dims = [1] x [0] : ({types}) -> {result}'


@pytest.mark.parametrize("per_axis", [False, True])
def test_dot_general(per_axis):
    lhs = Q(8, [0.05], [-7])
    rhs = Q(8, [0.01 * (i + 1) for i in range(5)], [0] * 5, axis=1) if per_axis else Q(8, [0.02], [0])
    out = Q(32, [1e-3 * (i + 1) for i in range(5)], [0] * 5, axis=1) if per_axis else Q(32, [1e-3], [0])
    a, b = lhs.random((3, 64), 0), rhs.random((64, 5), 1)
    exact = lhs.dequantize(a).astype(np.float64) @ rhs.dequantize(b).astype(np.float64)
    got = assay.run(program("", [lhs, rhs], out, [(3, 64), (64, 5)], (3, 5), DOT), a, b)
    np.testing.assert_array_equal(got, out.quantize(exact.astype(F32)))
    # hybrid: floats on the left, quantised weights on the right
    x = np.random.default_rng(3).standard_normal((3, 64)).astype(F32)
    got = assay.run(program("", ["f32", rhs], "f32", [(3, 64), (64, 5)], (3, 5), DOT), x, b)
    want = (x.astype(np.float64) @ rhs.dequantize(b).astype(np.float64)).astype(F32)
    np.testing.assert_array_max_ulp(np.asarray(got), want, 1)


def test_convolution_pads_with_the_value_zero_not_the_integer_zero():
    lhs, rhs, out = Q(8, [0.5], [100]), Q(8, [0.25], [0]), Q(32, [0.125], [0])
    a, w = lhs.random((1, 6, 6, 1), 0), rhs.random((3, 3, 1, 2), 1)
    text = ('%r = stablehlo.convolution(%q0, %q1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], '
            'window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({types}) -> {result}')
    got = assay.run(program("", [lhs, rhs], out, [a.shape, w.shape], (1, 6, 6, 2), text), a, w)
    x = np.pad(lhs.dequantize(a).astype(np.float64)[0, :, :, 0], 1)
    f = rhs.dequantize(w).astype(np.float64)
    sums = np.zeros((1, 6, 6, 2))
    for i, j in itertools.product(range(3), range(3)):
        sums += x[i:i + 6, j:j + 6][None, :, :, None] * f[i, j, 0]
    np.testing.assert_array_equal(got, out.quantize(sums.astype(F32)))


def test_movers_keep_the_stored_integers():
    kind = Q(8, [0.1], [-30])
    stored = kind.random((3, 4), 0)
    cases = [
        ('%r = stablehlo.transpose %q0, dims = [1, 0] : ({types}) -> {result}', (4, 3), stored.T),
        ('%r = stablehlo.reshape %q0 : ({types}) -> {result}', (12,), stored.reshape(12)),
        ('%r = stablehlo.reverse %q0, dims = [1] : {result}', (3, 4), stored[:, ::-1]),
        ('%r = stablehlo.concatenate %q0, %q0, dim = 0 : ({types}, {types}) -> {result}', (6, 4), np.vstack([stored] * 2)),
        ('%r = stablehlo.slice %q0 [1:3, 0:4:2] : ({types}) -> {result}', (2, 2), stored[1:3, ::2]),
    ]
    for text, shape, want in cases:
        got = assay.run(program("", [kind], kind, [(3, 4)], shape, text), stored)
        np.testing.assert_array_equal(got, want, text)


def test_a_reduction_rounds_at_each_step_of_its_body():
    kind = Q(8, [0.5], [3])
    stored = kind.random((4, 6), 0)
    text = ('%r = "stablehlo.reduce"(%q0, %q1) ({{\n    ^bb0(%x: {t[1]}, %y: {t[1]}):\n      '
            '%z = stablehlo.add %x, %y : {t[1]}\n      stablehlo.return %z : {t[1]}\n    }}) '
            '{{dimensions = array<i64: 1>}} : ({types}) -> {result}')
    got = assay.run(program("", [kind, kind], kind, [(4, 6), ()], (4,), text), stored, np.int8(3))
    want = np.full(4, 3, np.int8)
    for column in range(6):
        want = kind.quantize(kind.dequantize(want) + kind.dequantize(stored[:, column]))
    np.testing.assert_array_equal(got, want)


def test_reduce_precision_looks_at_the_expressed_type():
    kind = Q(16, [0.001], [0])
    stored = kind.random((50,), 0)
    text = "%r = stablehlo.reduce_precision %q0, format = e8m7 : {result}"
    got = assay.run(program("", [kind], kind, [(50,)], (50,), text), stored)
    want = kind.quantize(kind.dequantize(stored).astype(ml_dtypes.bfloat16).astype(F32))
    assert (want != stored).any()
    np.testing.assert_array_equal(got, want)


def test_iota_is_the_quantised_index():
    kind = Q(8, [0.5], [1])
    text = "func.func @main() -> tensor<9xi8> {{\n  %0 = stablehlo.iota dim = 0 : tensor<9x{0}>\n" \
           "  %1 = stablehlo.bitcast_convert %0 : (tensor<9x{0}>) -> tensor<9xi8>\n  func.return %1 : tensor<9xi8>\n}}\n"
    np.testing.assert_array_equal(assay.run(text.format(kind.mlir)), kind.quantize(np.arange(9)))


QUANTIZED_MAIN = """func.func @main(%a: tensor<3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<3x!quant.uniform<i8:f32, 0.5:1>> {
  %0 = stablehlo.add %a, %a : tensor<3x!quant.uniform<i8:f32, 0.5:1>>
  func.return %0 : tensor<3x!quant.uniform<i8:f32, 0.5:1>>
}
"""


def test_quantised_arguments_and_results(assay, tmp_path):
    (tmp_path / "q.mlir").write_text(QUANTIZED_MAIN)
    np.savez(tmp_path / "q.npz", in0=np.int8([1, 5, 100]), out0=np.int8([1, 9, 127]))
    ran = assay("run", "q.mlir", "--input", "q.npz")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "tensor<3x!quant.uniform<i8:f32, 5.000000e-01:1>> {\n  [1, 9, 127]\n}\n"
    ran = assay("run", "q.mlir", "--input", "dense<[1, 5, 100]> : tensor<3xi8>", "--output", "r.npz")
    assert ran.returncode == 0, ran.stderr
    saved = np.load(tmp_path / "r.npz")["out0"]
    assert saved.dtype == np.int8 and saved.tolist() == [1, 9, 127]
    ran = assay("run", "q.mlir", "--input", "q.npz", "--expect", "q.npz")
    assert ran.returncode == 0 and "passed" in ran.stdout
    ran = assay("run", "q.mlir", "--input", "random")
    assert ran.returncode == 0, ran.stderr
    for engine in ["native", "onednn"]:
        ran = assay("run", "q.mlir", "--input", "q.npz", "--engine", engine)
        assert ran.returncode == 0 and "[1, 9, 127]" in ran.stdout, ran.stderr
    np.savez(tmp_path / "f.npz", in0=np.float32([1, 5, 100]))
    ran = assay("run", "q.mlir", "--input", "f.npz")
    assert ran.returncode == 2
    assert "has element type f32, expected !quant.uniform<i8:f32, 5.000000e-01:1>" in ran.stderr


def test_in_process_takes_and_gives_storage_integers():
    got = assay.run(QUANTIZED_MAIN, np.int8([1, 5, 100]))
    assert got.dtype == np.int8 and got.tolist() == [1, 9, 127]
