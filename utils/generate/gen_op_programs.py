#!/usr/bin/env python3
"""Writes inputs/op/programs/*.mlir: programs on which bounds say little or nothing (loops that stop by a tolerance,
solvers, sorting by inexact keys, saturating softmax, recurrences, cancellation), and models in the form in which
PyTorch exports them (weights as [out, in], transposed before each product).

usage: gen_op_programs.py [FOLDER]        (default: inputs/op/programs beside this script's folder)

`assay verify --op inputs/op/programs/NAME.mlir` makes the arguments. Needs: jax (CPU).
"""
import pathlib
import sys

import jax
import jax.numpy as jnp
from jax import lax

PROGRAMS = {}


def program(*shapes, dtype=jnp.float32):
    def register(function):
        PROGRAMS[function.__name__] = (function, [jax.ShapeDtypeStruct(s, dtype) for s in shapes])
        return function
    return register


def spd(a):
    return a @ a.T + jnp.eye(a.shape[0], dtype=a.dtype)


# ---- iterative solvers ----
@program((24, 24), (24,))
def conjugate_gradient_tolerance(a, b):
    a = spd(a)

    def body(state):
        x, r, p, rr, i = state
        ap = a @ p
        alpha = rr / (p @ ap)
        x, r2 = x + alpha * p, r - alpha * ap
        new = r2 @ r2
        return x, r2, r2 + new / rr * p, new, i + 1

    start = (jnp.zeros_like(b), b, b, b @ b, 0)
    x, _, _, rr, i = lax.while_loop(lambda s: (s[3] > 1e-10) & (s[4] < 100), body, start)
    return x, i


@program((24, 24), (24,))
def conjugate_gradient_steps(a, b):
    a = spd(a)

    def body(_, state):
        x, r, p, rr = state
        ap = a @ p
        alpha = rr / (p @ ap)
        r2 = r - alpha * ap
        new = r2 @ r2
        return x + alpha * p, r2, r2 + new / rr * p, new

    return lax.fori_loop(0, 12, body, (jnp.zeros_like(b), b, b, b @ b))[0]


@program((64,))
def newton_square_root(x):
    a = jnp.abs(x) + 0.5

    def body(state):
        y, _, i = state
        new = 0.5 * (y + a / y)
        return new, jnp.max(jnp.abs(new - y)), i + 1

    return lax.while_loop(lambda s: (s[1] > 1e-6) & (s[2] < 40), body, (a, jnp.float32(1), 0))[0]


@program((32, 32), (32,))
def power_iteration(a, v):
    a = spd(a)

    def body(_, v):
        w = a @ v
        return w / jnp.linalg.norm(w)

    v = lax.fori_loop(0, 30, body, v)
    return v, v @ (a @ v)


@program((32, 32), (32,))
def jacobi_iteration(a, b):
    a = a * 0.25 + 8 * jnp.eye(32)
    d = jnp.diagonal(a)

    def body(state):
        x, _, i = state
        new = (b - (a @ x - d * x)) / d
        return new, jnp.max(jnp.abs(new - x)), i + 1

    return lax.while_loop(lambda s: (s[1] > 1e-6) & (s[2] < 60), body, (jnp.zeros(32), jnp.float32(1), 0))[0]


@program((64, 8), (64,), (8,))
def logistic_descent(x, t, w):
    y = (t > 0).astype(jnp.float32)

    def body(_, w):
        return w - 0.1 * x.T @ (jax.nn.sigmoid(x @ w) - y) / 64

    return lax.fori_loop(0, 40, body, w)


@program((16,))
def bisection(c):
    def body(state):
        low, high, i = state
        mid = 0.5 * (low + high)
        up = mid * mid * mid + mid < jnp.abs(c)
        return jnp.where(up, mid, low), jnp.where(up, high, mid), i + 1

    start = (jnp.zeros(16), jnp.full(16, 4.0), 0)
    return lax.while_loop(lambda s: (jnp.max(s[1] - s[0]) > 1e-5) & (s[2] < 40), body, start)[0]


@program((32, 32), (8, 32))
def fixed_point_layer(w, x):
    def body(state):
        z, _, i = state
        new = jnp.tanh(0.5 * z @ w + x)
        return new, jnp.max(jnp.abs(new - z)), i + 1

    return lax.while_loop(lambda s: (s[1] > 1e-5) & (s[2] < 50), body, (jnp.zeros_like(x), jnp.float32(1), 0))[0]


