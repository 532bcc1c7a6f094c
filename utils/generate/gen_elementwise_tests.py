#!/usr/bin/env python3
"""Writes test/reference/<op>.mlir for every elementwise operation.

usage: gen_elementwise_tests.py [--check]

The expected values are computed with Python integers and with mpmath at 400 bits, rounded once to the element type; none is
computed by Assay. Integers, arithmetic and rounding are compared exactly, functions within 1 ulp (f64: 3). One function per
category of types, and one each for special values, a scalar, a splat and an empty tensor. --check writes nothing and exits 1
if a file differs from what would be written. Needs mpmath.
"""
import argparse
import math
import pathlib
import sys

import mpmath as mp

mp.mp.prec = 400
ROOT = pathlib.Path(__file__).resolve().parents[2] / "test" / "reference"
NAN, INF = float("nan"), float("inf")

# name: (bits, precision, smallest exponent of a normal number, largest finite number)
FLOATS = {
    "f8E4M3FN": (8, 4, -6, 448.0), "f8E5M2": (8, 3, -14, 57344.0), "bf16": (16, 8, -126, 2.0**127 * (2 - 2.0**-7)),
    "f16": (16, 11, -14, 65504.0), "f32": (32, 24, -126, 2.0**127 * (2 - 2.0**-23)),
    "f64": (64, 53, -1022, sys.float_info.max),
}
NANS = {"f8E4M3FN": "0x7F", "f8E5M2": "0x7E", "bf16": "0x7FC0", "f16": "0x7E00", "f32": "0x7FC00000",
        "f64": "0x7FF8000000000000"}
INFS = {"f8E5M2": ("0x7C", "0xFC"), "bf16": ("0x7F80", "0xFF80"), "f16": ("0x7C00", "0xFC00"),
        "f32": ("0x7F800000", "0xFF800000"), "f64": ("0x7FF0000000000000", "0xFFF0000000000000")}
SIGNED, UNSIGNED = ["i2", "i4", "i8", "i16", "i32", "i64"], ["ui2", "ui4", "ui8", "ui16", "ui32", "ui64"]
IEEE = ["bf16", "f16", "f32", "f64"]


def bits_of(kind):
    return int(kind.strip("ui"))


def wrap(kind, value):
    bits = bits_of(kind)
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind[0] == "i" and value >> (bits - 1) else value


def rounded(kind, value):
    """The number of the format nearest to an exact one, ties to even; infinity beyond the largest."""
    if isinstance(value, float) and (math.isnan(value) or math.isinf(value) or value == 0):
        return value
    if mp.isnan(value) or mp.isinf(value) or value == 0:
        return float(value)
    _, precision, smallest, largest = FLOATS[kind]
    exponent = max(int(mp.floor(mp.log(abs(value), 2))), smallest) - (precision - 1)
    scaled = mp.mpf(value) / mp.mpf(2) ** exponent
    whole = int(mp.nint(scaled))
    result = mp.mpf(whole) * mp.mpf(2) ** exponent
    if abs(result) > largest:
        return math.copysign(INF if kind in INFS else NAN, result)
    return float(result) if result else math.copysign(0.0, value)


def literal(kind, value):
    if kind == "i1":
        return "true" if value else "false"
    if kind.startswith("complex"):
        part = kind[8:-1]
        return f"({literal(part, value[0])}, {literal(part, value[1])})"
    if kind[0] in "iu":
        return str(value)
    if math.isnan(value):
        return NANS[kind]
    if math.isinf(value):
        return INFS[kind][value < 0]
    text = repr(float(value))
    return text if "." in text else text.replace("e", ".0e")


def dense(kind, values, shape=None):
    text = ", ".join(literal(kind, v) for v in values)
    if shape is None:
        return f"dense<[{text}]> : tensor<{len(values)}x{kind}>"
    return f"dense<{text}> : tensor<{shape}{kind}>"


