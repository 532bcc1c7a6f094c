"""Programs: the JAX functions of references.py as StableHLO, for both commands."""
import numpy as np
from table import Operation, bf16, f16, f32, f64

import assay

ROWS = assay.f32[24, 40]


def program(name, reference, *inputs):
    return Operation(name, reference=reference, inputs=inputs or (ROWS,))


variance = program("variance", "variance")
variance.right(lambda x: np.square(x - x.mean(-1, keepdims=True)).mean(-1))
variance.wrong("in one pass", lambda x: np.square(x).mean(-1) - np.square(x.mean(-1)))
variance.wrong("in one pass, at least 0", lambda x: np.maximum(np.square(x).mean(-1) - np.square(x.mean(-1)), 0))
variance.wrong("divided by n - 1", lambda x: x.var(-1, ddof=1))

logsumexp = program("logsumexp", "logsumexp")
logsumexp.right(lambda x: (lambda m: (np.log(np.exp(x - m).sum(-1, keepdims=True)) + m)[:, 0])(np.where(np.isfinite(x.max(-1, keepdims=True)), x.max(-1, keepdims=True), 0)))
logsumexp.wrong("maximum not taken off", lambda x: np.log(np.exp(x).sum(-1)))
logsumexp.wrong("maximum begins at 0", lambda x: (lambda m: (np.log(np.exp(x - m).sum(-1, keepdims=True)) + m)[:, 0])(np.maximum(x.max(-1, keepdims=True), 0)))

log1p = program("log1p", "log1p")
log1p.right(np.log1p)
log1p.wrong("log(1 + x)", lambda x: np.log(1 + x))
expm1 = program("expm1", "expm1")
expm1.right(np.expm1)
expm1.wrong("e^x - 1", lambda x: np.exp(x) - 1)
rsqrt = program("rsqrt", "rsqrt")
rsqrt.right(lambda x: (1 / np.sqrt(x.astype(f64))).astype(f32))
rsqrt.wrong("approximation with one step", lambda x: (lambda y: y * (f32(1.5) - f32(0.5) * x * y * y))((0x5F3759DF - (np.abs(x).view(np.int32) >> 1)).view(f32)))
rsqrt.wrong("of at least 1e-12", lambda x: np.where(x < 0, np.nan, 1 / np.sqrt(np.maximum(x, f32(1e-12)))).astype(f32))

clamp = program("clamp", "clamp")
clamp.right(lambda x: np.clip(x, f32(-1), f32(1)))
clamp.wrong("NaN taken for a limit", lambda x: np.fmin(np.fmax(x, f32(-1)), f32(1)))
sign = program("sign", "sign")
sign.right(np.sign)
sign.wrong("of NaN is 0", lambda x: ((x > 0).astype(f32) - (x < 0).astype(f32)))
sign.wrong("of 0 is 1", lambda x: np.where(x == 0, f32(1), np.sign(x)))
finite = program("is_finite", "finite")
finite.right(np.isfinite)
finite.wrong("|x| < 1e38", lambda x: np.abs(x) < 1e38)
finite.wrong("x - x == 0 of flushed numbers, NaN passed", lambda x: ~np.isinf(x))

even = program("round_nearest_even", "even")
even.right(np.rint)
even.wrong("half away from 0", lambda x: np.trunc(x + np.copysign(f32(0.5), x)))
floor = program("floor", "floor")
floor.right(np.floor)
floor.wrong("cut towards 0", np.trunc)
floor.wrong("through 32-bit integers", lambda x: np.clip(np.floor(x), -(2.0**31), 2.0**31 - 1).astype(np.int64).astype(f32))

argmax = program("argmax", "argmax")
argmax.right(lambda x: np.argmax(x, -1).astype(np.int32))
argmax.wrong("last of equal numbers", lambda x: (x.shape[-1] - 1 - np.argmax(x[:, ::-1], -1)).astype(np.int32))
argmax.wrong("maximum begins at 0", lambda x: np.where((x > 0).any(-1), np.argmax(x, -1), 0).astype(np.int32))
argmax.wrong("NaN passed over", lambda x: np.argmax(np.where(np.isnan(x), -np.inf, x), -1).astype(np.int32))

ordered = program("sort", "ordered")
ordered.right(lambda x: np.sort(x, -1))
ordered.wrong("descending", lambda x: -np.sort(-x, -1))
ordered.wrong("NaN first", lambda x: np.where(np.isnan(np.sort(x, -1)).any(-1, keepdims=True), np.roll(np.sort(x, -1), 1, -1), np.sort(x, -1)))
running = program("cumsum", "running")
running.right(lambda x: np.cumsum(x.astype(f64), -1).astype(f32))
running.wrong("without its own element", lambda x: (np.cumsum(x.astype(f64), -1) - x).astype(f32))
running.wrong("blocks of 16 not joined", lambda x: np.concatenate([np.cumsum(x[:, i : i + 16], -1) for i in range(0, 40, 16)], -1))

