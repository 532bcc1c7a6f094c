"""Engine python:FILE.py:FUNCTION of `assay verify` and `assay run`: right, wrong and misbehaving functions, unsupported problems."""
import os
import pathlib
import sys

import pytest

PROGRAMS = pathlib.Path(__file__).resolve().parents[1] / "programs"
KERNELS = """
import os
import numpy as np

def matmul(src, wei):
    return (src.astype(np.float64) @ wei.astype(np.float64)).astype(src.dtype)

def last_row_left(src, wei):
    out = matmul(src, wei)
    out[-1] = 0
    return out

def aborts(src, wei):
    os.abort()

def raises(src, wei):
    raise RuntimeError("no luck")

def writes_input(src, wei):
    src[0] = 1
    return matmul(src, wei)

def affine(src, wei, *rest, problem):
    assert problem["driver"] == "matmul" and problem["m"] == src.shape[0], problem
    out = src.astype(np.float64) @ wei
    for bias in rest:
        out = out + bias
    for post in problem["post_ops"]:
        out = np.maximum(out, 0)
    return out.astype(np.float32)

def by_torch(src, wei):
    import torch
    return torch.matmul(src, wei)
by_torch.arrays = "torch"

def product(a, b):
    return a @ b
"""


@pytest.fixture
def verify(assay, tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_PYTHON", sys.executable)
    (tmp_path / "kernels.py").write_text(KERNELS)
    return lambda function, *words: assay("verify", f"--engine=python:kernels.py:{function}", *words)


@pytest.mark.parametrize(
    "function,status",
    [
        ("matmul", "0:PASSED"),
        ("by_torch", "0:PASSED"),
        ("last_row_left", "0:FAILED (errors:7 total:84)"),
        ("aborts", "0:CRASHED (Aborted)"),
        ("raises", "0:FAILED (raised RuntimeError: no luck (kernels.py:17))"),
        ("writes_input", "0:FAILED (wrote into an input (kernels.py:20))"),
        ("missing", "0:INVALID_ARGUMENTS (cannot load the kernel: raised AttributeError: no function 'missing'"),
    ],
)
def test_every_outcome(verify, function, status):
    done = verify(function, "--matmul", "12x40:40x7")
    assert status in done.stdout, done
    assert done.returncode == {"PASSED": 0, "INVALID_ARGUMENTS": 2}.get(status.split(":")[1].split()[0], 1)


def test_a_function_says_what_it_takes(verify):
    done = verify("matmul", "--matmul", "--bia-dt=f32", "12x40:40x7", "--reset", "--attr-post-ops=relu", "12x40:40x7")
    assert "0:SKIPPED (the function cannot take src, wei, bia: too many positional arguments)" in done.stdout, done
    assert "1:SKIPPED (a function without the keyword problem= does no post_ops)" in done.stdout and done.returncode == 3
    done = verify("affine", "--matmul", "--bia-dt=f32,undef", "--attr-post-ops=relu", "12x40:40x7")
    assert "tests:2 passed:2" in done.stdout, done


def test_a_whole_program_and_a_model(verify, assay, tmp_path):
    (tmp_path / "p.mlir").write_text(
        "func.func @main(%a: tensor<5x6xf32>, %b: tensor<6x4xf32>) -> tensor<5x4xf32> {\n"
        "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<5x6xf32>, tensor<6x4xf32>) -> tensor<5x4xf32>\n"
        "  %1 = stablehlo.cosine %0 : tensor<5x4xf32>\n  func.return %1 : tensor<5x4xf32>\n}\n"
    )
    done = verify("product", "--op", "p.mlir")
    assert "0:FAILED" in done.stdout, done  # the cosine is missing
    model = PROGRAMS / "transformer_block"
    words = ["run", f"{model}.mlir", "--input", f"{model}.npz", "--expect", f"{model}.npz", "--engine"]
    done = assay(*words, "python:kernels.py:matmul")
    assert done.returncode == 0 and "6 products and convolutions ran on engine 'python:kernels.py:matmul'" in done.stderr, done
    assert assay(*words, "python:kernels.py:last_row_left").returncode == 1
    done = assay(*words, "python:kernels.py:aborts")
    assert done.returncode == 1 and "crashed" in done.stderr, done


@pytest.mark.parametrize(
    "engine,message",
    [
        ("python:nosuch.py:f", "no file 'nosuch.py'"),
        ("python:kernels.py", "'kernels.py' is not FILE.py:FUNCTION"),
        ("python", "no engine named 'python'"),
    ],
)
def test_a_name_that_is_none(verify, assay, engine, message):
    done = assay("run", PROGRAMS / "mlp_inference.mlir", "--input", "random", "--engine", engine)
    assert done.returncode == 2 and message in done.stderr, done


def test_no_interpreter(verify, monkeypatch):
    monkeypatch.setenv("ASSAY_PYTHON", os.path.join("/nowhere", "python"))
    done = verify("matmul", "--matmul", "12x40:40x7")
    assert "ASSAY_PYTHON names '/nowhere/python', which is not a program" in done.stdout + done.stderr, done
    assert done.returncode == 2 and "FAILED" not in done.stdout, done
