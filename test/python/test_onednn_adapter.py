"""oneDNN's adapter, only through the plugin interface: problems made by hand, results against NumPy in double precision,
gradients against central differences of the same functions."""
import math
import os
import pathlib

import numpy as np
import pytest

from plugin_module import OK, UNSUPPORTED, Module, strided

LIBRARY = os.path.join(os.environ.get("ASSAY_BIN", "build/release/bin"), "..", "lib", "libassay_onednn.so")
pytestmark = pytest.mark.skipif(not os.path.exists(LIBRARY), reason="built without oneDNN")


@pytest.fixture(scope="module")
def onednn():
    return Module(LIBRARY)


def normal(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed + 7 * len(shape)).standard_normal(shape).astype(dtype)


def gradient(function, at, weights, step=1e-5):
    """d sum(weights * function(x)) / dx, one element at a time."""
    at = at.astype(np.float64)
    result = np.zeros_like(at)
    for index in np.ndindex(*at.shape):
        sides = []
        for sign in (1, -1):
            moved = at.copy()
            moved[index] += sign * step
            sides.append(np.sum(weights * function(moved)))
        result[index] = (sides[0] - sides[1]) / (2 * step)
    return result


def check(module, driver, keys, inputs, expected, dtype=np.float32, orders=None, tolerance=2e-5):
    outputs = {role: np.full(value.shape, 77, dtype) for role, value in expected.items()}
    for role, order in (orders or {}).items():
        for tensors in (inputs, outputs):
            if role in tensors:
                tensors[role] = strided(tensors[role], order)
    code, why = module.run(driver, keys, inputs, outputs)
    assert code == OK, why
    for role, value in expected.items():
        np.testing.assert_allclose(outputs[role].astype(np.float64), value, rtol=tolerance, atol=tolerance, err_msg=role)


def refused(module, driver, keys, inputs, outputs, why):
    code, reason = module.run(driver, keys, inputs, outputs)
    assert (code, reason) == (UNSUPPORTED, why)


# ---- eltwise ----

def sigmoid(x):
    return 1 / (1 + np.exp(-x))


erf = np.vectorize(math.erf)
ELTWISE = {
    "relu": (lambda x, a, b: np.where(x > 0, x, a * x), 0.25, 0), "tanh": (lambda x, a, b: np.tanh(x), 0, 0),
    "elu": (lambda x, a, b: np.where(x > 0, x, a * np.expm1(x)), 0.5, 0), "square": (lambda x, a, b: x * x, 0, 0),
    "abs": (lambda x, a, b: np.abs(x), 0, 0), "linear": (lambda x, a, b: a * x + b, 2, 3),
    "soft_relu": (lambda x, a, b: np.log1p(np.exp(a * x)) / a, 1, 0), "logistic": (lambda x, a, b: sigmoid(x), 0, 0),
    "exp": (lambda x, a, b: np.exp(x), 0, 0), "swish": (lambda x, a, b: x * sigmoid(a * x), 0.5, 0),
    "gelu_tanh": (lambda x, a, b: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))), 0, 0),
    "gelu_erf": (lambda x, a, b: 0.5 * x * (1 + erf(x / math.sqrt(2))), 0, 0),
    "clip": (lambda x, a, b: np.clip(x, a, b), -0.5, 0.75), "clip_v2": (lambda x, a, b: np.clip(x, a, b), -0.5, 0.75),
    "mish": (lambda x, a, b: x * np.tanh(np.log1p(np.exp(x))), 0, 0),
    "hardswish": (lambda x, a, b: x * np.clip(a * x + b, 0, 1), 1 / 6, 0.5),
}
POSITIVE = {"sqrt": (lambda x, a, b: np.sqrt(x), 0, 0), "log": (lambda x, a, b: np.log(x), 0, 0),
            "pow": (lambda x, a, b: a * x**b, 2, 0.5)}
DST = ("relu", "tanh", "elu", "sqrt", "logistic", "exp", "clip_v2")


