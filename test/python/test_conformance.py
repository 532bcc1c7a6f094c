"""`python3 utils/conformance` on a checkout that the test makes: counts, explanations, losses."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CHECK = """func.func @{name}() {{
  %a = stablehlo.constant dense<{value}> : tensor<f32>
  check.expect_eq_const %a, dense<1.0> : tensor<f32>
  func.return
}}
"""
# A golden value that is 1e-3 away from the sum of 1 and 2: ours is the nearer one.
GOLDEN = """module {
  func.func public @main() -> tensor<f32> {
    %0 = stablehlo.constant dense<1.0> : tensor<f32>
    %1 = stablehlo.constant dense<2.0> : tensor<f32>
    %2 = stablehlo.add %0, %1 : tensor<f32>
    %3 = call @expected() : () -> tensor<f32>
    stablehlo.custom_call @check.expect_close(%2, %3) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    return %2 : tensor<f32>
  }
  func.func private @expected() -> tensor<f32> {
    %0 = stablehlo.constant dense<3.001> : tensor<f32>
    return %0 : tensor<f32>
  }
}
"""
DYNAMIC = """module {
  func.func public @main(%arg0: tensor<i64>, %arg1: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %0 = stablehlo.add %arg1, %arg1 : tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
}
"""
VERDICTS = """// RUN: stablehlo-opt %s -verify-diagnostics -split-input-file
func.func @valid(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}

// -----

func.func @invalid(%a: tensor<f32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{op requires compatible types}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @ours_accepts_what_they_reject(%a: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{never}}
  return %a : tensor<f32>
}
"""


@pytest.fixture
def checkout(tmp_path):
    root = tmp_path / "up" / "stablehlo"
    texts = {
        "tests/interpret/a.mlir": CHECK.format(name="good", value="1.0") + CHECK.format(name="bad", value="2.0"),
        "testdata/golden.mlir": GOLDEN,
        "testdata/plain.mlir": CHECK.format(name="main", value="1.0"),
        "testdata/dynamic/d.mlir": DYNAMIC,
        "tests/v.mlir": VERDICTS,
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return tmp_path / "up"


def conformance(checkout, *words):
    bin_folder = pathlib.Path(os.environ["ASSAY_BIN"])
    environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    return subprocess.run(
        [sys.executable, SOURCE / "utils" / "conformance", checkout, *words],
        capture_output=True, text=True, env=environment, cwd=checkout.parent, timeout=300,
    )


def statuses(path):
    return {
        (suite["name"], one["name"]): one["status"] for suite in json.loads(path.read_text())["suites"] for one in suite["outcomes"]
    }


def test_each_function_file_and_part_is_counted_with_its_reason(checkout, tmp_path):
    ran = conformance(checkout, "--json", tmp_path / "now.json", "--verbose")
    assert ran.returncode == 1, ran.stderr
    assert statuses(tmp_path / "now.json") == {
        ("interpret", "a.mlir:@good"): "passed",
        ("interpret", "a.mlir:@bad"): "failed",
        ("testdata", "golden.mlir:@main"): "explained",
        ("testdata", "plain.mlir:@main"): "passed",
        ("dynamic", "d.mlir"): "passed",
        ("verdicts", "v.mlir:1"): "passed",
        ("verdicts", "v.mlir:7"): "passed",
        ("verdicts", "v.mlir:15"): "failed",
    }
    assert "FAILED interpret: a.mlir:@bad: " in ran.stdout and "got 2, expected 1" in ran.stdout
    assert "FAILED verdicts: v.mlir:15: accepted; expected: never" in ran.stdout


def test_a_loss_is_named(checkout, tmp_path):
    good = CHECK.format(name="bad", value="1.0") + CHECK.format(name="good", value="1.0")
    bad = (checkout / "stablehlo/tests/interpret/a.mlir").read_text()
    (checkout / "stablehlo/tests/interpret/a.mlir").write_text(good)
    ran = conformance(checkout, "--suite", "interpret", "--json", tmp_path / "before.json")
    assert ran.returncode == 0 and "LOST" not in ran.stdout, ran.stderr
    (checkout / "stablehlo/tests/interpret/a.mlir").write_text(bad)
    ran = conformance(checkout, "--suite", "interpret", "--before", tmp_path / "before.json")
    assert ran.returncode == 1
    assert "LOST interpret: a.mlir:@bad" in ran.stdout and "@good" not in ran.stdout.split("LOST")[1]


def test_nothing_found_is_no_success(tmp_path):
    (tmp_path / "empty").mkdir()
    assert conformance(tmp_path / "empty").returncode == 3