class File:
    """One test file: collects functions."""

    def __init__(self, op, names, dialect="stablehlo"):
        self.op, self.names, self.dialect, self.text = op, names, dialect, []

    def apply(self, kinds, result, shape, attributes):
        operands = ", ".join(f"%{n}" for n in self.names)
        types = ", ".join(f"tensor<{shape}{k}>" for k in kinds)
        return f'"{self.dialect}.{self.op}"({operands}){attributes} : ({types}) -> tensor<{shape}{result}>'

    def test(self, suffix, kinds, columns, expected, result=None, ulp=0, attributes="", form=None):
        """columns: one list of values per operand. form: None for a vector, "scalar", "splat" or "empty"."""
        result = result or kinds[0]
        count = len(expected)
        shape = {"scalar": "", "splat": "3x2x", "empty": "0x3x"}.get(form, f"{count}x")
        lines = [f"func.func @{self.op}_{suffix}() {{"]
        for name, kind, column in zip(self.names, kinds, columns):
            if form == "empty":
                lines.append(f"  %{name} = stablehlo.constant dense<> : tensor<0x3x{kind}>")
            elif form:
                lines.append(f"  %{name} = stablehlo.constant {dense(kind, column[:1], shape)}")
            else:
                lines.append(f"  %{name} = stablehlo.constant {dense(kind, column)}")
        lines.append(f"  %result = {self.apply(kinds, result, shape, attributes)}")
        value = f"dense<> : tensor<0x3x{result}>" if form == "empty" else (
            dense(result, expected[:1], shape) if form else dense(result, expected))
        if ulp:
            lines.append(f"  %expected = stablehlo.constant {value}")
            lines.append(f"  check.expect_close %result, %expected, max_ulp_difference = {ulp} : "
                         f"tensor<{shape}{result}>, tensor<{shape}{result}>")
        else:
            lines.append(f"  check.expect_eq_const %result, {value}")
        self.text.append("\n".join(lines + ["  func.return", "}"]))

    def forms(self, kinds, columns, expected, **options):
        for form in ("scalar", "splat", "empty"):
            self.test(form, kinds, columns, expected, form=form, **options)

    def finish(self, check):
        head = (f"// RUN: assay test %s\n// {self.dialect}.{self.op}. Written by utils/generate/gen_elementwise_tests.py "
                f"(expected values: Python integers, mpmath).\n\n")
        path = ROOT / f"{self.op}.mlir"
        text = head + "\n\n".join(self.text) + "\n"
        if check:
            return path.exists() and path.read_text() == text
        path.write_text(text)
        return True


# ------------------------------------------------------------------------------------------------ integers and booleans


def edges(kind):
    bits = bits_of(kind)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "i" else (0, (1 << bits) - 1)
    return low, high