@pytest.mark.parametrize("name", [*ELTWISE, *POSITIVE, "logsigmoid"])
def test_eltwise(onednn, name):
    function, alpha, beta = {**ELTWISE, **POSITIVE, "logsigmoid": (ELTWISE["soft_relu"][0], -1, 0)}[name]
    keys = {"alg": "soft_relu" if name == "logsigmoid" else name, "alpha": alpha, "beta": beta}
    src, diff = normal(2, 3, 4, 5), normal(2, 3, 4, 5, seed=1)
    if name in POSITIVE:
        src = np.abs(src) + np.float32(0.5)
    f = lambda x: function(x, alpha, beta)
    check(onednn, "eltwise", {**keys, "dir": "FWD_D"}, {"src": src}, {"dst": f(src.astype(np.float64))})
    check(onednn, "eltwise", {**keys, "dir": "FWD_D"}, {"src": src}, {"dst": f(src.astype(np.float64))},
          orders={"src": (0, 2, 3, 1)})  # dst stays row-major
    expected = {"diff_src": gradient(f, src, diff)}
    check(onednn, "eltwise", {**keys, "dir": "BWD_D"}, {"src": src, "diff_dst": diff}, expected, tolerance=2e-4)
    if name in DST:
        dst = f(src.astype(np.float64)).astype(np.float32)
        check(onednn, "eltwise", {**keys, "alg": name + "_dst", "dir": "BWD_D"}, {"dst": dst, "diff_dst": diff}, expected,
              tolerance=2e-4)


def test_eltwise_rounds_and_takes_post_ops(onednn):
    src, other = normal(3, 4), normal(3, 4, seed=1)
    check(onednn, "eltwise", {"alg": "round"}, {"src": 10 * src}, {"dst": np.round(10 * src)})
    check(onednn, "eltwise", {"alg": "linear", "alpha": "2", "beta": "0.5"}, {"src": src}, {"dst": 2 * src + 0.5})
    post = [{"kind": "binary", "name": "add", "dt": "f32", "mask": 3}]
    check(onednn, "eltwise", {"alg": "relu", "post_ops": post}, {"src": src, "post_op_0": other},
          {"dst": np.maximum(src, 0) + other})


# ---- binary, sum, concat, prelu, softmax, reduction ----

BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "min": np.minimum, "max": np.maximum,
          "ge": np.greater_equal, "gt": np.greater, "le": np.less_equal, "lt": np.less, "eq": np.equal, "ne": np.not_equal}


@pytest.mark.parametrize("name", BINARY)
def test_binary(onednn, name):
    a, b = np.round(2 * normal(3, 4, 5)), np.round(2 * normal(3, 1, 5, seed=2)) + np.float32(0.5)
    b[0] += np.float32(0.5)
    b[b == 0] = 1
    check(onednn, "binary", {"alg": name}, {"src": a, "src1": b}, {"dst": BINARY[name](a, b).astype(np.float64)})


def test_binary_scales_both_sides(onednn):
    a, b = normal(3, 4), normal(3, 4, seed=1)
    scales = [{"arg": "src", "mask": 0, "value": 0.5}, {"arg": "src1", "mask": 0, "value": 3}]
    tensors = {"src": a, "src1": b, "scale_src": np.float32([0.5]), "scale_src1": np.float32([3])}
    check(onednn, "binary", {"alg": "ADD", "scales": scales}, tensors, {"dst": 0.5 * a + 3 * b})


def test_sum_and_concat(onednn):
    parts = [normal(2, n, 3, seed=n) for n in (2, 5, 1)]
    roles = dict(zip(("src", "src1", "src2"), parts))
    check(onednn, "concat", {"axis": 1}, roles, {"dst": np.concatenate(parts, 1)}, orders={"src1": (0, 2, 1)})
    same = [normal(2, 3, 4, seed=n) for n in range(3)]
    check(onednn, "sum", {"input_scales": [1, -0.5, 2]}, dict(zip(roles, same)), {"dst": same[0] - 0.5 * same[1] + 2 * same[2]})


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (1, 3, 1, 1), (2, 3, 4, 5)])
def test_prelu(onednn, shape):
    src, wei, diff = normal(2, 3, 4, 5), normal(*shape, seed=3), normal(2, 3, 4, 5, seed=4)
    f = lambda x, w: np.where(x > 0, x, w * x)
    check(onednn, "prelu", {"dir": "FWD_D"}, {"src": src, "wei": wei}, {"dst": f(src, wei)})
    check(onednn, "prelu", {"dir": "BWD_DW"}, {"src": src, "wei": wei, "diff_dst": diff},
          {"diff_src": gradient(lambda x: f(x, wei), src, diff), "diff_wei": gradient(lambda w: f(src, w), wei, diff)},
          tolerance=2e-4)


