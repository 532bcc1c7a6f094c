"""assay.audit and `assay audit`: faults that tolerances accept; the pytest plugin: assay_check, sweep, --assay-audit."""
import json
import os

import jax
import numpy as np
import preloaded
import pytest
import torch

import assay as package

SPEC = package.f32[64, 128]


def names(report):
    return set(report.accepted), set(report.rejected)


def test_the_derived_bound_tells_all_apart():
    for reference, inputs in [
        (torch.nn.Softmax(-1), [SPEC]),
        ("matmul 16x64:64x16", []),
        (torch.nn.LayerNorm(128), [SPEC]),
        (lambda x: jax.numpy.where(jax.numpy.arange(128) < 100, x, 0.0).sum(-1), [SPEC]),
    ]:
        report = package.audit("bound", reference, *inputs)
        assert report, report
        assert report.facts["faults"] >= 15 and report.facts["right_results"] == 6


def test_idioms_in_wide_use():
    accepted, rejected = names(package.audit("close:1e-2,1e-2", torch.nn.Softmax(-1), SPEC))
    assert {"scaled_1.01", "scaled_1.05", "sum_dropped", "steps_in_bf16"} <= accepted and not rejected
    assert "zeros" in package.audit("close:1e-2,1e-2", torch.nn.Softmax(-1), package.f32[4, 4096]).accepted
    accepted, rejected = names(package.audit(np.testing.assert_allclose, "matmul 16x64:64x16"))
    assert not accepted and "summed_in_sequence" in rejected
    report = package.audit(lambda got, expected: True, "matmul 16x64:64x16")
    assert len(report.accepted) == report.facts["faults"] and report.smallest_seen is None
    assert "smallest fault seen none" in report.summary
    report = package.audit(torch.testing.assert_close, torch.nn.Softmax(-1), SPEC)
    assert not report.rejected and report.smallest_seen == 2**-10


def test_an_acceptance_gets_arrays_of_its_framework():
    seen = set()

    def accepts(got, expected):
        seen.add((type(got).__name__, str(got.dtype), got.shape == expected.shape))
        return True

    package.audit(accepts, "matmul 4x8:8x4", framework="torch")
    assert seen == {("Tensor", "torch.float32", True)}
    seen.clear()
    package.audit(accepts, "matmul 4x8:8x4")
    assert seen == {("ndarray", "float32", True)}


def test_several_results_come_as_a_tuple():
    def reference(x):
        return x + 1, jax.numpy.sum(x, 0)

    report = package.audit(lambda got, due: all(np.allclose(a, b) for a, b in zip(got, due)), reference, package.f32[8, 9])
    assert "zeros of out1" in [row["name"] for row in report.rows] and not report.rejected


def test_the_separating_tolerance_separates():
    report = package.audit("close:1e-2,1e-2", torch.nn.Softmax(-1), SPEC)
    assert package.audit(report.separating, torch.nn.Softmax(-1), SPEC)


def test_what_cannot_be_audited():
    with pytest.raises(ValueError, match="accepts is int"):
        package.audit(3, "matmul 4x8:8x4")
    with pytest.raises(ValueError, match="no audit without a program.*aten.linalg_ldl_factor"):
        package.audit("dtype", torch.linalg.ldl_factor, package.f32[5, 5])
    with pytest.raises(ValueError, match="odd"):
        package.audit("odd", "matmul 4x8:8x4")
    with pytest.raises(ZeroDivisionError):
        package.audit(lambda got, expected: 1 / 0, "matmul 4x8:8x4")


def test_the_command(assay, tmp_path):
    text = "func.func @main(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {\n  %0 = stablehlo.tanh %a : tensor<4x8xf32>\n  func.return %0 : tensor<4x8xf32>\n}\n"
    (tmp_path / "p.mlir").write_text(text)
    done = assay("audit", "p.mlir", "--rule", "close:1e-1,1e-1", "--json", "a.json")
    assert done.returncode == 1 and "scaled_1.05" in done.stdout, done
    assert done.stdout.splitlines()[-1].startswith("audit: ") and "faults accepted, 0 of 6 right results rejected" in done.stdout
    facts = json.loads((tmp_path / "a.json").read_text())
    assert facts["faults_accepted"] == sum(row["accepted"] and not row["right"] for row in facts["rows"]) > 0
    done = assay("audit", "p.mlir", "--rule", "bound", "--quiet")
    assert done.returncode == 0 and done.stdout.count("\n") == 1 and done.stdout.startswith("audit: 0 of "), done
    assert assay("audit", "p.mlir", "--rule", "odd").returncode == 2
    assert assay("audit", "nosuch.mlir", "--rule", "dtype").returncode == 2
    assert assay("audit", "p.mlir").returncode == 2