def integer_pairs(kind):
    low, high = edges(kind)
    values = sorted({low, high, 0, 1, max(low, -1), high // 2, min(high, 3)})
    return [(a, b) for a in values for b in values]


def truncated_quotient(kind, a, b):
    if b == 0:
        return -1
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def integer_power(kind, a, b):
    if b >= 0:
        return pow(a, b, 1 << bits_of(kind))
    return 1 if a == 1 else (-1 if b % 2 else 1) if a == -1 else 0


def shift(kind, a, b, how):
    bits = bits_of(kind)
    pattern, amount = a % (1 << bits), b % (1 << bits)
    if how == "arithmetic":
        signed = pattern - (1 << bits) if pattern >> (bits - 1) else pattern
        return signed >> min(amount, bits - 1)
    if amount >= bits:
        return 0
    return pattern << amount if how == "left" else pattern >> amount


INTEGER_BINARY = {
    "add": lambda k, a, b: a + b, "subtract": lambda k, a, b: a - b, "multiply": lambda k, a, b: a * b,
    "divide": truncated_quotient, "remainder": lambda k, a, b: a if b == 0 else a - b * truncated_quotient(k, a, b),
    "maximum": lambda k, a, b: max(a, b), "minimum": lambda k, a, b: min(a, b), "power": integer_power,
    "and": lambda k, a, b: a & b, "or": lambda k, a, b: a | b, "xor": lambda k, a, b: a ^ b,
    "shift_left": lambda k, a, b: shift(k, a, b, "left"),
    "shift_right_logical": lambda k, a, b: shift(k, a, b, "logical"),
    "shift_right_arithmetic": lambda k, a, b: shift(k, a, b, "arithmetic"),
    "mulhi": lambda k, a, b: (a * b) >> bits_of(k),
}
INTEGER_UNARY = {
    "abs": lambda k, a: abs(a), "negate": lambda k, a: -a, "sign": lambda k, a: (a > 0) - (a < 0),
    "not": lambda k, a: ~a, "popcnt": lambda k, a: bin(a % (1 << bits_of(k))).count("1"), "square": lambda k, a: a * a,
    "count_leading_zeros": lambda k, a: bits_of(k) - (a % (1 << bits_of(k))).bit_length(),
}
BOOLEAN = {"add": lambda a, b: a or b, "multiply": lambda a, b: a and b, "maximum": lambda a, b: a or b,
           "minimum": lambda a, b: a and b, "and": lambda a, b: a and b, "or": lambda a, b: a or b,
           "xor": lambda a, b: a != b}


def integers(file):
    op = file.op
    if op in INTEGER_BINARY:
        for kind in SIGNED + UNSIGNED:
            pairs = integer_pairs(kind)
            file.test(kind, [kind, kind], list(zip(*pairs)), [wrap(kind, INTEGER_BINARY[op](kind, *p)) for p in pairs])
    if op in INTEGER_UNARY and op != "square":
        for kind in SIGNED + (UNSIGNED if op != "abs" else []):
            low, high = edges(kind)
            values = sorted({low, high, 0, 1, max(low, -1), high // 3, min(high, 100)})
            file.test(kind, [kind], [values], [wrap(kind, INTEGER_UNARY[op](kind, v)) for v in values])
    if op in BOOLEAN:
        pairs = [(0, 0), (0, 1), (1, 0), (1, 1)]
        file.test("i1", ["i1", "i1"], list(zip(*pairs)), [BOOLEAN[op](*p) for p in pairs])
    if op == "not":
        file.test("i1", ["i1"], [[0, 1]], [1, 0])


# ----------------------------------------------------------------------------------------------------------------- floats


def extreme(a, b, larger):
    if math.isnan(a) or math.isnan(b):
        return NAN
    if a == b == 0:
        signs = (math.copysign(1, a), math.copysign(1, b))
        return math.copysign(0.0, max(signs) if larger else min(signs))
    return max(a, b) if larger else min(a, b)


def exact(function, special):
    """Finite numbers are computed in mpmath, the others in Python floats."""
    def apply(*values):
        result = special(*values)
        return result if result is not None else function(*map(mp.mpf, values))
    return apply


def add_special(a, b):
    return a + b if not math.isfinite(a + b) and not (math.isfinite(a) and math.isfinite(b)) else (
        a + b if a + b == 0 else None)


def multiply_special(a, b):
    return a * b if not (math.isfinite(a) and math.isfinite(b)) or a == 0 or b == 0 else None


def divide_special(a, b):
    if math.isnan(a) or math.isnan(b) or (b == 0 and a == 0) or (math.isinf(a) and math.isinf(b)):
        return NAN
    if b == 0 or math.isinf(a):
        return math.copysign(INF, math.copysign(1, a) * math.copysign(1, b))
    if math.isinf(b) or a == 0:
        return math.copysign(0.0, math.copysign(1, a) * math.copysign(1, b))
    return None


def remainder_special(a, b):
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return NAN
    return math.fmod(a, b)


FLOAT_BINARY = {
    "add": exact(lambda a, b: a + b, add_special), "subtract": exact(lambda a, b: a - b, lambda a, b: add_special(a, -b)),
    "multiply": exact(lambda a, b: a * b, multiply_special), "divide": exact(lambda a, b: a / b, divide_special),
    "remainder": remainder_special, "maximum": lambda a, b: extreme(a, b, True),
    "minimum": lambda a, b: extreme(a, b, False),
}
def sign_of(x):
    return x if math.isnan(x) or x == 0 else math.copysign(1.0, x)


def to_integer(x, how):
    if not math.isfinite(x):
        return x
    whole = {"ceil": math.ceil, "floor": math.floor, "round_nearest_even": round,
             "round_nearest_afz": lambda v: math.floor(v + 0.5) if v > 0 else math.ceil(v - 0.5)}[how]
    return math.copysign(float(whole(x)), x)


FLOAT_UNARY = {"abs": abs, "negate": lambda x: -x, "sign": sign_of, "conj": lambda x: x, "real": lambda x: x,
               "imag": lambda x: 0.0, **{how: (lambda x, how=how: to_integer(x, how)) for how in
                                         ("ceil", "floor", "round_nearest_even", "round_nearest_afz")}}
NUMBERS = [0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -7.0, 12.0]
SPECIALS = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN]


def floats(file, unary=FLOAT_UNARY, binary=FLOAT_BINARY):
    op = file.op
    if op in binary:
        for kind in FLOATS:
            pairs = [(a, b) for a in NUMBERS for b in (1.0, -0.5, 3.0, 0.375, 12.0)]
            file.test(kind, [kind, kind], list(zip(*pairs)), [rounded(kind, binary[op](*p)) for p in pairs])
        for kind in IEEE:
            pairs = [(a, b) for a in SPECIALS for b in SPECIALS]
            file.test(f"{kind}_special", [kind, kind], list(zip(*pairs)), [rounded(kind, binary[op](*p)) for p in pairs])
        file.forms(["f32", "f32"], [[1.5], [2.5]], [rounded("f32", binary[op](1.5, 2.5))])
    elif op in unary:
        for kind in FLOATS if op not in ("real", "imag") else ("f32", "f64"):
            file.test(kind, [kind], [NUMBERS], [rounded(kind, unary[op](x)) for x in NUMBERS])
        for kind in IEEE if op not in ("real", "imag") else ("f32", "f64"):
            file.test(f"{kind}_special", [kind], [SPECIALS], [rounded(kind, unary[op](x)) for x in SPECIALS])
        file.forms(["f32"], [[2.5]], [unary[op](2.5)])
    if op in ("abs", "negate", "ceil", "maximum", "minimum", "round_nearest_even"):
        signs_of_zero(file, unary, binary)


def signs_of_zero(file, unary, binary):
    """expect_eq accepts -0 for +0; only the bits distinguish them."""
    op, names = file.op, file.names
    columns = [[0.0, -0.0, 0.0, -0.0], [0.0, 0.0, -0.0, -0.0]][:len(names)]
    results = [(binary[op](*p) if op in binary else unary[op](*p)) for p in zip(*columns)]
    bits = [-(1 << 31) if math.copysign(1, r) < 0 else 0 for r in results]
    lines = [f"func.func @{op}_sign_of_zero() {{"]
    lines += [f"  %{n} = stablehlo.constant {dense('f32', c)}" for n, c in zip(names, columns)]
    lines += [f"  %result = {file.apply(['f32'] * len(names), 'f32', '4x', '')}",
              "  %bits = stablehlo.bitcast_convert %result : (tensor<4xf32>) -> tensor<4xi32>",
              f"  check.expect_eq_const %bits, {dense('i32', bits)}", "  func.return", "}"]
    file.text.append("\n".join(lines))


# -------------------------------------------------------------------------------------------------------------- functions

# op: (function, values, results of [+0, 1, inf, -inf, nan] where they are defined by a limit)
FUNCTIONS = {
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), [-8.0, -0.5, 0.25, 1.0, 27.0, 1000.0], [0.0, 1.0, INF, -INF, NAN]),
    "cosine": (mp.cos, [-3.0, -0.5, 0.25, 1.0, 10.0, 100.0], [1.0, None, NAN, NAN, NAN]),
    "exponential": (mp.exp, [-10.0, -0.5, 0.0, 0.25, 1.0, 5.0], [1.0, None, INF, 0.0, NAN]),
    "exponential_minus_one": (mp.expm1, [-10.0, -0.5, 0.0078125, 0.25, 1.0, 5.0], [0.0, None, INF, -1.0, NAN]),
    "log": (mp.log, [0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0], [-INF, 0.0, INF, NAN, NAN]),
    "log_plus_one": (mp.log1p, [-0.5, -0.0078125, 0.25, 1.0, 3.0, 100.0], [0.0, None, INF, NAN, NAN]),
    "logistic": (lambda x: 1 / (1 + mp.exp(-x)), [-8.0, -1.0, 0.25, 1.0, 4.0, 20.0], [0.5, None, 1.0, 0.0, NAN]),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), [0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0], [INF, 1.0, 0.0, NAN, NAN]),
    "sine": (mp.sin, [-3.0, -0.5, 0.25, 1.0, 10.0, 100.0], [0.0, None, NAN, NAN, NAN]),
    "sqrt": (mp.sqrt, [0.0078125, 0.5, 0.75, 1.0, 3.0, 100.0], [0.0, 1.0, INF, NAN, NAN]),
    "tan": (mp.tan, [-3.0, -0.5, 0.25, 1.0, 10.0, 100.0], [0.0, None, NAN, NAN, NAN]),
    "tanh": (mp.tanh, [-3.0, -0.5, 0.0078125, 0.25, 1.0, 10.0], [0.0, None, 1.0, -1.0, NAN]),
    "acos": (mp.acos, [-1.0, -0.5, 0.0, 0.25, 0.75, 1.0], [None, 0.0, NAN, NAN, NAN]),
    "acosh": (mp.acosh, [1.0, 1.25, 2.0, 3.0, 10.0, 100.0], [NAN, 0.0, INF, NAN, NAN]),
    "asin": (mp.asin, [-1.0, -0.5, 0.0078125, 0.25, 0.75, 1.0], [0.0, None, NAN, NAN, NAN]),
    "asinh": (mp.asinh, [-10.0, -0.5, 0.0078125, 0.25, 0.75, 100.0], [0.0, None, INF, -INF, NAN]),
    "atan": (mp.atan, [-10.0, -0.5, 0.0078125, 0.25, 0.75, 100.0], [0.0, None, None, None, NAN]),
    "atanh": (mp.atanh, [-0.75, -0.5, 0.0078125, 0.25, 0.5, 0.75], [0.0, INF, NAN, NAN, NAN]),
    "cosh": (mp.cosh, [-5.0, -0.5, 0.0078125, 0.25, 2.0, 8.0], [1.0, None, INF, INF, NAN]),
    "sinh": (mp.sinh, [-5.0, -0.5, 0.0078125, 0.25, 2.0, 8.0], [0.0, None, INF, -INF, NAN]),
    "bessel_i1e": (lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), [-20.0, -0.5, 0.25, 3.0, 50.0, 200.0],
                   [0.0, None, 0.0, 0.0, NAN]),
    "digamma": (mp.digamma, [-1.5, -0.25, 0.25, 1.0, 1.5, 100.0], [NAN, None, INF, NAN, NAN]),
    "erf": (mp.erf, [-2.0, -0.5, 0.0078125, 0.25, 1.0, 3.0], [0.0, None, 1.0, -1.0, NAN]),
    "erfc": (mp.erfc, [-2.0, -0.5, 0.0078125, 0.25, 1.0, 3.0], [1.0, None, 0.0, 2.0, NAN]),
    "erf_inv": (mp.erfinv, [-0.9375, -0.5, 0.0078125, 0.25, 0.75, 0.9375], [0.0, INF, NAN, NAN, NAN]),
    "lgamma": (lambda x: mp.log(abs(mp.gamma(x))), [-1.5, -0.25, 0.25, 3.0, 10.0, 100.0], [INF, 0.0, INF, INF, NAN]),
}
CHLO = {"acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "bessel_i1e", "digamma", "erf", "erfc", "erf_inv",
        "lgamma", "polygamma", "zeta", "mulhi", "square", "is_inf", "is_neg_inf", "is_pos_inf", "conj", "next_after",
        "constant_like", "_asin_acos_kernel"}
