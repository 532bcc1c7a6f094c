"""The default rule of `assay run --expect` has teeth: one element of any output of any program, changed by 1e-3 of the
output's RMS (f32, f64, complex), by 32 ULP at RMS magnitude (narrower floats) or by 1 (integers), fails and is named."""
import json
import os
import pathlib
import subprocess
import zipfile

import ml_dtypes
import numpy as np
import pytest

PROGRAMS = pathlib.Path(__file__).resolve().parents[1] / "programs"
ASSAY = os.path.join(os.environ.get("ASSAY_BIN", ""), "assay")
MANIFEST = {p["name"]: p for p in json.loads((PROGRAMS / "manifest.json").read_text())["programs"]}
NAMES = sorted(p.stem for p in PROGRAMS.glob("*.npz"))
NARROW = {"bfloat16": (ml_dtypes.bfloat16, np.uint16), "float16": (np.float16, np.uint16),
          "float8_e4m3fn": (ml_dtypes.float8_e4m3fn, np.uint8), "float8_e5m2": (ml_dtypes.float8_e5m2, np.uint8)}


def rms(values):
    values = np.abs(values[np.isfinite(values)].astype(np.complex128 if np.iscomplexobj(values) else np.float64))
    return float(np.sqrt(np.mean(values ** 2))) if values.size else 0.0


def moved(array, dtype, index):
    """The array as stored, with the element at the flat index moved by an amount that the rule must notice."""
    changed = array.copy()
    flat = changed.reshape(-1)
    if dtype in NARROW:
        kind, code = NARROW[dtype]
        values = array.view(code).view(kind).reshape(-1)
        scale = np.array(rms(values.astype(np.float64)) or 1.0).astype(kind)
        ulp = float(np.nextafter(scale, np.array(np.inf, kind)).astype(np.float64) - scale.astype(np.float64))
        flat[index] = np.array(float(values[index]) + 32 * ulp).astype(kind).view(flat.dtype)
    elif array.dtype == bool:
        flat[index] = not flat[index]
    elif array.dtype.kind in "iu":
        flat[index] = flat[index] ^ 1
    else:
        flat[index] += 1e-3 * (rms(flat) or 1.0)
    return changed


def write_npz(path, arrays):
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            with archive.open(name + ".npy", "w") as file:
                np.lib.format.write_array(file, array)


@pytest.mark.parametrize("name", NAMES)
def test_one_moved_element_is_caught(name, tmp_path):
    recorded = dict(np.load(PROGRAMS / f"{name}.npz"))
    # The run's own results are the expected ones, so that only the moved element can fail.
    own = tmp_path / "own.npz"
    subprocess.run([ASSAY, "run", PROGRAMS / f"{name}.mlir", "--input", PROGRAMS / f"{name}.npz", "--output", own],
                   check=True, capture_output=True)
    results = dict(np.load(own))
    rng = np.random.default_rng(11)
    for i, output in enumerate(MANIFEST[name]["outputs"]):
        key = f"out{i}"
        if results[key].size == 0:
            continue
        index = int(rng.integers(results[key].size))
        expected = dict(results)
        expected[key] = moved(results[key], output["dtype"], index)
        assert not np.array_equal(expected[key], results[key])
        write_npz(tmp_path / "expected.npz", expected)
        run = subprocess.run([ASSAY, "run", PROGRAMS / f"{name}.mlir", "--input", PROGRAMS / f"{name}.npz", "--expect",
                              tmp_path / "expected.npz"], capture_output=True, text=True)
        at = "[" + ", ".join(str(x) for x in np.unravel_index(index, results[key].shape)) + "]"
        assert run.returncode == 1, f"{key} at {at}: {run.stdout}{run.stderr}"
        failed = [line for line in run.stdout.splitlines() if line.startswith(f"{key}:")]
        assert len(failed) == 1 and f"worst at {at}" in failed[0], run.stdout
    assert recorded


@pytest.mark.parametrize("name", NAMES)
def test_both_sides_are_judged_against_the_shadow(name):
    run = subprocess.run([ASSAY, "run", PROGRAMS / f"{name}.mlir", "--input", PROGRAMS / f"{name}.npz", "--expect",
                          PROGRAMS / f"{name}.npz", "--rule", "shadow"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    header = run.stdout.splitlines()[0]
    if "there is no shadow for operation stablehlo.custom_call" in run.stderr:
        assert name == "lapack_custom_calls" and "err(got)" not in header  # judged by rule dtype
        return
    assert "err(got)" in header and "err(expected)" in header
