"""Every pair of values of the types of 8 bits and fewer through `assay run`: sums, products, and conversion of each type
into each other, against ml_dtypes and NumPy. Both interpreters: the reference and the engine `native`."""

import os
import pathlib
import subprocess

import ml_dtypes
import numpy as np
import pytest

ASSAY = pathlib.Path(os.environ.get("ASSAY_BIN", pathlib.Path(__file__).parents[2] / "build/release/bin")) / "assay"

FLOATS = {
    "f4E2M1FN": (4, ml_dtypes.float4_e2m1fn),
    "f6E2M3FN": (6, ml_dtypes.float6_e2m3fn),
    "f6E3M2FN": (6, ml_dtypes.float6_e3m2fn),
    "f8E3M4": (8, ml_dtypes.float8_e3m4),
    "f8E4M3": (8, ml_dtypes.float8_e4m3),
    "f8E4M3FN": (8, ml_dtypes.float8_e4m3fn),
    "f8E4M3FNUZ": (8, ml_dtypes.float8_e4m3fnuz),
    "f8E4M3B11FNUZ": (8, ml_dtypes.float8_e4m3b11fnuz),
    "f8E5M2": (8, ml_dtypes.float8_e5m2),
    "f8E5M2FNUZ": (8, ml_dtypes.float8_e5m2fnuz),
    "f8E8M0FNU": (8, ml_dtypes.float8_e8m0fnu),
}
INTEGERS = {"i2": (2, True), "ui2": (2, False), "i4": (4, True), "ui4": (4, False), "i8": (8, True), "ui8": (8, False)}
TYPES = [*FLOATS, *INTEGERS]
ENGINES = ["reference", "native"]


def values_of(name):
    """All values of a type: bytes as a file holds them, and as doubles."""
    if name in FLOATS:
        bits, dtype = FLOATS[name]
        codes = np.arange(1 << bits, dtype=np.uint8)
        with np.errstate(invalid="ignore"):
            return codes, codes.view(dtype).astype(np.float64)
    bits, signed = INTEGERS[name]
    low = -(1 << (bits - 1)) if signed else 0
    whole = np.arange(low, low + (1 << bits)).astype(np.int8 if signed else np.uint8)
    return whole, whole.astype(np.float64)


def rounded(name, wide):
    """Doubles to the nearest value of a type, as doubles; integers wrap."""
    if name in FLOATS:
        with np.errstate(all="ignore"):
            narrow = wide.astype(FLOATS[name][1]).astype(np.float64)
        if name == "f8E8M0FNU":  # ml_dtypes goes through f32, where small products vanish; the smallest number is nearest
            narrow[(wide > 0) & (wide < 2.0**-127)] = 2.0**-127
        return narrow
    bits, signed = INTEGERS[name]
    wrapped = wide.astype(np.int64) & ((1 << bits) - 1)
    return np.where(signed & (wrapped >= 1 << (bits - 1)), wrapped - (1 << bits), wrapped).astype(np.float64)


def converted(source, target, wide):
    """StableHLO's convert: floats are truncated into integers and saturate, NaN is 0; integers wrap into integers."""
    if target in FLOATS or source in INTEGERS:
        return rounded(target, wide)
    bits, signed = INTEGERS[target]
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return np.where(np.isnan(wide), 0, np.clip(np.trunc(wide), low, high))


def run(tmp_path, engine, text, **inputs):
    program = tmp_path / "pairs.mlir"
    program.write_text(text)
    np.savez(tmp_path / "in.npz", **inputs)
    words = [ASSAY, "run", program, "--engine", engine, "--input", tmp_path / "in.npz", "--output", tmp_path / "out.npz", "--quiet"]
    ran = subprocess.run(words, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return np.load(tmp_path / "out.npz")


def agree(got, expected, signs):
    nan = np.isnan(expected)
    assert np.array_equal(np.isnan(got), nan)
    wrong = np.flatnonzero((got != expected) & ~nan)
    assert wrong.size == 0, (wrong.size, wrong[0], got[wrong[0]], expected[wrong[0]])
    if signs:
        assert np.array_equal(np.signbit(got[~nan]), np.signbit(expected[~nan]))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", TYPES)
def test_sums_and_products_of_all_pairs(tmp_path, name, engine):
    stored, values = values_of(name)
    n = stored.size
    text = f"""func.func @main(%a: tensor<{n * n}x{name}>, %b: tensor<{n * n}x{name}>) -> (tensor<{n * n}xf64>, tensor<{n * n}xf64>) {{
      %0 = stablehlo.add %a, %b : tensor<{n * n}x{name}>
      %1 = stablehlo.multiply %a, %b : tensor<{n * n}x{name}>
      %2 = stablehlo.convert %0 : (tensor<{n * n}x{name}>) -> tensor<{n * n}xf64>
      %3 = stablehlo.convert %1 : (tensor<{n * n}x{name}>) -> tensor<{n * n}xf64>
      return %2, %3 : tensor<{n * n}xf64>, tensor<{n * n}xf64>
    }}"""
    out = run(tmp_path, engine, text, in0=np.repeat(stored, n), in1=np.tile(stored, n))
    a, b = np.repeat(values, n), np.tile(values, n)
    with np.errstate(all="ignore"):
        wide = {"out0": a + b, "out1": a * b}
    for result, exact in wide.items():
        agree(out[result], rounded(name, exact), name in FLOATS)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("source", TYPES)
def test_converts_every_value_into_every_type(tmp_path, source, engine):
    stored, values = values_of(source)
    n = stored.size
    lines = [f"%n{i} = stablehlo.convert %a : (tensor<{n}x{source}>) -> tensor<{n}x{target}>\n"
             f"%w{i} = stablehlo.convert %n{i} : (tensor<{n}x{target}>) -> tensor<{n}xf64>" for i, target in enumerate(TYPES)]  # fmt: skip
    kinds = ", ".join(f"tensor<{n}xf64>" for _ in TYPES)
    results = ", ".join(f"%w{i}" for i in range(len(TYPES)))
    text = f"func.func @main(%a: tensor<{n}x{source}>) -> ({kinds}) {{\n" + "\n".join(lines) + f"\nreturn {results} : {kinds}\n}}"
    out = run(tmp_path, engine, text, in0=stored)
    for i, target in enumerate(TYPES):
        expected = converted(source, target, values)
        nan = np.isnan(values) if target in ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN") else np.zeros(n, bool)  # types without NaN: a zero
        assert np.all(out[f"out{i}"][nan] == 0)
        agree(out[f"out{i}"][~nan], expected[~nan], source in FLOATS and target in FLOATS)