COMPLEX = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b, "divide": lambda a, b: a / b,
    "power": lambda a, b: mp.exp(b * mp.log(a)), "negate": lambda a: -a, "sign": lambda a: a / abs(a),
    "cbrt": lambda z: mp.exp(mp.log(z) / 3), "cosine": mp.cos, "exponential": mp.exp,
    "exponential_minus_one": lambda z: mp.exp(z) - 1, "log": mp.log, "log_plus_one": lambda z: mp.log(1 + z),
    "logistic": lambda z: 1 / (1 + mp.exp(-z)), "rsqrt": lambda z: 1 / mp.sqrt(z), "sine": mp.sin, "sqrt": mp.sqrt,
    "tan": mp.tan, "tanh": mp.tanh, "acos": mp.acos, "acosh": mp.acosh, "asin": mp.asin, "asinh": mp.asinh, "atan": mp.atan,
    "atanh": mp.atanh, "cosh": mp.cosh, "sinh": mp.sinh, "square": lambda z: z * z, "conj": mp.conj,
    "atan2": lambda y, x: -1j * mp.log((x + 1j * y) / mp.sqrt(x * x + y * y)),
}
COMPLEX_VALUES = [(0.5, 0.25), (-1.5, 2.0), (3.0, -0.125), (-0.25, -4.0), (0.0078125, -0.015625), (2.0, 0.75)]


