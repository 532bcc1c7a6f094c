"""Softmax, matmul and attention in Triton, and one fault of each, for check.py.

Each takes and returns PyTorch tensors on one device. With TRITON_INTERPRET=1 Triton runs them on the CPU, element by element.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def _softmax(x, out, columns, stride, BLOCK: tl.constexpr, WITHOUT_MAXIMUM: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + at, mask=at < columns, other=float("-inf"))
    if not WITHOUT_MAXIMUM:
        values = values - tl.max(values, axis=0)
    power = tl.exp(values)
    tl.store(out + row * stride + at, power / tl.sum(power, axis=0), mask=at < columns)


def softmax(x, without_maximum=False):
    out = torch.empty_like(x)
    rows, columns = x.shape
    _softmax[(rows,)](x, out, columns, columns, BLOCK=triton.next_power_of_2(columns), WITHOUT_MAXIMUM=without_maximum)
    return out


def softmax_without_maximum(x):
    return softmax(x, True)


@triton.jit
def _matmul(a, b, c, m, n, k, steps, TILE: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for step in range(0, steps):
        at = step * TILE + tl.arange(0, TILE)
        left = tl.load(a + rows[:, None] * k + at[None, :], mask=(rows[:, None] < m) & (at[None, :] < k), other=0.0)
        right = tl.load(b + at[:, None] * n + columns[None, :], mask=(at[:, None] < k) & (columns[None, :] < n), other=0.0)
        total += tl.dot(left, right, input_precision="ieee")
    tl.store(c + rows[:, None] * n + columns[None, :], total, mask=(rows[:, None] < m) & (columns[None, :] < n))


def matmul(a, b, whole_tiles_only=False, tile=16):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=torch.float32, device=a.device)
    steps = k // tile if whole_tiles_only else triton.cdiv(k, tile)
    _matmul[(triton.cdiv(m, tile), triton.cdiv(n, tile))](a, b, c, m, n, k, steps, TILE=tile)
    return c


def matmul_without_last_tile(a, b):
    return matmul(a, b, True)


@triton.jit
def _attention(q, k, v, out, scale, length, WIDTH: tl.constexpr, TILE: tl.constexpr, RESCALED: tl.constexpr):
    head = tl.program_id(0) * length * WIDTH
    rows, at = tl.program_id(1) * TILE + tl.arange(0, TILE), tl.arange(0, WIDTH)
    inside = rows[:, None] < length
    query = tl.load(q + head + rows[:, None] * WIDTH + at[None, :], mask=inside, other=0.0)
    most = tl.full((TILE,), -1e30, tl.float32)
    shares, total = tl.zeros((TILE,), tl.float32), tl.zeros((TILE, WIDTH), tl.float32)
    for begin in range(0, length, TILE):
        columns = begin + tl.arange(0, TILE)
        key = tl.load(k + head + columns[:, None] * WIDTH + at[None, :], mask=columns[:, None] < length, other=0.0)
        value = tl.load(v + head + columns[:, None] * WIDTH + at[None, :], mask=columns[:, None] < length, other=0.0)
        scores = tl.dot(query, tl.trans(key), input_precision="ieee") * scale
        scores = tl.where((columns[None, :] <= rows[:, None]) & (columns[None, :] < length), scores, -1e30)
        larger = tl.maximum(most, tl.max(scores, axis=1))
        power = tl.exp(scores - larger[:, None])
        correction = tl.exp(most - larger)
        shares = shares * correction + tl.sum(power, axis=1)
        if RESCALED:
            total = total * correction[:, None]
        total += tl.dot(power, value, input_precision="ieee")
        most = larger
    tl.store(out + head + rows[:, None] * WIDTH + at[None, :], total / shares[:, None], mask=inside)


def attention(q, k, v, rescaled=True, tile=16):
    heads, length, width = q.shape
    out = torch.empty_like(q)
    _attention[(heads, triton.cdiv(length, tile))](q, k, v, out, width**-0.5, length, WIDTH=width, TILE=tile, RESCALED=rescaled)
    return out


def attention_not_rescaled(q, k, v):
    return attention(q, k, v, False)
