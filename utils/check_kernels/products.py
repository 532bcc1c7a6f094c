"""Products with an epilogue, quantised products, convolutions, reductions, scatters."""
import jax
import jax.numpy as jnp
import numpy as np
import torch
from family import Family
from rows import bf16, f16, f32

import assay

# --- relu(a b + bias)
matmul = Family("matmul with bias and relu", lambda a, b, c: jnp.maximum(a @ b + c, 0), assay.f32[48, 100], assay.f32[100, 40], assay.f32[40])


def finish(product, c):
    return np.maximum(product + c, 0).astype(f32)


def blocked(a, b, size=32, order=1):
    starts = list(range(0, a.shape[1], size))[::order]
    return sum((a[:, k : k + size] @ b[k : k + size] for k in starts), np.zeros((a.shape[0], b.shape[1]), f32))


matmul.right()(lambda a, b, c: finish(a @ b, c))
matmul.right()(lambda a, b, c: finish(blocked(a, b), c))
matmul.right()(lambda a, b, c: finish(blocked(a, b, 7, -1), c))
matmul.right()(lambda a, b, c: finish(blocked(a, b, 1), c))
matmul.right()(lambda a, b, c: finish(np.einsum("mk,kn->mn", a.astype(np.float64), b), c))
matmul.right("torch")(lambda a, b, c: torch.relu(torch.addmm(c, a, b)))
matmul.right("jax")(lambda a, b, c: jax.nn.relu(jnp.dot(a, b) + c))
matmul.right(special=False)(lambda a, b, c: finish(a[:, :50] @ b[:50], 0 * c) * 0 + finish(a[:, :50] @ b[:50] + a[:, 50:] @ b[50:], c))
matmul.wrong("last term of k dropped")(lambda a, b, c: finish(a[:, :-1] @ b[:-1], c))
matmul.wrong("k after the last whole 32 dropped")(lambda a, b, c: finish(a[:, :96] @ b[:96], c))
matmul.wrong("one term of k added twice")(lambda a, b, c: finish(a @ b + a[:, 50:51] * b[50], c))
matmul.wrong("bias added after the relu")(lambda a, b, c: np.maximum(a @ b, 0) + c)
matmul.wrong("leaky relu in place of relu", "torch")(lambda a, b, c: torch.nn.functional.leaky_relu(torch.addmm(c, a, b), 0.01))
matmul.wrong("factors rounded to bf16", "torch")(lambda a, b, c: torch.relu(a.bfloat16().float() @ b.bfloat16().float() + c))
matmul.wrong("factors cut to tf32")(lambda a, b, c: finish((a.view(np.uint32) & 0xFFFFE000).view(f32) @ (b.view(np.uint32) & 0xFFFFE000).view(f32), c))
matmul.wrong("accumulated in f16")(lambda a, b, c: finish(sum(((a[:, k : k + 4] @ b[k : k + 4]).astype(f16) for k in range(0, 100, 4)), np.zeros((48, 40), f16)), c))
matmul.wrong("bias of the neighbour's column", "jax")(lambda a, b, c: jax.nn.relu(a @ b + jnp.roll(c, 1)))


@matmul.wrong("one tile transposed")
def tile_transposed(a, b, c):
    out = finish(a @ b, c)
    out[16:32, 16:32] = out[16:32, 16:32].T.copy()
    return out


@matmul.wrong("last rows keep what was there")
def rows_left(a, b, c):
    out = np.zeros((48, 40), f32)
    out[:47] = finish(a @ b, c)[:47]
    return out


# --- Quantised product
quantised = Family(
    "quantised matmul",
    lambda a, b, s: jnp.matmul(a, b, preferred_element_type=jnp.int32).astype(jnp.float32) * s,
    assay.s8[24, 600], assay.s8[600, 24], assay.f32[24],
)  # fmt: skip
s32 = np.int32
quantised.right()(lambda a, b, s: (a.astype(s32) @ b.astype(s32)).astype(f32) * s)
quantised.right()(lambda a, b, s: (a.astype(np.float64) @ b.astype(np.float64)).astype(f32) * s)
quantised.right("torch")(lambda a, b, s: (a.int() @ b.int()).float() * s)
quantised.wrong("sums kept in 16 bits")(lambda a, b, s: (a.astype(np.int16) @ b.astype(np.int16)).astype(f32) * s)
quantised.wrong("taken for unsigned")(lambda a, b, s: (a.view(np.uint8).astype(s32) @ b.astype(s32)).astype(f32) * s)
quantised.wrong("scale of rows in place of columns")(lambda a, b, s: (a.astype(s32) @ b.astype(s32)).astype(f32) * s[:, None])
quantised.wrong("a zero point of 1 taken off", "torch")(lambda a, b, s: ((a.int() - 1) @ b.int()).float() * s)
quantised.wrong("result rounded to bf16", "torch")(lambda a, b, s: ((a.int() @ b.int()).float() * s).bfloat16().float())
quantised.wrong("sums cut to a multiple of 4")(lambda a, b, s: ((a.astype(s32) @ b.astype(s32)) // 4 * 4).astype(f32) * s)

# --- Convolution
convolution = Family("convolution", lambda x, w: torch.nn.functional.conv2d(x, w, padding=1), assay.f32[2, 5, 11, 9], assay.f32[6, 5, 3, 3])


def shifted(x, w, pad="constant", flip=False, channels=None):
    w = w[:, :, ::-1, ::-1] if flip else w
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), mode=pad)
    out = np.zeros((x.shape[0], w.shape[0], x.shape[2], x.shape[3]), f32)
    for i in range(3):
        for j in range(3):
            out += np.einsum("nchw,oc->nohw", padded[:, :channels, i : i + x.shape[2], j : j + x.shape[3]], w[:, :channels, i, j])
    return out