def functions(file):
    function, values, limits = FUNCTIONS[file.op]
    for kind in IEEE:
        file.test(kind, [kind], [values], [rounded(kind, function(mp.mpf(v))) for v in values], ulp=3 if kind == "f64" else 1)
        points = [p for p, limit in zip([0.0, 1.0, INF, -INF, NAN], limits) if limit is not None]
        file.test(f"{kind}_special", [kind], [points], [limit for limit in limits if limit is not None])
    file.forms(["f32"], [values], [rounded("f32", function(mp.mpf(values[0])))], ulp=1)


def complexes(file):
    op = file.op
    if op not in COMPLEX:
        return
    for part in ("f32", "f64"):
        kind = f"complex<{part}>"
        columns = [COMPLEX_VALUES, COMPLEX_VALUES[1:] + COMPLEX_VALUES[:1]][:len(file.names)]
        results = [COMPLEX[op](*(mp.mpc(*v) for v in row)) for row in zip(*columns)]
        expected = [(rounded(part, mp.mpf(r.real)), rounded(part, mp.mpf(r.imag))) for r in map(mp.mpc, results)]
        file.test(f"complex_{part}", [kind] * len(file.names), columns, expected, ulp=1)


# -------------------------------------------------------------------------------------------- operations of their own kind


def two_argument_functions(file):
    tables = {
        "atan2": (lambda y, x: mp.atan2(y, x), [(1.0, 2.0), (-1.0, 2.0), (0.5, -3.0), (-0.5, -3.0), (3.0, 0.0), (0.0, -1.0)]),
        "power": (mp.power, [(2.0, 3.0), (0.5, -1.5), (3.0, 0.25), (10.0, -2.0), (-2.0, 3.0), (1.0, 100.0)]),
        "zeta": (mp.zeta, [(2.0, 1.0), (3.0, 0.5), (1.5, 10.0), (20.0, 2.0), (4.0, 3.75), (1.125, 5.0)]),
        "polygamma": (lambda n, x: mp.polygamma(int(n), x), [(0.0, 1.25), (1.0, 0.5), (2.0, 2.5), (3.0, 10.0), (5.0, 3.0),
                                                             (2.0, 40.0)]),
    }
    function, pairs = tables[file.op]
    for kind in IEEE:
        file.test(kind, [kind] * 2, list(zip(*pairs)), [rounded(kind, function(*map(mp.mpf, p))) for p in pairs],
                  ulp=4 if kind == "f64" else 1)
    specials = {
        "atan2": ([(0.0, 1.0), (INF, 0.0), (NAN, 1.0)], [0.0, rounded("f32", mp.pi / 2), NAN]),
        "power": ([(0.0, 0.0), (NAN, 0.0), (-8.0, 0.5), (0.0, -1.0), (INF, 2.0), (2.0, -INF)], [1.0, 1.0, NAN, INF, INF, 0.0]),
        "zeta": ([(1.0, 3.0), (0.5, 1.0), (2.0, -1.0), (3.0, 0.0), (2.5, -1.5)], [INF, NAN, INF, NAN, NAN]),
        "polygamma": ([(1.0, -1.0), (2.0, -1.0), (1.5, 2.0), (-1.0, 1.0), (0.0, 0.0)], [INF, NAN, NAN, NAN, NAN]),
    }[file.op]
    file.test("f32_special", ["f32"] * 2, list(zip(*specials[0])), specials[1])
    file.forms(["f32"] * 2, [[p] for p in pairs[0]], [rounded("f32", function(*map(mp.mpf, pairs[0])))], ulp=1)


