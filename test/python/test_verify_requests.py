"""Requests of problems beyond their values, judged against NumPy: groups of scales, coarser mathematics, encodings, given data."""
import sys

import numpy as np
import pytest

KERNELS = """
import numpy as np

def spread(values, shape):
    for d, size in enumerate(shape):
        values = np.repeat(values, size // values.shape[d], axis=d)
    return values

def dequantised(problem, src, wei, rest, rotate=0):
    factors = {"src": src.astype(np.float64), "wei": wei.astype(np.float64)}
    rest = list(rest)
    for name in ("src", "wei"):
        scaled = any(entry["arg"] == name for entry in problem["scales"])
        shifted = any(entry["arg"] == name for entry in problem["zero_points"])
        scale = rest.pop(0) if scaled else None
        zero = rest.pop(0) if shifted else None
        if zero is not None:
            factors[name] -= spread(zero.astype(np.float64), factors[name].shape)
        if scale is not None:
            factors[name] *= spread(np.roll(scale.astype(np.float64), rotate, axis=-2), factors[name].shape)
    return (factors["src"] @ factors["wei"]).astype(np.int32 if problem["dt"][2] == "s32" else np.float32)

def grouped(src, wei, *rest, problem):
    return dequantised(problem, src, wei, rest)

def next_group(src, wei, *rest, problem):
    return dequantised(problem, src, wei, rest, rotate=1)

def to_bf16(x):
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000).view(np.float32)

def in_bf16(src, wei, problem):
    return to_bf16(src) @ to_bf16(wei)

def in_f16(src, wei, problem):
    return src.astype(np.float16).astype(np.float32) @ wei.astype(np.float16).astype(np.float32)

def in_seven_bits(src, wei, problem):
    cut = (src.view(np.uint32) & 0xfffe0000).view(np.float32)
    return cut @ to_bf16(wei)

def sums_in_f16(src, wei, problem):
    out = np.zeros((src.shape[0], wei.shape[1]), np.float16)
    for k in range(src.shape[1]):
        out = (out + np.outer(src[:, k], wei[k])).astype(np.float16)
    return out.astype(np.float32)
"""


@pytest.fixture
def verify(assay, tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_PYTHON", sys.executable)
    (tmp_path / "kernels.py").write_text(KERNELS)
    return lambda function, *words: assay("verify", f"--engine=python:kernels.py:{function}", *words)


WORDS = [
    ("--attr-scales=wei:per_ocic:f32:8x1", "12x40:40x7"),
    ("--attr-scales=wei:3:bf16:4x1", "--attr-zero-points=wei:3:s8:8x1", "--dt=f32:s8:f32", "12x40:40x7"),
    ("--attr-scales=src:per_ocic:f16:1x10+wei:per_ocic:f16:20x1", "12x40:40x10"),
    ("--attr-scales=src:per_tensor:f32:4x5", "--dt=u8:s8:f32", "12x40:40x7"),
    ("--attr-zero-points=src:per_ocic:s32:1x8", "--dt=s8:s8:s32", "12x40:40x7"),
    ("--attr-scales=wei:7:f32:8x1", "3x12x40:3x40x7"),
    ("--attr-scales=wei:per_dim_0", "12x7:7x7"),
    ("--attr-scales=src:per_dim_1", "12x40:40x40"),
]


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_groups_are_those_that_numpy_applies(verify, assay, words):
    done = verify("grouped", "--matmul", *words)
    assert "0:PASSED" in done.stdout, done
    done = assay("verify", "--engine=native", "--matmul", *words)
    assert "0:PASSED" in done.stdout, done
    if "per_ocic" in words[0] and "scales" in words[0]:
        assert "0:FAILED" in verify("next_group", "--matmul", *words).stdout


def test_groups_that_do_not_divide_are_invalid(assay):
    done = assay("verify", "--engine=native", "--matmul", "--attr-scales=wei:per_ocic:f32:7x1", "12x40:40x7")
    assert "INVALID_ARGUMENTS (groups of 7 elements do not divide dimension 0 of 'wei', which has 40)" in done.stdout, done


@pytest.mark.parametrize(
    "function,mode,status",
    [
        ("in_bf16", "strict", "FAILED"),
        ("in_bf16", "bf16", "PASSED"),
        ("in_bf16", "any", "PASSED"),
        ("in_bf16", "f16", "FAILED"),
        ("in_f16", "f16", "PASSED"),
        ("in_f16", "tf32", "PASSED"),
        ("in_f16", "bf16", "PASSED"),
        ("in_seven_bits", "bf16", "FAILED"),
    ],
)
def test_the_bound_follows_the_mode_of_mathematics(verify, function, mode, status):
    done = verify(function, "--matmul", f"--attr-fpmath={mode}", "24x96:96x17")
    assert f"0:{status}" in done.stdout, done
    assert mode == "strict" or "with --attr-fpmath, an allowance that the engine does not use" in done.stdout, done


@pytest.mark.parametrize("mode,status", [("strict", "FAILED"), ("relaxed", "FAILED"), ("f16", "PASSED")])
def test_the_bound_follows_the_accumulator(verify, mode, status):
    done = verify("sums_in_f16", "--matmul", "--fill=normal", f"--attr-acc-mode={mode}", "24x96:96x17")
    assert f"0:{status}" in done.stdout, done


def test_an_encoding_gives_zeros(verify, assay):
    for engine in ("native", "reference"):
        done = assay("verify", f"--engine={engine}", "--matmul", "--encoding=csr+0.9::,:packed+0.5:", "24x96:96x17")
        assert "tests:2 passed:2" in done.stdout and "with --encoding, the engine is given the same tensor dense" in done.stdout, done
    done = assay("verify", "--engine=native", "--fill=exact", "-v1", "--matmul", "--encoding=csr+0.9::", "24x96:96x17")
    assert "some terms are 0" in done.stdout, done
    assert assay("verify", "--matmul", "--encoding=csr+2::", "24x96:96x17").returncode == 2


def test_own_data_is_what_is_judged(verify, assay, tmp_path):
    src = np.full((24, 96), 1 / 3, np.float32)
    np.save(tmp_path / "src.npy", src)
    done = verify("in_bf16", "--input=src=src.npy", "--matmul", "24x96:96x17")
    assert "0:FAILED" in done.stdout and "given data" in done.stdout, done
    np.save(tmp_path / "src.npy", np.ones((24, 96), np.float32))
    np.save(tmp_path / "wei.npy", np.full((96, 17), 0.5, np.float32))
    done = verify("in_bf16", "--input=src=src.npy", "--input=wei=wei.npy", "--matmul", "24x96:96x17")
    assert "0:PASSED" in done.stdout, done  # all values are exact in bf16