@program((16, 16))
def sinkhorn(c):
    def body(_, k):
        k = k / k.sum(0, keepdims=True)
        return k / k.sum(1, keepdims=True)

    return lax.fori_loop(0, 20, body, jnp.exp(c))


@program((24, 8))
def gram_schmidt(a):
    def body(i, q):
        v = lax.dynamic_slice(q, (0, i), (24, 1))
        mask = (jnp.arange(8) < i).astype(jnp.float32)
        v = v - (q * mask) @ ((q * mask).T @ v)
        return lax.dynamic_update_slice(q, v / jnp.linalg.norm(v), (0, i))

    return lax.fori_loop(0, 8, body, a)


@program((48, 4), (5, 4))
def k_means(points, centres):
    def body(_, c):
        near = jnp.argmin(((points[:, None] - c[None]) ** 2).sum(-1), 1)
        one = jax.nn.one_hot(near, 5)
        return (one.T @ points) / jnp.maximum(one.sum(0), 1)[:, None]

    return lax.fori_loop(0, 10, body, centres)


# ---- recurrences and scans ----
@program((20, 4, 16), (16, 32), (32, 32))
def recurrent_scan(x, wx, wh):
    return lax.scan(lambda h, t: (jnp.tanh(t @ wx + h @ wh),) * 2, jnp.zeros((4, 32)), x)[1]


@program((12, 4, 16), (16, 48), (16, 48))
def gated_recurrent_scan(x, wx, wh):
    def step(h, t):
        r, z, n = jnp.split(t @ wx, 3, -1)
        hr, hz, hn = jnp.split(h @ wh, 3, -1)
        z = jax.nn.sigmoid(z + hz)
        h = (1 - z) * jnp.tanh(n + jax.nn.sigmoid(r + hr) * hn) + z * h
        return h, h

    return lax.scan(step, jnp.zeros((4, 16)), x)[0]


@program((8, 200))
def cumulative_sum(x):
    return jnp.cumsum(x, 1)


@program((8, 100))
def cumulative_log_sum_exp(x):
    return lax.cumlogsumexp(3 * x, 1)


@program((8, 64))
def cumulative_product_and_maximum(x):
    return jnp.cumprod(1 + 0.1 * x, 1), lax.cummax(x @ x.T, 1)


@program((32, 8), (32, 8))
def linear_recurrence(a, b):
    return lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (jnp.tanh(a), b))[1]


@program((16,))
def runge_kutta(y):
    def step(y, _):
        f = lambda y: jnp.sin(y) - 0.5 * y
        k1 = f(y)
        k2 = f(y + 0.05 * k1)
        k3 = f(y + 0.05 * k2)
        k4 = f(y + 0.1 * k3)
        return y + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4), y

    return lax.scan(step, y, None, 40)


# ---- attention, softmax and normalisation ----
@program((32, 64))
def softmax_saturating(x):
    return jax.nn.softmax(400 * (x @ x.T), -1)


def attention(x, wq, wk, wv, scale, mask=None):
    s = (x @ wq) @ (x @ wk).T * scale
    if mask is not None:
        s = jnp.where(mask, s, -jnp.inf)
    return jax.nn.softmax(s, -1) @ (x @ wv)


@program((32, 32), (32, 32), (32, 32), (32, 32), (32, 64), (64, 32))
def encoder_unit_variance(x, wq, wk, wv, w1, w2):
    for _ in range(3):  # as if the weights had unit variance: logits of size 1000
        x = x + attention(x, wq, wk, wv, 32.0)
        x = x + jax.nn.relu(x @ w1) @ w2
        x = (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)
    return x


@program((32, 16), (16, 16), (16, 16), (16, 16))
def attention_causal(x, wq, wk, wv):
    return attention(x, wq, wk, wv, 0.25, jnp.tril(jnp.ones((32, 32), bool)))


@program((32, 16), (16, 16), (16, 16), (16, 16))
def attention_hard_mask(x, wq, wk, wv):
    return attention(x, wq, wk, wv, 0.25, (x @ x.T) > 0)


@program((16, 64), (64,), (64,))
def layer_norm_tiny_variance(x, g, b):
    x = 3 + 1e-4 * x
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-12) * g + b


@program((16, 128))
def variance_by_squares(x):
    x = 20 + x
    return (x * x).mean(-1) - x.mean(-1) ** 2


