"""Attention with a causal mask and rotary positions."""
import math

import jax
import jax.numpy as jnp
import numpy as np
import torch
from family import Family
from rows import f32

import assay

HEADS, TOKENS, WIDTH = 3, 29, 16
angles = np.arange(TOKENS)[:, None] / 10000 ** (np.arange(WIDTH // 2) / (WIDTH // 2))
COS, SIN = np.cos(angles).astype(f32), np.sin(angles).astype(f32)


def reference(q, k, v):
    def turned(x):
        a, b = x[..., : WIDTH // 2], x[..., WIDTH // 2 :]
        return jnp.concatenate([a * COS - b * SIN, b * COS + a * SIN], -1)

    scores = jnp.einsum("hqd,hkd->hqk", turned(q), turned(k)) / math.sqrt(WIDTH)
    scores = jnp.where(jnp.tril(jnp.ones((TOKENS, TOKENS), bool)), scores, -jnp.inf)
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(scores, axis=-1), v)


attention = Family("attention", reference, *[assay.f32[HEADS, TOKENS, WIDTH]] * 3)


def turned(x, sign=1, pairs=False, shift=0):
    cos, sin = np.roll(COS, shift, 0), sign * np.roll(SIN, shift, 0)
    if pairs:
        a, b = x[..., ::2], x[..., 1::2]
        return np.stack([a * cos - b * sin, b * cos + a * sin], -1).reshape(x.shape)
    a, b = x[..., : WIDTH // 2], x[..., WIDTH // 2 :]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def attend(q, k, v, scale=1 / math.sqrt(WIDTH), reach=0, masked=-np.inf, rotate=turned):
    scores = np.einsum("hqd,hkd->hqk", rotate(q), rotate(k)) * f32(scale)
    scores = np.where(np.tril(np.ones((TOKENS, TOKENS), bool), reach), scores, f32(masked))
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return ((e / e.sum(-1, keepdims=True)) @ v).astype(f32)


def in_blocks(q, k, v, size=8, rescale=True):
    """Keys in blocks; sums are rescaled as the maximum grows."""
    q, k = turned(q) / f32(math.sqrt(WIDTH)), turned(k)
    most = np.full((HEADS, TOKENS, 1), -np.inf, f32)
    total, out = np.zeros_like(most), np.zeros_like(v)
    for start in range(0, TOKENS, size):
        scores = np.einsum("hqd,hkd->hqk", q, k[:, start : start + size])
        later = np.arange(start, min(start + size, TOKENS)) > np.arange(TOKENS)[:, None]
        scores = np.where(later, f32(-np.inf), scores)
        new = np.maximum(most, scores.max(-1, keepdims=True))
        part, shrink = np.exp(scores - new), np.exp(most - new)
        total = total * shrink + part.sum(-1, keepdims=True)
        out = (out * shrink if rescale else out) + part @ v[:, start : start + size]
        most = new
    return out / total


def by_torch(q, k, v, causal=True):
    q, k = (torch.from_numpy(turned(x.numpy())) for x in (q, k))
    return torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=causal)[0]


attention.right()(attend)
attention.right()(in_blocks)
attention.right()(lambda q, k, v: attend(q, k, v, masked=-1e30))
attention.right("torch")(by_torch)
attention.right("jax")(reference)
attention.wrong("mask off by one: the next token is seen")(lambda q, k, v: attend(q, k, v, reach=1))
attention.wrong("masked by -10 in place of minus infinity")(lambda q, k, v: attend(q, k, v, masked=-10))
attention.wrong("scale left out")(lambda q, k, v: attend(q, k, v, scale=1))
attention.wrong("scaled by 1/width")(lambda q, k, v: attend(q, k, v, scale=1 / WIDTH))
attention.wrong("not causal", "torch")(lambda q, k, v: by_torch(q, k, v, causal=False))
attention.wrong("rotated the other way for keys")(
    lambda q, k, v: attend(turned(q), turned(k, -1), v, rotate=lambda x: x)
)
attention.wrong("rotary pairs are neighbours")(lambda q, k, v: attend(q, k, v, rotate=lambda x: turned(x, pairs=True)))
attention.wrong("keys rotated by one position more")(lambda q, k, v: attend(turned(q), turned(k, shift=1), v, rotate=lambda x: x))
attention.wrong("output not rescaled when the maximum grows")(lambda q, k, v: in_blocks(q, k, v, rescale=False))
attention.wrong("values of the wrong head", "jax")(lambda q, k, v: reference(q, k, jnp.roll(v, 1, axis=0)))
attention.wrong("computed in bf16", "torch")(lambda q, k, v: by_torch(q.bfloat16().float(), k.bfloat16().float(), v.bfloat16().float()))

FAMILIES = [attention]
