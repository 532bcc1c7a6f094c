"""Every elementwise operation against JAX on the CPU: random shapes and element types, edge values included.

The program is one operation over arguments, run by `assay run` on tensors saved by NumPy. XLA flushes subnormal numbers to
zero, so the inputs and results compared here are normal; its functions are within a few ulp of the exact value (sinh, cosh
and the special functions within a few dozen), so the bounds below are XLA's, not Assay's: test/reference has the tight ones.
"""
import os
import pathlib
import subprocess

import ml_dtypes
import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is the peer of this test")
from jax import lax  # noqa: E402

jax.config.update("jax_enable_x64", True)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ASSAY = pathlib.Path(os.environ.get("ASSAY_BIN", ROOT / "build" / "release" / "bin")) / "assay"
SEED = 20240607

TYPES = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "ui8": np.uint8,
         "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64, "bf16": ml_dtypes.bfloat16, "f16": np.float16,
         "f32": np.float32, "f64": np.float64, "complex<f32>": np.complex64, "complex<f64>": np.complex128}
INTEGERS = [t for t in TYPES if t[0] in "u" or t in ("i8", "i16", "i32", "i64")]
SIGNED = ["i8", "i16", "i32", "i64"]
FLOATS = ["bf16", "f16", "f32", "f64"]
COMPLEX = ["complex<f32>", "complex<f64>"]
BITS = INTEGERS + ["i1"]

AWAY, EVEN = lax.RoundingMethod.AWAY_FROM_ZERO, lax.RoundingMethod.TO_NEAREST_EVEN

# operation: (JAX's function, element types, bound in ulp, domain of the values)
UNARY = {
    "abs": (lax.abs, SIGNED + FLOATS, 0, "any"), "negate": (lax.neg, INTEGERS + FLOATS + COMPLEX, 0, "any"),
    "sign": (lax.sign, SIGNED + FLOATS, 0, "any"), "not": (lax.bitwise_not, BITS, 0, "any"),
    "popcnt": (lax.population_count, INTEGERS, 0, "any"), "count_leading_zeros": (lax.clz, INTEGERS, 0, "any"),
    "ceil": (lax.ceil, FLOATS, 0, "any"), "floor": (lax.floor, FLOATS, 0, "any"),
    "round_nearest_afz": (lambda x: lax.round(x, AWAY), FLOATS, 0, "any"),
    "round_nearest_even": (lambda x: lax.round(x, EVEN), FLOATS, 0, "any"),
    "is_finite": (lax.is_finite, FLOATS, 0, "any"), "real": (lax.real, COMPLEX, 0, "any"),
    "imag": (lax.imag, COMPLEX, 0, "any"), "exponential": (lax.exp, FLOATS, 3, "small"),
    "exponential_minus_one": (lax.expm1, FLOATS, 4, "small"), "log": (lax.log, FLOATS, 3, "positive"),
    "log_plus_one": (lax.log1p, FLOATS, 6, "positive"), "logistic": (lax.logistic, FLOATS, 6, "small"),
    "sine": (lax.sin, FLOATS, 3, "small"), "cosine": (lax.cos, FLOATS, 3, "small"), "tan": (lax.tan, FLOATS, 4, "small"),
    "tanh": (lax.tanh, FLOATS, 8, "small"), "sqrt": (lax.sqrt, FLOATS, 1, "positive"),
    "rsqrt": (lax.rsqrt, FLOATS, 3, "positive"), "cbrt": (lax.cbrt, FLOATS, 4, "any"),
}
CHLO_UNARY = {
    "acos": (lax.acos, FLOATS, 8, "unit"), "acosh": (lax.acosh, FLOATS, 16, "large"), "asin": (lax.asin, FLOATS, 8, "unit"),
    "asinh": (lax.asinh, FLOATS, 16, "small"), "atan": (lax.atan, FLOATS, 8, "any"), "atanh": (lax.atanh, FLOATS, 16, "unit"),
    "cosh": (lax.cosh, FLOATS, 64, "small"), "sinh": (lax.sinh, FLOATS, 64, "small"), "conj": (lax.conj, COMPLEX, 0, "any"),
    "square": (lax.square, FLOATS, 0, "small"), "erf": (lax.erf, FLOATS, 8, "small"), "erfc": (lax.erfc, FLOATS, 64, "small"),
    "erf_inv": (lax.erf_inv, FLOATS, 32, "unit"), "digamma": (lax.digamma, FLOATS, 64, "large"),
    "lgamma": (lax.lgamma, FLOATS, 64, "large"), "bessel_i1e": (lax.bessel_i1e, FLOATS, 16, "small"),
}
BINARY = {
    "add": (lax.add, INTEGERS + FLOATS + COMPLEX, 0, "any"), "subtract": (lax.sub, INTEGERS + FLOATS + COMPLEX, 0, "any"),
    "multiply": (lax.mul, INTEGERS + FLOATS, 0, "small"), "divide": (lax.div, INTEGERS + FLOATS, 0, "small"),
    "remainder": (lax.rem, INTEGERS + FLOATS, 0, "small"), "maximum": (lax.max, INTEGERS + FLOATS, 0, "any"),
    "minimum": (lax.min, INTEGERS + FLOATS, 0, "any"), "and": (lax.bitwise_and, BITS, 0, "any"),
    "or": (lax.bitwise_or, BITS, 0, "any"), "xor": (lax.bitwise_xor, BITS, 0, "any"),
    "shift_left": (lax.shift_left, INTEGERS, 0, "shift"), "power": (lax.pow, ["f32", "f64"], 4, "positive"),
    "shift_right_logical": (lax.shift_right_logical, INTEGERS, 0, "shift"),
    "shift_right_arithmetic": (lax.shift_right_arithmetic, INTEGERS, 0, "shift"), "atan2": (lax.atan2, FLOATS, 4, "small"),
}
CHLO_BINARY = {"next_after": (lax.nextafter, ["bf16", "f16", "f32", "f64"], 0, "small"),
               "zeta": (lax.zeta, ["f32", "f64"], 64, "large")}
