"""Artifacts that the newest JAX wrote (test/python/artifacts/make.py), which this environment's jaxlib cannot read: features of StableHLO 1.20 to
1.22, compared with XLA's results, and written again in the version that they need."""
import os
import pathlib
import re
import subprocess

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent / "artifacts"
# The oldest version that has the program, and the message for an older one.
NEEDS = {
    "f8_convolution": ("1.20.0", "stablehlo.convolution"),
    "f8_algorithm": ("1.21.0", "stablehlo.dot_general"),
    "weak_order": ("1.0.0", None),  # read as FLOAT comparisons
    "model": ("1.0.0", None),
}


def opt(*words):
    return subprocess.run([os.path.join(os.environ["ASSAY_BIN"], "assay-opt"), *map(str, words)], capture_output=True, text=True)


def program(file):
    """An artifact as text."""
    ran = opt("--vhlo-legalize-to-stablehlo", file)
    assert ran.returncode == 0 and "stablehlo." in ran.stdout, ran.stderr
    return ran.stdout


def version_of(file):
    return re.search(rb"StableHLO_v([\d.]+)", file.read_bytes()[:40])[1].decode()


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("name", NEEDS)
def test_results_are_those_of_xla(assay, name, engine):
    data = FOLDER / f"{name}.npz"
    ran = assay("run", FOLDER / f"{name}.mlirbc", "--input", data, "--expect", data, "--engine", engine)
    assert ran.returncode == 0 and "FAILED" not in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.parametrize("name", NEEDS)
def test_written_again(tmp_path, name):
    needs, operation = NEEDS[name]
    again = tmp_path / "again.mlirbc"
    assert opt("--serialize", FOLDER / f"{name}.mlirbc", "-o", again).returncode == 0
    assert version_of(again) == needs
    assert program(again) == program(FOLDER / f"{name}.mlirbc")
    newest = tmp_path / "newest.mlirbc"
    assert opt("--serialize", "--target=1.22.0", FOLDER / f"{name}.mlirbc", "-o", newest).returncode == 0
    assert version_of(newest) == "1.22.0" and program(newest) == program(again)
    if operation:
        major, minor, patch = map(int, needs.split("."))
        older = f"{major}.{minor - 1}.{patch}"
        ran = opt("--serialize", f"--target={older}", FOLDER / f"{name}.mlirbc", "-o", tmp_path / "older")
        assert ran.returncode == 2 and not (tmp_path / "older").exists()
        assert f"'{operation}' in this form needs portable artifacts of version {needs} or later, the target is {older}" in ran.stderr


def test_a_weak_order_of_integers(tmp_path):
    """The type f32 of the comparisons' operands (code 4, as the bytecode writes a number) made i32 (code 13): StableHLO has no such comparisons."""
    data, said = (FOLDER / "weak_order.mlirbc").read_bytes(), []
    for place in (i for i, byte in enumerate(data) if byte == 4 * 2 + 1):
        (tmp_path / "p.mlirbc").write_bytes(data[:place] + bytes([13 * 2 + 1]) + data[place + 1 :])
        said.append(opt("--vhlo-legalize-to-stablehlo", tmp_path / "p.mlirbc").stderr)
    assert sum("compare type WEAKORDER is for two floats, got 'tensor<10x10xi32>', 'tensor<10x10xi32>'" in one for one in said) == 1, said