def softmax(x, axis, log):
    shifted = x - x.max(axis, keepdims=True)
    total = np.log(np.exp(shifted).sum(axis, keepdims=True))
    return shifted - total if log else np.exp(shifted - total)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_softmax(onednn, log, axis):
    src, diff = normal(4, 5, 6), normal(4, 5, 6, seed=1)
    keys = {"alg": "LOGSOFTMAX" if log else "SOFTMAX", "axis": axis}
    f = lambda x: softmax(x, axis, log)
    dst = f(src.astype(np.float64))
    check(onednn, "softmax", {**keys, "dir": "FWD_D"}, {"src": src}, {"dst": dst})
    check(onednn, "softmax", {**keys, "dir": "BWD_D"}, {"dst": dst.astype(np.float32), "diff_dst": diff},
          {"diff_src": gradient(f, src, diff)}, tolerance=2e-4)


@pytest.mark.parametrize("axis", [0, 1])
def test_softmax_scales_its_result(onednn, axis):
    if axis == 1 and "avx512bw" not in pathlib.Path("/proc/cpuinfo").read_text():
        pytest.skip("oneDNN 2.6 leaves the scales of a softmax along the last axis out on AVX2")
    src = normal(4, 5)
    scales = [{"arg": "src", "mask": 0, "value": 3}, {"arg": "dst", "mask": 0, "value": 0.25}]
    tensors = {"src": src, "scale_src": np.float32([3]), "scale_dst": np.float32([0.25])}
    check(onednn, "softmax", {"alg": "SOFTMAX", "axis": str(axis), "scales": scales}, tensors,
          {"dst": 12 * softmax(src, axis, False)})


REDUCTION = {"sum": lambda x, p, e: x.sum(1, keepdims=True), "mul": lambda x, p, e: x.prod(1, keepdims=True),
             "max": lambda x, p, e: x.max(1, keepdims=True), "min": lambda x, p, e: x.min(1, keepdims=True),
             "mean": lambda x, p, e: x.mean(1, keepdims=True),
             "norm_lp_max": lambda x, p, e: np.maximum((np.abs(x)**p).sum(1, keepdims=True), e)**(1 / p),
             "norm_lp_sum": lambda x, p, e: ((np.abs(x)**p).sum(1, keepdims=True) + e)**(1 / p),
             "norm_lp_power_p_max": lambda x, p, e: np.maximum((np.abs(x)**p).sum(1, keepdims=True), e),
             "norm_lp_power_p_sum": lambda x, p, e: (np.abs(x)**p).sum(1, keepdims=True) + e}


@pytest.mark.parametrize("name", REDUCTION)
def test_reduction(onednn, name):
    src = normal(3, 7, 5)
    check(onednn, "reduction", {"alg": name, "p": 3, "eps": 0.5}, {"src": src},
          {"dst": REDUCTION[name](src.astype(np.float64), 3, 0.5)})


# ---- windows ----

def windows(x, kernel, stride, dilation, pad, fill):
    """Each output position's window, flattened, of the last two dimensions; `fill` in the padding."""
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=fill)
    reach = (kernel - 1) * (dilation + 1) + 1
    out = (x.shape[2] - reach) // stride + 1
    rows = [[x[:, :, i * stride:i * stride + reach:dilation + 1, j * stride:j * stride + reach:dilation + 1].reshape(*x.shape[:2], -1)
             for j in range(out)] for i in range(out)]
    return np.stack([np.stack(row, 2) for row in rows], 2)