convolution.right()(shifted)
convolution.right("torch")(lambda x, w: torch.nn.functional.conv2d(x, w, padding=1))
convolution.right("jax")(lambda x, w: jax.lax.conv(x, w, (1, 1), "SAME"))
convolution.right("torch")(lambda x, w: torch.einsum("ok,nkl->nol", w.reshape(6, 45), torch.nn.functional.unfold(x, 3, padding=1)).reshape(2, 6, 11, 9))
convolution.wrong("kernel flipped")(lambda x, w: shifted(x, w, flip=True))
convolution.wrong("border repeated in place of zeros")(lambda x, w: shifted(x, w, pad="edge"))
convolution.wrong("last channel left out")(lambda x, w: shifted(x, w, channels=4))
convolution.wrong("height and width of the kernel exchanged", "torch")(lambda x, w: torch.nn.functional.conv2d(x, w.transpose(2, 3).contiguous(), padding=1))
convolution.wrong("border columns not computed")(lambda x, w: np.pad(shifted(x, w)[..., 1:-1], ((0, 0), (0, 0), (0, 0), (1, 1))))
convolution.wrong("second image is the first", "jax")(lambda x, w: jax.lax.conv(jnp.stack([x[0], x[0]]), w, (1, 1), "SAME"))

# --- Sum and maximum
total = Family("sum of rows", lambda x: jnp.sum(x, -1), assay.f32[64, 1000])
total.right()(lambda x: x.sum(-1))
total.right()(lambda x: x[:, ::-1].cumsum(-1, dtype=f32)[:, -1])
total.right("torch")(lambda x: x.reshape(64, 10, 100).sum(-1).sum(-1))
total.right()(lambda x: x.sum(-1, dtype=np.float64).astype(f32))
total.wrong("last element dropped")(lambda x: x[:, :-1].sum(-1))
total.wrong("summed in f16")(lambda x: x.astype(f16).cumsum(-1, dtype=f16)[:, -1].astype(f32))
total.wrong("mean in place of the sum", "torch")(lambda x: x.mean(-1))
total.wrong("terms cut to bf16")(lambda x: bf16(x).sum(-1))
most = Family("maximum of rows", lambda x: jnp.max(x, -1), assay.f32[64, 3])
most.right()(lambda x: x.max(-1))
most.wrong("begins at 0")(lambda x: np.maximum(x.max(-1), 0))

# --- Scatter
places = np.random.default_rng(3).integers(0, 20, 300).astype(np.int32)
scatter = Family("scatter-add", lambda i, x: jnp.zeros((20, 8), jnp.float32).at[i].add(x), places, assay.f32[300, 8])


def added(i, x, kind=f32):
    out = np.zeros((20, 8), kind)
    np.add.at(out, i, x.astype(kind))
    return out.astype(f32)


scatter.right()(added)
scatter.right("torch")(lambda i, x: torch.zeros(20, 8).index_add(0, i, x))
scatter.right(special=False)(lambda i, x: (np.arange(20)[:, None] == i).astype(f32) @ x)


@scatter.wrong("the last of equal places wins")
def last_wins(i, x):
    out = np.zeros((20, 8), f32)
    out[i] += x
    return out


scatter.wrong("summed in f16")(lambda i, x: added(i, x, f16))
scatter.wrong("places one off")(lambda i, x: added((i + 1) % 20, x))
scatter.wrong("last batch of 44 left out", "torch")(lambda i, x: torch.zeros(20, 8).index_add(0, i[:256], x[:256]))

FAMILIES = [matmul, quantised, convolution, total, most, scatter]
