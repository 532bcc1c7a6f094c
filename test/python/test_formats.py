"""Every float format against ml_dtypes and NumPy, bit for bit: decoding of all codes, rounding at and around every midpoint,
arithmetic over all pairs of 8-bit codes, conversion of integers. Drives the filter numerics_tables (raw bytes in and out)."""

import fractions
import os
import pathlib
import subprocess

import ml_dtypes
import numpy as np
import pytest

BIN = pathlib.Path(os.environ.get("ASSAY_BIN", pathlib.Path(__file__).parents[2] / "build/release/bin"))

FORMATS = {
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
}
BITS = {name: 4 if "f4" in name else 6 if "f6" in name else 8 if "f8" in name else 16 for name in FORMATS}


def tables(*arguments, data):
    run = subprocess.run([BIN / "numerics_tables", *arguments], input=data.tobytes(), capture_output=True, check=True)
    return run.stdout


def convert(source, target, data):
    return np.frombuffer(tables("convert", source, target, data=data), dtype=code_type(target))


def code_type(name):
    if name in FORMATS:
        return np.uint16 if BITS[name] == 16 else np.uint8
    return {"f32": np.uint32, "f64": np.uint64, "i32": np.int32, "ui8": np.uint8, "i64": np.int64}[name]


def all_codes(name):
    return np.arange(1 << BITS[name], dtype=code_type(name))


def finite_values(name):
    """Positive finite values of a format in rising order, as exact doubles."""
    with np.errstate(invalid="ignore"):
        values = all_codes(name).view(FORMATS[name]).astype(np.float64)
    return np.unique(values[np.isfinite(values) & (values >= 0)])


def inputs_f32(name):
    """All f16 and bf16 values, each midpoint of the format with its f32 neighbours, the limits, and random bits."""
    values = finite_values(name)
    with np.errstate(over="ignore"):
        middles = ((values[1:] + values[:-1]) / 2).astype(np.float32)
        beyond = (values[-1] + (values[-1] - values[-2]) * np.array([0.25, 0.5, 0.75, 1, 2])).astype(np.float32)
        points = np.concatenate([values.astype(np.float32), middles, beyond])
        points = np.concatenate([points, np.nextafter(points, np.float32(0)), np.nextafter(points, np.float32(np.inf))])
    halves = np.arange(1 << 16, dtype=np.uint16)
    bits = np.random.default_rng(7).integers(0, 1 << 32, 200_000, dtype=np.uint32).view(np.float32)
    specials = np.array([0, np.inf, np.nan, 1e-45, 3e38], np.float32)
    with np.errstate(invalid="ignore"):
        everything = np.concatenate(
            [points, halves.view(np.float16).astype(np.float32), halves.view(ml_dtypes.bfloat16).astype(np.float32), bits, specials])
    return np.concatenate([everything, -everything])


@pytest.mark.parametrize("name", FORMATS)
def test_decodes_every_code(name):
    codes = all_codes(name)
    with np.errstate(invalid="ignore"):
        expected = codes.view(FORMATS[name]).astype(np.float32)
    got = convert(name, "f32", codes).view(np.float32)
    assert np.array_equal(np.isnan(got), np.isnan(expected))
    number = ~np.isnan(expected)
    assert np.array_equal(got[number].view(np.uint32), expected[number].view(np.uint32))
    wide = convert(name, "f64", codes).view(np.float64)
    assert np.array_equal(wide[number], expected[number].astype(np.float64))


@pytest.mark.parametrize("name", FORMATS)
def test_rounds_f32_as_ml_dtypes_does(name):
    values = inputs_f32(name)
    with np.errstate(all="ignore"):
        expected = values.astype(FORMATS[name]).view(code_type(name))
    got = convert("f32", name, values)
    if name == "f16":  # NaN payloads: NumPy keeps a signalling one, the processor and Assay make it quiet
        nan = np.isnan(values)
        assert np.all(np.isnan(got[nan].view(np.float16)))
        got, expected, values = got[~nan], expected[~nan], values[~nan]
    if name == "f8E8M0FNU":  # f32 subnormals: ml_dtypes rounds 1.1 * 2^-127 up; the nearest power of two is below (as in APFloat)
        tiny = (values > 0) & (values < 2.0**-126)
        assert np.array_equal(got[tiny], (values[tiny] >= 1.5 * 2.0**-127).astype(np.uint8))
        got, expected, values = got[~tiny], expected[~tiny], values[~tiny]
    wrong = np.flatnonzero(got != expected)
    assert wrong.size == 0, f"{values[wrong[0]]!r}: got {got[wrong[0]]:#x}, ml_dtypes {expected[wrong[0]]:#x}"


