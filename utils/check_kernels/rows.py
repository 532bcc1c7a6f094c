"""Elementwise functions, softmax, norms: kernels that work on rows."""
import math

import jax
import jax.numpy as jnp
import numpy as np
import torch
from family import Family

import assay

f32, f16 = np.float32, np.float16
erf = np.vectorize(math.erf, otypes=[np.float64])


def bf16(x):
    """x rounded to bf16 by truncation, as in kernels that shift the bits."""
    return (np.ascontiguousarray(x, f32).view(np.uint32) & 0xFFFF0000).view(f32)


# --- GELU
gelu = Family("gelu", lambda x: jax.nn.gelu(x, approximate=False), assay.f32[37, 101])


def exact_gelu(x):
    x = x.astype(np.float64)
    return (0.5 * x * (1 + erf(x / math.sqrt(2)))).astype(f32)


gelu.right()(exact_gelu)
gelu.right("torch")(lambda x: torch.nn.functional.gelu(x))
gelu.right("jax")(lambda x: jax.nn.gelu(x, approximate=False))
gelu.right()(lambda x: np.concatenate([exact_gelu(x[:, :64]), exact_gelu(x[:, 64:])], 1))
gelu.wrong("tanh formula in place of erf")(lambda x: (0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))).astype(f32))
gelu.wrong("tanh formula in place of erf", "torch")(lambda x: torch.nn.functional.gelu(x, approximate="tanh"))
gelu.wrong("square root of 2 left out")(lambda x: (0.5 * x * (1 + erf(x))).astype(f32))
gelu.wrong("x beyond 2 passed through")(lambda x: np.where(x > 2, x, exact_gelu(x)))
gelu.wrong("computed in f16")(lambda x: (f16(0.5) * x.astype(f16) * (1 + erf(x / math.sqrt(2)).astype(f16))).astype(f32))


@gelu.wrong("tail after the last whole vector of 8 not computed")
def gelu_tail(x):
    out = np.array(x)
    out[:, :96] = exact_gelu(x[:, :96])
    return out


# --- SwiGLU
swiglu = Family("swiglu", lambda x, y: jax.nn.silu(x) * y, assay.f32[40, 65], assay.f32[40, 65])


def silu(x):
    return x / (1 + np.exp(-x))


swiglu.right()(lambda x, y: silu(x) * y)
swiglu.right("torch")(lambda x, y: torch.nn.functional.silu(x) * y)
swiglu.right("jax")(lambda x, y: x * y * jax.nn.sigmoid(x))
swiglu.right()(lambda x, y: np.where(x > 0, x / (1 + np.exp(-np.abs(x))), x * np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x)))) * y)
swiglu.wrong("gate and value exchanged")(lambda x, y: silu(y) * x)
swiglu.wrong("product rounded to bf16", "torch")(lambda x, y: (torch.nn.functional.silu(x).bfloat16() * y.bfloat16()).float())
swiglu.wrong("sigmoid without its x")(lambda x, y: y / (1 + np.exp(-x)))
swiglu.wrong("value read one column off")(lambda x, y: silu(x) * np.roll(y, 1, axis=1))
swiglu.wrong("scaled by 1.0005", "jax")(lambda x, y: jax.nn.silu(x) * y * 1.0005)

# --- Softmax
softmax = Family("softmax", lambda x: jax.nn.softmax(x, axis=-1), assay.f32[33, 257])
large = Family("softmax of large numbers", lambda x: jax.nn.softmax(x, axis=-1), (np.random.default_rng(5).normal(size=(33, 257)) * 60).astype(f32))


def plain_softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def online_softmax(x, rescale=True, block=64):
    most, total = np.full((x.shape[0], 1), -np.inf, f32), np.zeros((x.shape[0], 1), f32)
    for start in range(0, x.shape[1], block):
        part = x[:, start : start + block]
        new = np.maximum(most, part.max(-1, keepdims=True))
        total = (total * np.exp(most - new) if rescale else total) + np.exp(part - new).sum(-1, keepdims=True)
        most = new
    return np.exp(x - most) / total


for family in (softmax, large):
    family.right()(plain_softmax)
    family.right()(online_softmax)
    family.right("torch")(lambda x: torch.softmax(x, -1))
