"""`assay run --seed`: the numbers of stablehlo.rng depend on the seed, in every way of running a program."""
import os
import pathlib
import subprocess

import numpy as np
import pytest

BIN = pathlib.Path(os.environ.get("ASSAY_BIN", pathlib.Path(__file__).resolve().parents[2] / "build/release/bin"))
PROGRAM = """func.func @main() -> (tensor<4096xf32>, tensor<4096xf32>, tensor<4096xi32>) {
  %a = stablehlo.constant dense<-1.0> : tensor<f32>
  %b = stablehlo.constant dense<2.0> : tensor<f32>
  %n = stablehlo.constant dense<[4096]> : tensor<1xi64>
  %lo = stablehlo.constant dense<0> : tensor<i32>
  %hi = stablehlo.constant dense<10> : tensor<i32>
  %0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4096xf32>
  %1 = stablehlo.rng %a, %b, %n, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4096xf32>
  %2 = stablehlo.rng %lo, %hi, %n, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<4096xi32>
  return %0, %1, %2 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xi32>
}
"""


def drawn(folder, *words):
    (folder / "p.mlir").write_text(PROGRAM)
    subprocess.run([BIN / "assay", "run", folder / "p.mlir", "--output", folder / "o.npz", *words], check=True, capture_output=True)
    with np.load(folder / "o.npz") as file:
        return [file[f"out{i}"] for i in range(3)]


@pytest.mark.parametrize("way", [(), ("--engine", "native"), ("--isolate",)])
def test_the_seed_moves_the_numbers_of_rng(tmp_path, way):
    default, zero, seven, again, eight = (drawn(tmp_path, *way, *seed) for seed in (
        (), ("--seed", "0"), ("--seed", "7"), ("--seed", "7"), ("--seed", "8")))
    assert all(np.array_equal(a, b) for a, b in zip(default, zero))
    assert all(np.array_equal(a, b) for a, b in zip(seven, again))
    assert all(np.array_equal(a, b) for a, b in zip(seven, drawn(tmp_path, "--seed", "7")))  # in every way of running
    for one, other in ((default, seven), (seven, eight)):
        assert all(np.mean(a != b) > 0.8 for a, b in zip(one, other))
    for uniform, normal, whole in (default, seven, eight):  # of the requested distributions, whatever the seed
        assert -1 <= uniform.min() and uniform.max() < 2 and abs(uniform.mean() - 0.5) < 0.07
        assert abs(normal.mean() + 1) < 0.16 and abs(normal.std() - 2) < 0.12
        assert set(whole) == set(range(10))


@pytest.mark.parametrize("rule", ["exact", "dtype", "shadow"])
def test_results_are_judged_by_the_numbers_of_the_same_seed(tmp_path, rule):
    (tmp_path / "p.mlir").write_text(PROGRAM)
    drawn(tmp_path, "--seed", "7")
    for seed, passes in (("7", True), ("8", False)):
        ran = subprocess.run([BIN / "assay", "run", tmp_path / "p.mlir", "--expect", tmp_path / "o.npz", "--rule", rule, "--seed", seed],
                             capture_output=True, text=True)
        assert (ran.returncode == 0) == passes, ran.stdout + ran.stderr