COMPARISONS = {"EQ": lambda a, b: a == b, "NE": lambda a, b: a != b, "LT": lambda a, b: a < b, "LE": lambda a, b: a <= b,
               "GT": lambda a, b: a > b, "GE": lambda a, b: a >= b}


def compare(file):
    for direction, function in COMPARISONS.items():
        def go(suffix, kind, pairs, compare_type, results=None):
            attributes = (f" {{comparison_direction = #stablehlo<comparison_direction {direction}>, "
                          f"compare_type = #stablehlo<comparison_type {compare_type}>}}")
            results = results or [function(*p) for p in pairs]
            file.test(f"{direction.lower()}_{suffix}", [kind] * 2, list(zip(*pairs)), results, result="i1",
                      attributes=attributes)
        for kind in SIGNED + UNSIGNED:
            go(kind, kind, integer_pairs(kind), "SIGNED" if kind[0] == "i" else "UNSIGNED")
        go("i1", "i1", [(0, 0), (0, 1), (1, 0), (1, 1)], "UNSIGNED")
        pairs = [(a, b) for a in SPECIALS for b in SPECIALS]
        for kind in IEEE:
            go(kind, kind, pairs, "FLOAT")
        ordered = [-INF, -1.0, -0.0, 0.0, 1.0, INF, NAN] # a positive NaN is above infinity
        rank = [(i, j) for i in range(7) for j in range(7)]
        for kind in IEEE:
            go(f"{kind}_totalorder", kind, [(ordered[i], ordered[j]) for i, j in rank], "TOTALORDER",
               [function(i, j) for i, j in rank])
        parts = [(a, b) for a in (-1.0, 0.0, 1.0) for b in (-1.0, 0.0, 1.0)]
        for part in ("f32", "f64"):
            go(f"complex_{part}", f"complex<{part}>", [(a, b) for a in parts for b in parts], "FLOAT")
    file.forms(["f32"] * 2, [[1.0], [2.0]], [True], result="i1",
               attributes=" {comparison_direction = #stablehlo<comparison_direction LT>}")


def select(file):
    values = {"i1": [1, 0], "i4": [7, -8], "ui2": [3, 0], "i8": [127, -128], "i64": [1 << 40, -1], "f8E5M2": [1.5, -2.0],
              "bf16": [1.5, NAN], "f16": [1.5, INF], "f32": [1.5, NAN], "f64": [1.5, -INF],
              "complex<f32>": [(1.0, 2.0), (3.0, 4.0)], "complex<f64>": [(1.0, 2.0), (3.0, 4.0)]}
    for kind, (a, b) in values.items():
        file.test(kind.replace("<", "_").rstrip(">"), ["i1", kind, kind], [[1, 0, 1, 0], [a, b, b, a], [b, a, a, b]],
                  [a, a, b, b], result=kind)
    file.forms(["i1", "f32", "f32"], [[1], [1.0], [2.0]], [1.0], result="f32")
    file.text.append("""func.func @select_scalar_predicate() {
  %pred = stablehlo.constant dense<false> : tensor<i1>
  %on_true = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %on_false = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %result = stablehlo.select %pred, %on_true, %on_false : tensor<i1>, tensor<2xi32>
  check.expect_eq_const %result, dense<[3, 4]> : tensor<2xi32>
  func.return
}""")