softmax.right("jax")(lambda x: jnp.exp(jax.nn.log_softmax(x, axis=-1)))
softmax.right()(lambda x: plain_softmax(x.astype(np.float64)).astype(f32))
large.wrong("maximum not taken off")(lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True))
large.wrong("maximum of the first block only")(lambda x: np.exp(x - x[:, :64].max(-1, keepdims=True)) / np.exp(x - x[:, :64].max(-1, keepdims=True)).sum(-1, keepdims=True))
softmax.wrong("sum not rescaled when the maximum grows")(lambda x: online_softmax(x, rescale=False))
softmax.wrong("over the wrong axis")(lambda x: plain_softmax(x.T).T)
softmax.wrong("last column left out of the sum")(lambda x: np.exp(x) / np.exp(x[:, :-1]).sum(-1, keepdims=True))
softmax.wrong("zeros")(np.zeros_like)
softmax.wrong("sum kept in f16")(lambda x: np.exp(x) / np.exp(x).astype(f16).cumsum(-1, dtype=f16)[:, -1:].astype(f32))
softmax.wrong("power of 2 in place of e", "torch")(lambda x: torch.softmax(x * 0.6931472, -1))
softmax.wrong("one row not normalised", "torch")(lambda x: torch.cat([torch.softmax(x[:-1], -1), torch.exp(x[-1:] - x[-1:].max())]))
softmax.wrong("NaN taken for 0 in one element")(lambda x: np.where(np.arange(x.size).reshape(x.shape) == 777, np.nan, plain_softmax(x)).astype(f32))

# --- LayerNorm
layer_norm = Family(
    "layer norm", lambda x, w, b: torch.nn.functional.layer_norm(x, (200,), w, b, 1e-5), assay.f32[16, 200], assay.f32[200], assay.f32[200]
)

draw = np.random.default_rng(6)
small_norm = Family("layer norm of small numbers", layer_norm.reference, *((draw.normal(size=size) * 1e-2).astype(f32) for size in ((16, 200), (200,), (200,))))


def normalised(x, w, b, mean=None, variance=None, epsilon=1e-5):
    mean = x.mean(-1, keepdims=True) if mean is None else mean
    variance = x.var(-1, keepdims=True) if variance is None else variance
    return ((x - mean) / np.sqrt(variance + f32(epsilon)) * w + b).astype(f32)


@layer_norm.right()
def welford(x, w, b):
    mean, squares = np.zeros((x.shape[0], 1), f32), np.zeros((x.shape[0], 1), f32)
    for i in range(x.shape[1]):
        column = x[:, i : i + 1]
        step = column - mean
        mean = mean + step / f32(i + 1)
        squares = squares + step * (column - mean)
    return normalised(x, w, b, mean, squares / f32(x.shape[1]))


layer_norm.right()(normalised)
layer_norm.right("torch")(lambda x, w, b: torch.nn.functional.layer_norm(x, (200,), w, b))
layer_norm.right()(lambda x, w, b: normalised(x.astype(np.float64), w, b))
small_norm.right()(normalised)
small_norm.wrong("epsilon left out")(lambda x, w, b: normalised(x, w, b, epsilon=0))
layer_norm.wrong("epsilon 1e-3 in place of 1e-5")(lambda x, w, b: normalised(x, w, b, epsilon=1e-3))
layer_norm.wrong("variance divided by n - 1")(lambda x, w, b: normalised(x, w, b, variance=x.var(-1, ddof=1, keepdims=True)))
layer_norm.wrong("epsilon outside of the root", "torch")(
    lambda x, w, b: (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True).sqrt() + 1e-4) * w + b
)
layer_norm.wrong("mean not taken off")(lambda x, w, b: normalised(x, w, b, mean=f32(0)))
layer_norm.wrong("statistics of the first row for all")(lambda x, w, b: normalised(x, w, b, x[:1].mean(-1, keepdims=True), x[:1].var(-1, keepdims=True)))
layer_norm.wrong("bias added before the weight", "jax")(
    lambda x, w, b: ((x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) + b) * w
)
layer_norm.wrong("statistics without the last 8 columns")(lambda x, w, b: normalised(x, w, b, x[:, :192].mean(-1, keepdims=True), x[:, :192].var(-1, keepdims=True)))
layer_norm.wrong("computed in bf16", "torch")(lambda x, w, b: torch.nn.functional.layer_norm(x.bfloat16(), (200,), w.bfloat16(), b.bfloat16()).float())

FAMILIES = [gelu, swiglu, softmax, large, layer_norm, small_norm]