@pytest.mark.parametrize("name", [n for n in FORMATS if n != "f8E8M0FNU"])
def test_rounds_f64_once(name):
    """f64 has numbers next to each midpoint that f32 lacks: rounding through f32 would end on the tie."""
    values = finite_values(name)
    middles = (values[1:] + values[:-1]) / 2
    even = np.array([code % 2 == 0 for code in convert("f64", name, values[:-1].copy())])
    cases = np.concatenate([np.nextafter(middles, 0), np.nextafter(middles, np.inf), middles])
    expected = np.concatenate([values[:-1], values[1:], np.where(even, values[:-1], values[1:])])
    got = convert(name, "f64", convert("f64", name, cases)).view(np.float64)
    assert np.array_equal(got, expected)


@pytest.mark.parametrize("name", [n for n in FORMATS if BITS[n] <= 8])
@pytest.mark.parametrize("op", ["add", "sub", "mul", "div"])
def test_arithmetic_over_all_pairs(name, op):
    codes = all_codes(name)
    pairs = np.stack([np.repeat(codes, codes.size), np.tile(codes, codes.size)], axis=1)
    a, b = (np.ascontiguousarray(pairs[:, i]).view(FORMATS[name]) for i in (0, 1))
    with np.errstate(all="ignore"):
        wide = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[op](a.astype(np.float64), b.astype(np.float64))
        expected = wide.astype(FORMATS[name])
    if name == "f8E8M0FNU":  # ml_dtypes goes through f32, where small products vanish; the smallest number is nearest
        expected[(wide > 0) & (wide < 2.0**-127)] = 2.0**-127
    got = np.frombuffer(tables(op, name, data=pairs), dtype=code_type(name)).view(FORMATS[name])
    nan = np.isnan(expected.astype(np.float32))
    assert np.array_equal(np.isnan(got.astype(np.float32)), nan)
    number = ~nan & ~np.isnan(wide)
    assert np.array_equal(got[number].view(np.uint8), expected[number].view(np.uint8))


@pytest.mark.parametrize("name", [n for n in FORMATS if n != "f8E8M0FNU"])
def test_integers_round_once(name):
    values = finite_values(name)
    grid = [int(v) for v in values if v >= 1 and v == int(v) and v < 2**62]
    cases = sorted({m + d for lo, hi in zip(grid, grid[1:]) for m in [(lo + hi) // 2] for d in (-1, 0, 1)})
    data = np.array(cases, np.int64)
    got = convert(name, "f64", convert("i64", name, data)).view(np.float64)
    order = [fractions.Fraction(float(v)) for v in values]
    even = [code % 2 == 0 for code in convert("f64", name, values.copy())]
    for case, result in zip(cases, got):
        high = np.searchsorted(values, float(case))
        near = range(max(0, high - 2), min(len(order), high + 2))
        best = min(near, key=lambda i: (abs(order[i] - case), not even[i]))
        assert result == values[best], case


def test_floats_to_integers_truncate_and_saturate():
    values = np.array([0.9, -0.9, 255.5, 256, -1, np.nan, np.inf, -np.inf, 2**31, -(2**31), 2**63, 1e300], np.float64)
    assert convert("f64", "ui8", values).tolist() == [0, 0, 255, 255, 0, 0, 255, 0, 255, 0, 255, 255]
    low, high = -(2**31), 2**31 - 1
    assert convert("f64", "i32", values).tolist() == [0, 0, 255, 256, -1, 0, high, low, high, low, high, high]
    assert convert("f64", "i64", values)[-2:].tolist() == [2**63 - 1] * 2
