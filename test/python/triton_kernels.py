"""`assay.triton.function`: kernels of Triton, interpreted, as functions that `assay.equiv` compares."""

import os

import pytest

os.environ["TRITON_INTERPRET"] = "1"
triton = pytest.importorskip("triton", reason="triton is not installed")
tl = pytest.importorskip("triton.language")
jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")

import assay  # noqa: E402
import assay.triton  # noqa: E402

f32 = assay.f32


@triton.jit
def softmax_kernel(x, out, n, BLOCK: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    value = tl.load(x + row * n + column, mask=column < n, other=-float("inf"))
    e = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * n + column, e / tl.sum(e, axis=0), mask=column < n)


@triton.jit
def product_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for first in range(0, K, BK):
        k = first + tl.arange(0, BK)
        x = tl.load(a + i[:, None] * K + k[None, :], mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
        y = tl.load(b + k[:, None] * N + j[None, :], mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        sums += tl.dot(x, y)
    tl.store(c + i[:, None] * N + j[None, :], sums, mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def gather_kernel(x, at, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + tl.load(at + i)))


def product(terms):
    """A product of 20x40 by 40x24, of the first terms of its sums."""

    def launch(a, b, c):
        product_kernel[(2, 2)](a, b, c, 20, 24, terms, BM=16, BN=16, BK=16)

    return assay.triton.function(launch, f32[20, 24])


def test_a_softmax_is_pytorch_s_and_jax_s():
    f = assay.triton.function(lambda x, out: softmax_kernel[(4,)](x, out, 10, BLOCK=16), f32[4, 10])

    def softmax(x: torch.Tensor):
        return torch.softmax(x, -1)

    assert assay.equiv(f, softmax, f32[4, 10]).verdict == "equal"
    assert assay.equiv(f, jax.nn.softmax, f32[4, 10]).verdict == "equal"
    assert assay.equiv(f, lambda x: jax.nn.softmax(x, axis=0), f32[4, 10]).verdict == "differs"


def test_a_product_in_blocks_is_a_product_unless_it_drops_a_term():
    def matmul(a: torch.Tensor, b: torch.Tensor):
        return a @ b

    assert assay.equiv(product(40), matmul, f32[20, 40], f32[40, 24]).verdict == "equal"
    assert assay.equiv(product(39), matmul, f32[20, 40], f32[40, 24]).verdict == "differs"


def test_an_address_that_is_loaded_is_refused():
    f = assay.triton.function(lambda x, at, out: gather_kernel[(1,)](x, at, out, BLOCK=4), f32[4])
    with pytest.raises(ValueError, match="an address of the kernel depends on what it loads"):
        assay.equiv(f, lambda x, at: x[at], f32[4], assay.s32[4])