def clamp(file):
    def clamped(low, x, high):
        return extreme(extreme(x, low, True), high, False)
    for kind in SIGNED + UNSIGNED:
        low, high = edges(kind)
        values = sorted({low, high, 0, 1, high // 2})
        file.test(kind, [kind] * 3, [[0] * len(values), values, [1] * len(values)], [min(max(v, 0), 1) for v in values])
    for kind in IEEE:
        values = [-2.0, -0.5, 0.25, 3.0, INF, -INF, NAN]
        file.test(kind, [kind] * 3, [[-1.0] * 7, values, [0.5] * 7], [clamped(-1.0, v, 0.5) for v in values])
    file.forms(["f32"] * 3, [[-1.0], [3.0], [0.5]], [0.5])
    file.text.append("""func.func @clamp_scalar_bounds() {
  %min = stablehlo.constant dense<-1.0> : tensor<f32>
  %operand = stablehlo.constant dense<[-2.0, 0.5, 4.0]> : tensor<3xf32>
  %max = stablehlo.constant dense<1.0> : tensor<f32>
  %result = stablehlo.clamp %min, %operand, %max : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  check.expect_eq_const %result, dense<[-1.0, 0.5, 1.0]> : tensor<3xf32>
  func.return
}""")


def convert(file):
    def name(a, b):
        return f"{a}_to_{b}".replace("<", "_").replace(">", "")
    reals = [0.0, -0.0, 1.5, -1.5, 2.5, 300.0, -300.0, 65536.0, -3.0e9, 1.0e10, NAN, INF, -INF]
    for source in ("f16", "bf16", "f32", "f64"):
        values = [rounded(source, v) if math.isfinite(v) else v for v in reals]
        for target in SIGNED + UNSIGNED:
            low, high = edges(target)
            def truncate(v):
                if math.isnan(v):
                    return 0
                return high if v == INF else low if v == -INF else min(max(int(v), low), high)
            file.test(name(source, target), [source], [values], [truncate(v) for v in values], result=target)
        for target in FLOATS:
            if target != source:
                finite = [v for v in values if not math.isinf(v) and abs(v) <= FLOATS[target][3]]
                file.test(name(source, target), [source], [finite], [rounded(target, v) for v in finite], result=target)
        file.test(name(source, "i1"), [source], [values], [v != 0 or math.isnan(v) for v in values], result="i1")
    for source in SIGNED + UNSIGNED:
        low, high = edges(source)
        values = sorted({low, high, 0, 1, high // 3})
        for target in ("i1", "i4", "i8", "i32", "i64", "ui8", "ui64", "bf16", "f32", "f64"):
            if target == source:
                continue
            if target == "i1":
                expected = [v != 0 for v in values]
            elif target[0] in "iu":
                expected = [wrap(target, v) for v in values]
            else:
                expected = [rounded(target, mp.mpf(v)) if v else 0.0 for v in values]
            file.test(name(source, target), [source], [values], expected, result=target)
    for target in ("i2", "ui4", "i32", "ui64", "f8E4M3FN", "bf16", "f32", "f64"):
        one = -1 if target == "i1" else 1
        file.test(name("i1", target), ["i1"], [[0, 1]], [0, one] if target[0] in "iu" else [0.0, 1.0], result=target)
    file.test("f32_to_complex_f64", ["f32"], [[1.5, -2.0]], [(1.5, 0.0), (-2.0, 0.0)], result="complex<f64>")
    file.test("complex_f64_to_complex_f32", ["complex<f64>"], [[(0.1, 2.0)]], [(rounded("f32", mp.mpf(0.1)), 2.0)],
              result="complex<f32>")
    file.test("complex_f32_to_i1", ["complex<f32>"], [[(0.0, 1.0), (2.0, 0.0), (0.0, 0.0)]], [False, True, False], result="i1")
    file.forms(["f32"], [[2.75]], [2], result="i32")


def others(file):
    op = file.op
    if op in ("is_finite", "is_inf", "is_pos_inf", "is_neg_inf"):
        function = {"is_finite": math.isfinite, "is_inf": math.isinf, "is_pos_inf": lambda x: x == INF,
                    "is_neg_inf": lambda x: x == -INF}[op]
        for kind in IEEE + ["f8E5M2"]:
            file.test(kind, [kind], [SPECIALS], [function(x) for x in SPECIALS], result="i1")
        file.forms(["f32"], [[1.0]], [function(1.0)], result="i1")
    elif op == "square":
        for kind in IEEE:
            file.test(kind, [kind], [NUMBERS], [rounded(kind, mp.mpf(x) ** 2) for x in NUMBERS])
    elif op in ("complex", "real", "imag"):
        for part in ("f32", "f64"):
            kind, zs = f"complex<{part}>", COMPLEX_VALUES
            parts = [[z[0] for z in zs], [z[1] for z in zs]]
            if op == "complex":
                file.test(part, [part] * 2, parts, zs, result=kind)
            else:
                file.test(f"complex_{part}", [kind], [zs], parts[op == "imag"], result=part)
    elif op == "_asin_acos_kernel":
        for part in ("f32", "f64"):
            zs = [mp.mpc(*z) for z in COMPLEX_VALUES]
            file.test(part, [f"complex<{part}>"], [COMPLEX_VALUES],
                      [(rounded(part, (mp.sqrt(1 - z) * mp.sqrt(1 + z)).real), rounded(part, abs(mp.asin(z).imag)))
                       for z in zs], ulp=4)
    elif op == "abs":
        for part in ("f32", "f64"):
            file.test(f"complex_{part}", [f"complex<{part}>"], [COMPLEX_VALUES],
                      [rounded(part, abs(mp.mpc(*z))) for z in COMPLEX_VALUES], result=part, ulp=1)
    elif op == "bitcast_convert":
        file.test("f32_to_i32", ["f32"], [[1.0, -2.0, 0.0]], [0x3F800000, -(1 << 30), 0], result="i32")
        file.test("i64_to_f64", ["i64"], [[0x3FF0000000000000, 0]], [1.0, 0.0], result="f64")
        file.test("bf16_to_ui16", ["bf16"], [[1.0, -1.0]], [0x3F80, 0xBF80], result="ui16")
        file.test("ui8_to_i8", ["ui8"], [[200, 5]], [-56, 5], result="i8")
    elif op == "constant_like":
        for kind, attribute, value in (("f32", "2.5 : f32", 2.5), ("bf16", "-1.5 : bf16", -1.5), ("i8", "-3 : i8", -3)):
            shown = [0.0, 1.0] if kind[0] != "i" else [0, 1]
            file.test(kind, [kind], [shown], [value, value], attributes=f" {{value = {attribute}}}")
    elif op == "next_after":
        next_after(file)
    elif op == "reduce_precision":
        reduce_precision(file)


def next_after(file):
    for kind in IEEE:
        _, precision, smallest, largest = FLOATS[kind]
        tiny, ulp = mp.mpf(2) ** (smallest - precision + 1), mp.mpf(2) ** (1 - precision)
        rows = [(1.0, 2.0, 1 + ulp), (1.0, 0.0, 1 - ulp / 2), (-1.0, 0.0, -1 + ulp / 2), (0.0, 1.0, tiny), (0.0, -1.0, -tiny),
                (2.0, 2.0, 2.0), (float(tiny), 0.0, 0.0), (largest, INF, INF), (INF, 0.0, largest), (NAN, 1.0, NAN)]
        file.test(kind, [kind] * 2, [[r[0] for r in rows], [r[1] for r in rows]], [rounded(kind, r[2]) for r in rows])
    file.forms(["f32"] * 2, [[2.0], [2.0]], [2.0])


def reduce_precision(file):
    values = [0.0, -0.0, 1.0, 1.1, 1.0625, 1.1875, -3.3, 65504.0, 65520.0, 1.0e-5, 1.0e38, INF, -INF, NAN]
    for exponent, mantissa in ((8, 23), (5, 10), (8, 7), (4, 3), (8, 3), (5, 0)):
        largest = 2.0 ** (2 ** (exponent - 1) - 1) * (2 - 2.0**-mantissa)
        smallest = 2.0 ** (2 - 2 ** (exponent - 1))
        def reduce(x):
            if math.isnan(x) and mantissa == 0:
                return INF  # no bit is left to encode NaN
            if not math.isfinite(x) or x == 0:
                return x
            e = int(mp.floor(mp.log(abs(x), 2))) - mantissa
            y = float(mp.nint(mp.mpf(x) / mp.mpf(2) ** e) * mp.mpf(2) ** e)
            if abs(y) > largest:
                return math.copysign(INF, x)
            return math.copysign(0.0, x) if abs(y) < smallest else y
        source = [rounded("f32", mp.mpf(v)) if math.isfinite(v) and v else v for v in values]
        file.test(f"e{exponent}m{mantissa}_f32", ["f32"], [source], [reduce(v) for v in source],
                  attributes=f" {{exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32}}")


OPERANDS = {**{op: ("operand",) for op in [*FUNCTIONS, *INTEGER_UNARY, *FLOAT_UNARY, "is_finite", "is_inf", "is_pos_inf",
                                           "is_neg_inf", "convert", "bitcast_convert", "reduce_precision", "constant_like",
                                           "_asin_acos_kernel"]},
            **{op: ("lhs", "rhs") for op in [*INTEGER_BINARY, *FLOAT_BINARY, "atan2", "compare", "complex"]},
            "zeta": ("x", "q"), "polygamma": ("n", "x"), "next_after": ("x", "y"), "is_finite": ("x",),
            "select": ("pred", "on_true", "on_false"), "clamp": ("min", "operand", "max")}
OWN = {"compare": compare, "select": select, "clamp": clamp, "convert": convert}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    ROOT.mkdir(parents=True, exist_ok=True)
    stale = []
    for op, names in sorted(OPERANDS.items()):
        file = File(op, names, "chlo" if op in CHLO else "stablehlo")
        if op in OWN:
            OWN[op](file)
        else:
            integers(file)
            if op in FUNCTIONS:
                functions(file)
            elif op in ("atan2", "power", "zeta", "polygamma"):
                two_argument_functions(file)
            else:
                floats(file)
            complexes(file)
            others(file)
        if not file.finish(check):
            stale.append(op)
    if stale:
        print("differs from what the script writes:", ", ".join(stale))
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