def run_pytest(folder, *words):
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # an installed package registers the plugin too
    return preloaded.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "assay.pytest_plugin", *words, cwd=folder, env=alone)


def test_the_fixture_and_the_sweep(tmp_path):
    (tmp_path / "test_it.py").write_text("""
import numpy as np
import assay

def product(a, b):
    return np.ascontiguousarray(a) @ np.ascontiguousarray(b)

def tiled(a, b):  # forgets the columns after the last whole tile
    out = np.zeros((a.shape[0], b.shape[1]), np.float32)
    whole = b.shape[1] // 4 * 4
    out[:, :whole] = a @ b[:, :whole]
    return out

@assay.sweep(m=3, n=4, layouts=True)
def test_product(assay_check, m, n, layout):
    assay_check(product, f"matmul {m}x5:5x{n}", layout=layout)

@assay.sweep(n=4)
def test_tiled(assay_check, n):
    assay_check(tiled, f"matmul 3x5:5x{n}")

@assay.sweep(types=("f32", "f64"))
def test_types(assay_check, dtype):
    assay_check(lambda x: x + x, lambda x: np.add(x, x), dtype[7])
""")
    done = run_pytest(tmp_path, "-rf")
    assert "4 failed" in done.stdout, done
    for size in (1, 3, 5, 19):
        assert f"FAILED test_it.py::test_tiled[n{size}]" in done.stdout, done
    assert "test_tiled[n4]" not in done.stdout and "test_product" not in done.stdout
    assert "indices 4 to 4" in done.stdout or "only index 4 of dimension 1 (the last)" in done.stdout


def test_sizes_of_a_sweep():
    from assay.sweeping import edges, star

    assert edges("m", 16) == (1, 15, 16, 17, 67) and edges("m", 8) == (1, 7, 8, 9, 11, 35)
    assert edges("m", [2, 3]) == (2, 3) and edges("m", 1) == (1, 2, 7)
    cases = star({"m": (1, 2, 3), "n": (4, 5, 6)})
    assert {(m, 5) for m in (1, 2, 3)} | {(2, n) for n in (4, 5, 6)} | {(1, 4), (3, 6)} == set(cases)
    with pytest.raises(ValueError, match="m='x' is neither"):
        package.sweep(m="x")
    with pytest.raises(ValueError, match="'f31' is not an element type"):
        package.sweep(types=("f31",))


def test_assertions_that_cannot_fail_are_named(tmp_path):
    (tmp_path / "test_it.py").write_text("""
import numpy as np
import torch
from numpy.testing import assert_allclose

def test_stuck():
    x = np.linspace(0, 1e-3, 50).astype(np.float32)
    assert_allclose(x, x, atol=10)

def test_weak():
    x = torch.linspace(0.5, 1, 50)
    assert torch.allclose(x, x, rtol=0.03)

def test_good():
    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_allclose(actual=x, desired=x, rtol=1e-6)

def test_fails():
    torch.testing.assert_close(torch.ones(3), torch.zeros(3))
""")
    plain, done = run_pytest(tmp_path), run_pytest(tmp_path, "--assay-audit")
    assert "1 failed, 3 passed" in plain.stdout and "1 failed, 3 passed" in done.stdout and done.returncode == plain.returncode == 1
    table = done.stdout[done.stdout.index("assay audit of numeric assertions") :]
    assert "test_it.py:8   numpy.testing.assert_allclose  1 calls" in table and "CANNOT FAIL for any number" in table, table
    assert table.count("CANNOT FAIL") == 1
    assert "test_it.py:12" in table and "lets pass: scaled_1.01" in table
    assert "test_it.py:16" not in table
    assert "assay audit: 3 assertions, 1 cannot fail, 1 let some fault pass" in table, table