normal = program("l2 normalise", "normal")
normal.right(lambda x: x / np.sqrt(np.maximum(np.square(x).sum(-1, keepdims=True), f32(1e-12))))
normal.wrong("squares in f16", lambda x: x / np.sqrt(np.maximum(np.square(x.astype(f16)).astype(f32).sum(-1, keepdims=True), f32(1e-12))))
normal.wrong("without the limit", lambda x: x / np.sqrt(np.square(x).sum(-1, keepdims=True)))

silu = program("silu", "silu")
silu.right(lambda x: (x.astype(f64) / (1 + np.exp(-x.astype(f64)))).astype(f32) if not np.isinf(x).any() else np.where(np.isneginf(x), np.nan, (x.astype(f64) / (1 + np.exp(-x.astype(f64))))).astype(f32))
silu.wrong("x e^x / (1 + e^x)", lambda x: x * np.exp(x) / (1 + np.exp(x)))
softplus = program("softplus", "softplus")
softplus.right(lambda x: np.logaddexp(x, f32(0)))
softplus.wrong("log(1 + e^x)", lambda x: np.log(1 + np.exp(x)))
logsig = program("log_sigmoid", "logsig")
logsig.right(lambda x: -np.logaddexp(-x, f32(0)))
logsig.wrong("log(sigmoid(x))", lambda x: np.log(1 / (1 + np.exp(-x))))

to_int = program("convert f32 to s32", "to_int")
to_int.right(lambda x: np.clip(np.trunc(np.nan_to_num(x.astype(f64))), -(2.0**31), 2.0**31 - 1).astype(np.int32))
to_int.wrong("rounded in place of cut", lambda x: np.clip(np.rint(np.nan_to_num(x.astype(f64))), -(2.0**31), 2.0**31 - 1).astype(np.int32))
to_int.wrong("through f16", lambda x: np.clip(np.nan_to_num(x.astype(f16).astype(f64)), -(2.0**31), 2.0**31 - 1).astype(np.int32))
to_bf16 = program("convert f32 to bf16", "to_bf16")
to_bf16.right(lambda x: x.astype(bf16))
to_bf16.wrong("half a unit added", lambda x: ((np.ascontiguousarray(x).view(np.uint32) + 0x8000) >> 16).astype(np.uint16).view(bf16))
from_int = program("convert s32 to f32", "from_int", assay.s32[24, 40])
from_int.right(lambda x: x.astype(f32))
from_int.wrong("through bf16", lambda x: x.astype(bf16).astype(f32))

unit = program("unit vector", "unit")
unit.right(lambda x: x / np.maximum(np.sqrt(np.square(x).sum(-1, keepdims=True)), f32(1e-8)))
unit.wrong("no lower limit", lambda x: x / np.sqrt(np.square(x).sum(-1, keepdims=True)))
unit.wrong("no lower limit, no overflow", lambda x: (lambda y: y / np.sqrt(np.square(y).sum(-1, keepdims=True)))(x / np.abs(x).max(-1, keepdims=True)))


def log_softmax(x):
    moved = x - x.max(-1, keepdims=True)
    return moved - np.log(np.exp(moved).sum(-1, keepdims=True))


loss = program("mean loss", "loss")
loss.right(lambda x: -log_softmax(x)[:, 3].mean())
loss.wrong("logarithm of a softmax and 1e-9", lambda x: -np.log(np.exp(log_softmax(x)) + f32(1e-9))[:, 3].mean())
loss.wrong("maximum not taken off", lambda x: -(x[:, 3] - np.log(np.exp(x).sum(-1))).mean())

masked = program("masked logsumexp", "masked_log", assay.f32[12, 20])
masked.right(lambda x: np.logaddexp.accumulate(x.astype(f64), -1).astype(f32))
masked.wrong("maximum not taken off", lambda x: np.log(np.cumsum(np.exp(x), -1)))

sine = program("sine", "sine")
sine.right(np.sin)
sine.wrong("angle reduced in f32", lambda x: np.sin(x - f32(2 * np.pi) * np.round(x / f32(2 * np.pi))))
sine.wrong("of infinity is 0", lambda x: np.where(np.isinf(x), f32(0), np.sin(x)))
sinc = program("sinc", "sinc")
sinc.right(np.sinc)
sinc.wrong("0 / 0 at 0", lambda x: np.sin(f32(np.pi) * x) / (f32(np.pi) * x))