def pool(x, alg, *window):
    if alg == "max":
        return windows(x, *window, -np.inf).max(-1)
    total = windows(x, *window, 0).sum(-1)
    inside = windows(np.ones_like(x), *window, 0 if alg == "avg_np" else 1).sum(-1)
    return total / inside


@pytest.mark.parametrize("dilation", [0, 1])
@pytest.mark.parametrize("alg", ["max", "avg_np", "avg_p"])
def test_pool(onednn, alg, dilation):
    src = normal(2, 3, 7, 7)
    window = (3, 2, dilation, 1)
    f = lambda x: pool(x, alg, *window)
    dst = f(src.astype(np.float64))
    diff = normal(*dst.shape, seed=5)
    keys = {"alg": alg, "kh": 3, "kw": 3, "sh": 2, "sw": 2, "ph": 1, "pw": 1, "ph_r": 1, "pw_r": 1, "dh": dilation, "dw": dilation}
    for direction in ("FWD_D", "FWD_I"):
        check(onednn, "pool", {**keys, "dir": direction}, {"src": src}, {"dst": dst}, orders={"src": (0, 2, 3, 1)})
    check(onednn, "pool", {**keys, "dir": "BWD_D"}, {"src": src, "diff_dst": diff}, {"diff_src": gradient(f, src, diff)},
          tolerance=2e-4)


def resample(x, size, linear):
    old = x.shape[-1]
    places = (np.arange(size) + 0.5) * old / size - 0.5
    low = np.floor(places).astype(int)
    if not linear:
        return x[..., np.clip(np.round(places).astype(int), 0, old - 1)]
    share = places - low
    return x[..., np.clip(low, 0, old - 1)] * (1 - share) + x[..., np.clip(low + 1, 0, old - 1)] * share


@pytest.mark.parametrize("size", [5, 9])
@pytest.mark.parametrize("alg", ["nearest", "linear"])
def test_resampling(onednn, alg, size):
    src, diff = normal(2, 3, 7), normal(2, 3, size, seed=1)
    f = lambda x: resample(x, size, alg == "linear")
    check(onednn, "resampling", {"alg": alg, "dir": "FWD_D"}, {"src": src}, {"dst": f(src)})
    check(onednn, "resampling", {"alg": alg, "dir": "BWD_D"}, {"diff_dst": diff}, {"diff_src": gradient(f, src, diff)},
          tolerance=2e-4)


def lrn(x, alg, size, alpha, beta, k):
    reach, squares = size // 2, x * x
    if alg == "ACROSS":
        padded = np.pad(squares, ((0, 0), (reach, reach), (0, 0), (0, 0)))
        total = sum(padded[:, i:i + x.shape[1]] for i in range(size)) / size
    else:
        padded = np.pad(squares, ((0, 0), (0, 0), (reach, reach), (reach, reach)))
        total = sum(padded[:, :, i:i + x.shape[2], j:j + x.shape[3]] for i in range(size) for j in range(size)) / size**2
    return x * (k + alpha * total)**-beta


@pytest.mark.parametrize("alg", ["ACROSS", "WITHIN"])
def test_lrn(onednn, alg):
    src, diff = normal(2, 6, 4, 4), normal(2, 6, 4, 4, seed=1)
    f = lambda x: lrn(x, alg, 5, 0.5, 0.75, 1.5)
    keys = {"alg": alg, "ls": 5, "alpha": 0.5, "beta": 0.75, "k": 1.5}
    check(onednn, "lrn", {**keys, "dir": "FWD_D"}, {"src": src}, {"dst": f(src.astype(np.float64))})
    check(onednn, "lrn", {**keys, "dir": "FWD_I"}, {"src": src}, {"dst": f(src.astype(np.float64))})
    check(onednn, "lrn", {**keys, "dir": "BWD_D"}, {"src": src, "diff_dst": diff}, {"diff_src": gradient(f, src, diff)},
          tolerance=5e-4)