WITHOUT_PEER = ["mulhi", "polygamma", "is_inf", "is_pos_inf", "is_neg_inf", "constant_like", "_asin_acos_kernel"]


def values(rng, kind, shape, domain):
    dtype = TYPES[kind]
    if kind == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    if kind.startswith("complex"):
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    if kind in INTEGERS:
        info = np.iinfo(dtype)
        if domain == "shift":
            return np.where(rng.random(shape) < 0.5, rng.integers(0, min(info.max, 70), shape),
                            rng.integers(0, info.max, shape, dtype=dtype)).astype(dtype)
        out = rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
        edge = np.array([info.min, info.max, 0, 1, info.max // 2], dtype)
        return np.where(rng.random(shape) < 0.3, rng.choice(edge, shape), out).astype(dtype)
    normal = rng.normal(size=shape)
    if domain == "unit":
        return rng.uniform(-0.99, 0.99, shape).astype(dtype)
    if domain == "positive":
        return (np.abs(normal) * rng.choice([0.01, 1, 30], shape) + 2.0**-10).astype(dtype)
    if domain == "large":
        return (1.5 + np.abs(normal) * 8).astype(dtype)
    out = normal * rng.choice([0.01, 1, 4], shape)
    if domain == "any":
        out = np.where(rng.random(shape) < 0.2, rng.choice([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 2.5], shape), out)
    return out.astype(dtype)


def ordered(x):
    """The bit patterns of floats as integers in the numbers' order (both zeros are 0)."""
    bits = x.view({2: np.int16, 4: np.int32, 8: np.int64}[x.dtype.itemsize]).astype(object)
    return np.where(bits < 0, -(bits + (1 << (8 * x.dtype.itemsize - 1))), bits)


def distance(got, want):
    if got.dtype.kind == "c":
        return max(distance(got.real.copy(), want.real.copy()), distance(got.imag.copy(), want.imag.copy()))
    if got.dtype.kind in "biu":
        return 0 if (got == want).all() else float("inf")
    got, want = np.ravel(got), np.ravel(want)
    nan = np.isnan(got.astype(np.float64)) & np.isnan(want.astype(np.float64))
    return max((int(d) for d in np.abs(ordered(got) - ordered(want))[~nan]), default=0)


def stored(array):
    """bf16 has no NumPy type of its own: its bits, which assay reads by the program's type."""
    return array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array


def part(dialect, op, index, dims, operands, operand, result):
    """(arguments, line, result, its type) of one operation in the program of all types."""
    names = [f"%a{index}_{i}" for i in range(operands)]
    types = ", ".join([f"tensor<{dims}{operand}>"] * operands)
    line = f'  %r{index} = "{dialect}.{op}"({", ".join(names)}) : ({types}) -> tensor<{dims}{result}>\n'
    return [f"{name}: tensor<{dims}{operand}>" for name in names], line, f"%r{index}", f"tensor<{dims}{result}>"


def check(tmp_path, dialect, op, entry, arity):
    function, kinds, bound, domain = entry
    parts, inputs, expected = [], {}, []
    for index, kind in enumerate(kinds):
        rng = np.random.default_rng([SEED, index, *op.encode()])
        shape = tuple(int(n) for n in rng.integers(1, 20, rng.integers(0, 4)))
        operands = [values(rng, kind, shape, domain) for _ in range(arity)]
        want = np.asarray(function(*operands))
        result = next(name for name, dtype in TYPES.items() if np.dtype(dtype) == want.dtype)
        parts.append(part(dialect, op, index, "".join(f"{n}x" for n in shape), arity, kind, result))
        inputs |= {f"in{len(inputs) + i}": stored(operand) for i, operand in enumerate(operands)}
        expected.append((kind, shape, want))
    arguments, lines, results, types = zip(*parts, strict=True)
    program = (f"func.func @main({', '.join(name for names in arguments for name in names)}) -> ({', '.join(types)}) {{\n{''.join(lines)}"
               f"  func.return {', '.join(results)} : {', '.join(types)}\n}}\n")
    (tmp_path / "program.mlir").write_text(program)
    np.savez(tmp_path / "in.npz", **inputs)
    command = [str(ASSAY), "run", str(tmp_path / "program.mlir"), "--input", str(tmp_path / "in.npz"), "--output",
               str(tmp_path / "out.npz"), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{done.stderr}\n{program}"
    outputs, failures = np.load(tmp_path / "out.npz"), []
    assert len(outputs.files) == len(expected)
    for index, (kind, shape, want) in enumerate(expected):
        got = outputs[f"out{index}"]
        got = got.view(want.dtype) if got.dtype.itemsize == want.dtype.itemsize and got.dtype != want.dtype else got
        far = distance(got, want)
        if far > bound:
            failures.append(f"{kind} {shape}: {far} ulp, allowed {bound}")
    assert not failures, "\n".join(failures)


CASES = ([("stablehlo", op, entry, 1) for op, entry in UNARY.items()] + [("chlo", op, entry, 1) for op, entry in CHLO_UNARY.items()]
         + [("stablehlo", op, entry, 2) for op, entry in BINARY.items()]
         + [("chlo", op, entry, 2) for op, entry in CHLO_BINARY.items()])


@pytest.mark.parametrize("dialect,op,entry,arity", CASES, ids=[c[1] for c in CASES])
def test_against_jax(tmp_path, dialect, op, entry, arity):
    check(tmp_path, dialect, op, entry, arity)


@pytest.mark.parametrize("op", WITHOUT_PEER)
def test_without_peer(op):
    pytest.skip(f"JAX's lax has no function that is {op}; test/reference/{op}.mlir covers it")
