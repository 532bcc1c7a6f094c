"""--engine pjrt:PATH.so: whole programs on a PJRT plugin. Tested on our own plugin, and on the example that wraps it and plants faults."""
import os
import pathlib

import numpy as np
import pytest

LIBRARIES = pathlib.Path(os.environ["ASSAY_BIN"]).parent / "lib"
OURS = f"pjrt:{LIBRARIES / 'pjrt_assay.so'}"
FAULTS = f"pjrt:{LIBRARIES / 'pjrt_faults.so'}"

PROGRAM = """
func.func @forward(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>) -> (tensor<8x8xf32>, tensor<8xi32>) {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  return %y, %i : tensor<8x8xf32>, tensor<8xi32>
}
"""

DOT = """
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>) -> tensor<8x8xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
"""

SCALED = """
func.func @main(%x: tensor<9xf32>) -> tensor<9xf32> {
  %m = stablehlo.multiply %x, %x : tensor<9xf32>
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<9xf32>
  %y = stablehlo.multiply %m, %b : tensor<9xf32>
  return %y : tensor<9xf32>
}
"""

CHECKED = """
func.func @holds() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = chlo.square %a : tensor<2xf32> -> tensor<2xf32>
  check.expect_eq_const %b, dense<[1.0, 4.0]> : tensor<2xf32>
  return
}
"""

WRONG = "first last sign small zero_first zero_tail zero_all ones swap shift repeat reverse every_fourth stale bytes".split()
DEADLY = {"crash": "CRASHED", "abort": "CRASHED", "exit": "CRASHED", "wild": "CRASHED", "hang": "TIMEOUT"}


@pytest.fixture
def programs(tmp_path):
    (tmp_path / "forward.mlir").write_text(PROGRAM)
    (tmp_path / "dot.mlir").write_text(DOT)


def test_our_own_plugin_runs_a_program(assay, programs, tmp_path):
    done = assay("run", "forward.mlir", "--input", "random", "--engine", OURS, "--output", "got.npz")
    assert done.returncode == 0, done.stderr
    assert assay("run", "forward.mlir", "--input", "random", "--output", "want.npz").returncode == 0
    got, want = np.load(tmp_path / "got.npz"), np.load(tmp_path / "want.npz")
    np.testing.assert_allclose(got["out0"], want["out0"], rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(got["out1"], want["out1"])


def test_options_go_to_the_plugin(assay, programs):
    assert assay("run", "dot.mlir", "--input", "random", "--engine", OURS + ",engine=reference,devices=2").returncode == 0
    done = assay("run", "dot.mlir", "--input", "random", "--engine", OURS + ",devices=65")
    assert done.returncode != 0
    assert "the plugin says about a client: ASSAY_DEVICES is '65', expected a number from 1 to 64" in done.stderr
    done = assay("run", "dot.mlir", "--input", "random", "--engine", FAULTS + ",fault=lst")
    assert done.returncode == 2 and "has no option 'fault=lst'" in done.stderr


def test_our_own_plugin_is_right(assay, programs):
    done = assay("verify", "--op", f"--engine={OURS}", "dot.mlir")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tests:1 passed:1" in done.stdout


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_result_is_found(assay, programs, fault):
    done = assay("verify", "--op", f"--engine={FAULTS},fault={fault}", "dot.mlir")
    assert done.returncode == 1 and "failed:1" in done.stdout, done.stdout + done.stderr


def test_a_bit_of_a_narrow_element_is_one_that_it_has(assay):
    done = assay("verify", f"--engine={FAULTS},fault=first", "--matmul", "--dt=s8", "16x64:64x32")
    assert ":FAILED" in done.stdout and "only index 0 of dimension 0;" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("fault, status", DEADLY.items())
def test_a_death_is_a_verdict(assay, programs, fault, status):
    done = assay("verify", "--op", f"--timeout={1 if fault == 'hang' else 10}", f"--engine={FAULTS},fault={fault}", "dot.mlir")
    assert done.returncode == 1 and f":{status}" in done.stdout, done.stdout + done.stderr


def test_a_leak_is_found_and_the_records_of_a_runtime_are_not_one(assay, programs):
    for fault, code in ("records", 0), ("leak", 1):
        done = assay("verify", "--op", f"--engine={FAULTS},fault={fault}", "dot.mlir")
        assert done.returncode == code and ("its memory grows by" in done.stdout) == bool(code), done.stdout + done.stderr


def test_a_file_that_is_not_a_plugin_is_refused(assay, programs, tmp_path):
    (tmp_path / "text.so").write_text("no library")
    for name, words in [
        ("pjrt:missing.so", "no file 'missing.so'"),
        ("pjrt:text.so", "'text.so' is not a shared library; pjrt:PATH names one"),
        (f"pjrt:{LIBRARIES / 'libassay_example.so'}", "is not a PJRT plugin: it has no GetPjrtApi"),
    ]:
        done = assay("run", "dot.mlir", "--input", "random", "--engine", name)
        assert done.returncode != 0 and words in done.stderr, (name, done.stderr)


def test_the_first_wrong_operation_on_a_device_has_a_name(assay, programs):
    for name, engine in ("good", OURS), ("bad", FAULTS + ",fault=last"), ("here", "reference"):
        done = assay("run", "forward.mlir", "--input", "random", "--engine", engine, "--record", name + ".h5")
        assert done.returncode == 0 and "recorded 4 tensors" in done.stderr, done.stderr
    done = assay("compare", "good.h5", "here.h5", "--first-wrong", "--program", "forward.mlir")
    assert done.returncode == 0 and "4 pass" in done.stdout and "first wrong: none" in done.stdout, done.stdout
    done = assay("compare", "bad.h5", "here.h5", "--first-wrong", "--program", "forward.mlir")
    assert done.returncode == 1 and "(dot_general): 1 of 64 outputs are not what the operator gives for its own inputs" in done.stdout, done.stdout


def test_reduce_and_triage_name_the_operation(assay, programs, tmp_path):
    faulty = f"{FAULTS},fault=last"
    done = assay("reduce", "forward.mlir", "--input", "random", "--engine", faulty, "-o", "small.mlir")
    assert done.returncode == 0 and "computes stablehlo.dot_general of " in done.stdout + done.stderr, done.stdout + done.stderr
    small = sorted(tmp_path.glob("small*.mlir"))
    assert small and assay("test", small[0].name, "--engine", faulty).returncode == 1
    assert assay("test", small[0].name, "--engine", OURS).returncode == 0
    (tmp_path / "scaled.mlir").write_text(SCALED)
    done = assay("reduce", "scaled.mlir", "--input", "random", "--engine", faulty, "-o", "scaled_small.mlir")
    assert "computes a constant wrongly: out0[] is 2.5, right is 2 " in done.stdout, done.stdout
    done = assay("triage", f"--engine={FAULTS},fault=crash", "--op", "dot.mlir")
    assert "at fault: engine (sure" in done.stdout, done.stdout + done.stderr