@program((8, 64), (64, 10), (10,))
def cross_entropy_gradient(x, w, b):
    def loss(w, b):
        return -jax.nn.log_softmax(x @ w + b)[:, 3].mean()

    return jax.grad(loss, (0, 1))(w, b)


# ---- decisions among inexact values ----
@program((64, 32), (32,))
def sort_products(x, w):
    return jnp.sort(x @ w)


@program((64, 32), (32,), (64,))
def sort_by_products(x, w, payload):
    return lax.sort((1 + 1e-3 * (x @ w), payload), num_keys=1)


@program((8, 64), (64, 32))
def top_products(x, w):
    return lax.top_k(x @ w, 4)


@program((64, 16), (16, 40))
def argmax_of_products(x, w):
    return jnp.argmax(x @ w, -1)


@program((32, 16), (16, 16))
def branch_on_sum(x, w):
    y = x @ w
    return lax.cond(y.sum() > 0, lambda y: jnp.exp(-y * y), lambda y: jnp.tanh(y), y)


@program((16, 16), (16, 32))
def quantise_products(x, w):
    y = x @ w
    scale = jnp.max(jnp.abs(y)) / 127
    return jnp.clip(jnp.round(y / scale), -127, 127).astype(jnp.int8)


# ---- models as PyTorch exports them: weights [out, in] ----
def linear(x, w, b):
    return lax.dot_general(x, w.T, (((x.ndim - 1,), (0,)), ((), ()))) + b


@program((8, 32), (64, 32), (64,), (64, 64), (64,), (10, 64), (10,))
def torch_mlp(x, w1, b1, w2, b2, w3, b3):
    x = jax.nn.gelu(linear(x, w1, b1), approximate=False)
    return linear(jax.nn.relu(linear(x, w2, b2)), w3, b3)


@program((8, 32), (64, 32), (64,), (10, 64), (10,), dtype=jnp.bfloat16)
def torch_mlp_bf16(x, w1, b1, w2, b2):
    return linear(jax.nn.relu(linear(x, w1, b1)), w2, b2)


@program((2, 3, 12, 12), (8, 3, 3, 3), (8,), (8,), (8,), (8,), (10, 200), (10,))
def torch_convolution_batch_norm(x, w, gain, bias, mean, var, w2, b2):
    y = lax.conv_general_dilated(x, w, (1, 1), "VALID")
    c = lambda v: v[None, :, None, None]
    y = (y - c(mean)) / jnp.sqrt(c(var) + 1e-5) * c(gain) + c(bias)
    y = lax.reduce_window(jax.nn.relu(y), -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    return linear(y.reshape(2, -1), w2, b2)


@program((2, 16, 32), (96, 32), (96,), (32, 32), (32,), (32,), (32,))
def torch_attention_block(x, w, b, wo, bo, gain, bias):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    y = (x - m) / jnp.sqrt(v + 1e-5) * gain + bias
    q, k, v = (z.reshape(2, 16, 4, 8).transpose(0, 2, 1, 3) for z in jnp.split(linear(y, w, b), 3, -1))
    s = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) / jnp.sqrt(8.0), -1) @ v
    return x + linear(s.transpose(0, 2, 1, 3).reshape(2, 16, 32), wo, bo)


@program((2, 4, 10, 10), (4, 1, 3, 3), (8, 4, 1, 1))
def torch_separable_convolution(x, depthwise, pointwise):
    y = lax.conv_general_dilated(x, depthwise, (1, 1), "SAME", feature_group_count=4)
    y = lax.conv_general_dilated(jax.nn.silu(y), pointwise, (1, 1), "SAME")
    g = y.reshape(2, 2, 4, 10, 10)
    m, v = g.mean((2, 3, 4), keepdims=True), g.var((2, 3, 4), keepdims=True)
    return ((g - m) * lax.rsqrt(v + 1e-5)).reshape(y.shape)


def main():
    default = pathlib.Path(__file__).resolve().parents[2] / "inputs" / "op" / "programs"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    folder.mkdir(parents=True, exist_ok=True)
    for name, (function, arguments) in PROGRAMS.items():
        (folder / f"{name}.mlir").write_text(jax.jit(function).lower(*arguments).as_text())
    print(f"{len(PROGRAMS)} programs in {folder}")


if __name__ == "__main__":
    main()