def test_shuffle(onednn):
    src = normal(2, 12, 3)
    f = lambda x, group: x.reshape(2, 12 // group, group, 3).swapaxes(1, 2).reshape(2, 12, 3)  # group: elements of one group
    check(onednn, "shuffle", {"axis": 1, "group": 4, "dir": "FWD_D"}, {"src": src}, {"dst": f(src, 4)})
    check(onednn, "shuffle", {"axis": 1, "group": 4, "dir": "BWD_D"}, {"diff_dst": f(src, 4)}, {"diff_src": src})


# ---- normalisations ----

def normalise(x, axes, scale, shift, eps, mean=None, var=None):
    mean = x.mean(axes, keepdims=True) if mean is None else mean
    var = ((x - mean)**2).mean(axes, keepdims=True) if var is None else var
    return (x - mean) / np.sqrt(var + eps) * scale + shift


def normalisation(onednn, driver, src, axes, shape, flags):
    """Forward in training and with given statistics, and backward, for one set of flags."""
    keys, eps = {"flags": flags, "eps": 0.125}, 0.125
    wide = src.astype(np.float64)
    mean, var = wide.mean(axes, keepdims=True), wide.var(axes, keepdims=True)
    scale, shift = (normal(*shape, seed=s) if letter in flags else None for s, letter in ((8, "C"), (9, "H")))
    spread = [1] * src.ndim
    spread[src.ndim - 1 if driver == "lnorm" else 1] = -1
    wide_of = lambda value, otherwise: otherwise if value is None else value.reshape(spread)
    relu = (lambda y: np.maximum(y, 0)) if "R" in flags else (lambda y: y)
    f = lambda x, s=scale, b=shift, **stats: relu(normalise(x, axes, wide_of(s, 1), wide_of(b, 0), eps, **stats))
    diff = normal(*src.shape, seed=6)
    given = {"mean": mean.squeeze(axes).astype(np.float32), "var": var.squeeze(axes).astype(np.float32)}
    weights = {role: value for role, value in (("scale", scale), ("shift", shift)) if value is not None}
    stats = {"mean": mean, "var": var} if "G" in flags else {}
    if "G" in flags:
        check(onednn, driver, {**keys, "dir": "FWD_I"}, {"src": src, **given, **weights}, {"dst": f(wide, **stats)})
    else:
        check(onednn, driver, {**keys, "dir": "FWD_D"}, {"src": src, **weights}, {"dst": f(wide), **given})
    expected = {"diff_src": gradient(lambda x: f(x, **stats), src, diff)}
    if scale is not None:
        expected["diff_scale"] = gradient(lambda s: f(wide, s=s, **stats), scale, diff)
    if shift is not None:
        expected["diff_shift"] = gradient(lambda b: f(wide, b=b, **stats), shift, diff)
    direction = "BWD_DW" if weights else "BWD_D"
    if "R" not in flags:
        weights.pop("shift", None)  # no gradient depends on it
    check(onednn, driver, {**keys, "dir": direction}, {"src": src, **given, "diff_dst": diff, **weights}, expected, tolerance=5e-4)


@pytest.mark.parametrize("flags", ["", "C", "CH", "G", "GCH"])
def test_lnorm(onednn, flags):
    normalisation(onednn, "lnorm", normal(3, 4, 6), (2,), (6,), flags)


@pytest.mark.parametrize("flags", ["", "C", "CH", "G", "GCH", "CHR", "R"])
def test_bnorm(onednn, flags):
    normalisation(onednn, "bnorm", normal(3, 4, 3, 5), (0, 2, 3), (4,), flags)


def test_statistics_may_have_a_last_dimension_of_one(onednn):
    src = normal(3, 4, 6)
    wide = src.astype(np.float64)
    mean, var = wide.mean(2, keepdims=True), wide.var(2, keepdims=True)
    check(onednn, "lnorm", {"flags": "", "eps": 0.125, "dir": "FWD_D"}, {"src": src},
          {"dst": (wide - mean) / np.sqrt(var + 0.125), "mean": mean, "var": var})


# ---- reorder ----

def test_reorder_changes_type_and_layout(onednn):
    src = np.round(40 * normal(2, 3, 4))
    check(onednn, "reorder", {}, {"src": src}, {"dst": np.clip(src, -128, 127)}, dtype=np.int8, orders={"dst": (0, 2, 1)})
    check(onednn, "reorder", {}, {"src": src.astype(np.int8)}, {"dst": src.astype(np.int8)}, orders={"src": (2, 1, 0)})


def test_reorder_with_scales_and_zero_points(onednn):
    src = np.round(20 * normal(2, 3, 4)).astype(np.int8)
    scales = [{"arg": "src", "mask": 0, "value": 0.5}, {"arg": "dst", "mask": 0, "value": 4}]
    points = [{"arg": "src", "mask": 0, "value": 3}]
    tensors = {"src": src, "scale_src": np.float32([0.5]), "scale_dst": np.float32([4]), "zp_src": np.int32([3])}
    check(onednn, "reorder", {"scales": scales, "zero_points": points}, tensors, {"dst": (src - 3.0) * 0.5 / 4})


def test_reorder_with_a_scale_for_each_channel(onednn):
    src, scale = normal(2, 3, 4), np.float32([0.5, 2, 4]).reshape(1, 3, 1)
    check(onednn, "reorder", {"scales": [{"arg": "src", "mask": 2}]}, {"src": src, "scale_src": scale}, {"dst": src * scale})


# ---- what oneDNN does not have ----

def test_what_is_missing_is_named(onednn):
    src = normal(2, 4, 3)
    same = {"src": src}, {"dst": src.copy()}
    version = onednn.version()
    refused(onednn, "gnorm", {}, *same, f"oneDNN {version} has no group normalization")
    refused(onednn, "sdpa", {}, *same, f"oneDNN {version} has no primitive of scaled dot product attention")
    refused(onednn, "nothing", {}, *same, "the adapter of oneDNN has no driver 'nothing'")
    refused(onednn, "eltwise", {"alg": "relu", "alpha": "a"}, *same, "'alpha' is not a number: 'a'")
    refused(onednn, "shuffle", {"axis": "b"}, *same, "'axis' is not an integer: 'b'")
    refused(onednn, "eltwise", {"alg": "sine"}, *same, f"oneDNN {version} has no eltwise function 'sine'")
    refused(onednn, "binary", {"alg": "select"}, {"src": src, "src1": src}, {"dst": src.copy()},
            f"oneDNN {version} has no binary function 'select'")
    refused(onednn, "binary", {"alg": "add"}, *same, "oneDNN needs the tensor 'src1' here")
    refused(onednn, "shuffle", {"scales": [{"arg": "src", "mask": 0, "value": 2}]}, *same,
            f"oneDNN {version} has no scales or zero points in shuffle")
    refused(onednn, "lnorm", {"post_ops": [{"kind": "eltwise", "name": "relu"}]}, *same,
            f"oneDNN {version} has no post-ops in layer normalization")
    refused(onednn, "lnorm", {"flags": "M"}, *same, f"oneDNN {version} has no root mean square normalization")
    refused(onednn, "bnorm", {"flags": "A"}, *same, "the adapter of oneDNN has no normalization that adds a second tensor")
    refused(onednn, "lnorm", {"flags": "G", "dir": "FWD_I"}, {"src": src},
            {"dst": src.copy(), "other": src.copy()}, "oneDNN does not compute 'other' here")
    if version.startswith("2."):
        refused(onednn, "eltwise", {"alg": "relu"}, {"src": src}, {"dst": src.astype(np.int8)},
                "oneDNN 2.x has one data type for 'src' and 'dst' of eltwise")
        refused(onednn, "reorder", {"scales": [{"arg": "dst", "mask": 0, "value": 3}]}, *same,
                "oneDNN 2.x has one scale in reorder; the reciprocal of dst's is not exact")
        refused(onednn, "softmax", {"alg": "softmax", "scales": [{"arg": "dst", "mask": 0, "value": 3}]}, *same,
                "oneDNN 2.x has one scale in softmax, a number, no post-ops beside it; the reciprocal of dst's must be exact")
        refused(onednn, "eltwise", {"alg": "relu"}, {"src": src.astype(np.float64)}, {"dst": src.astype(np.float64)},
                f"oneDNN {version} has no data type f64")
