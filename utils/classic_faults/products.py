"""Sums of products: matmul, inner products, convolutions."""
import numpy as np
from table import Operation, away, bf16, cut, f16, f32, f64, flushed, narrow


def product(a, b):
    return a.astype(f64) @ b.astype(f64)


def terms(a, b, keep):
    """The product in which `keep` computes each new sum from a rank-one term and the sum so far."""
    total = np.zeros((len(a), b.shape[1]), f32)
    for k in range(a.shape[1]):
        total = keep(total, a[:, k : k + 1] * b[k : k + 1])
    return total.astype(f32)


plain = Operation("matmul", "--matmul 17x40:40x19")
plain.right(lambda a, b: product(a, b).astype(f32))
plain.right(lambda a, b: a @ b)
plain.right(lambda a, b: terms(a, b, lambda total, term: total + term))
plain.wrong("zeros passed over: 0 times infinity is 0", lambda a, b: terms(a, b, lambda total, term: total + np.where(np.isnan(term), f32(0), term)))
plain.wrong("rows whose factor is 0 passed over", lambda a, b: sum(np.where(a[:, k : k + 1] == 0, f32(0), a[:, k : k + 1] * b[k : k + 1]) for k in range(40)).astype(f32))
plain.wrong("factors rounded to bf16", lambda a, b: product(narrow(a, bf16), narrow(b, bf16)).astype(f32))
plain.wrong("factors rounded to tf32", lambda a, b: product((a.view(np.uint32) & 0xFFFFE000).view(f32), (b.view(np.uint32) & 0xFFFFE000).view(f32)).astype(f32))
plain.wrong("sums kept in bf16", lambda a, b: terms(a, b, lambda total, term: narrow(total + term, bf16)))
plain.wrong("last k left out", lambda a, b: product(a[:, :-1], b[:-1]).astype(f32))
plain.wrong("k after whole vectors of 16 left out", lambda a, b: product(a[:, :32], b[:32]).astype(f32))
plain.wrong("tiny factors taken for 0", lambda a, b: product(np.where(np.abs(a) < 1e-30, f32(0), a), b).astype(f32))
plain.wrong("sums limited to what f16 holds", lambda a, b: np.clip(product(a, b), -65504, 65504).astype(f32))
plain.wrong("NaN of the first factor taken for 0", lambda a, b: product(np.nan_to_num(a, nan=0.0, posinf=np.inf, neginf=-np.inf), b).astype(f32))
plain.wrong("absolute values of the first factor", lambda a, b: product(np.abs(a), b).astype(f32))

brain = Operation("matmul bf16", "--matmul --dt=bf16 17x40:40x19")
brain.right(lambda a, b: product(a, b).astype(f32).astype(bf16))
brain.wrong("ties away from 0", lambda a, b: away(product(a, b).astype(f32)).astype(bf16))
brain.wrong("result cut in place of rounded", lambda a, b: cut(product(a, b).astype(f32)).astype(bf16))
brain.wrong("sums kept in bf16", lambda a, b: terms(a.astype(f32), b.astype(f32), lambda total, term: narrow(total + term, bf16)).astype(bf16))
brain.wrong("sums limited to what f16 holds", lambda a, b: np.clip(product(a, b), -65504, 65504).astype(f32).astype(bf16))

half = Operation("matmul f16", "--matmul --dt=f16 17x40:40x19")
half.right(lambda a, b: product(a, b).astype(f32).astype(f16))
half.wrong("sums kept in f16", lambda a, b: (lambda t: t.astype(f16))(terms(a.astype(f32), b.astype(f32), lambda total, term: narrow(total + term, f16))))
half.wrong("result cut in place of rounded", lambda a, b: (lambda y: np.where(np.abs(y.astype(f16).astype(f32)) > np.abs(y), np.nextafter(y.astype(f16), f16(0)), y.astype(f16)))(product(a, b).astype(f32)))

integers = Operation("matmul s8", "--matmul --dt=s8:s8:s32 17x40:40x19")
integers.right(lambda a, b: a.astype(np.int32) @ b.astype(np.int32))
integers.wrong("sums kept in 16 bits wrap", lambda a, b: (a.astype(np.int16) @ b.astype(np.int16)).astype(np.int32))
integers.wrong("pairs saturate in 16 bits", lambda a, b: sum(np.clip(a[:, k : k + 2].astype(np.int32) @ b[k : k + 2].astype(np.int32), -32768, 32767) for k in range(0, 40, 2)).astype(np.int32))
integers.wrong("first factor taken for unsigned", lambda a, b: a.view(np.uint8).astype(np.int32) @ b.astype(np.int32))

bytes_ = Operation("matmul u8 s8 to s8", "--matmul --dt=u8:s8:s8 17x40:40x19")
bytes_.right(lambda a, b: np.clip(a.astype(np.int32) @ b.astype(np.int32), -128, 127).astype(np.int8))
bytes_.wrong("result wraps", lambda a, b: (a.astype(np.int32) @ b.astype(np.int32)).astype(np.int8))
bytes_.wrong("pairs saturate in 16 bits", lambda a, b: np.clip(sum(np.clip(a[:, k : k + 2].astype(np.int32) @ b[k : k + 2].astype(np.int32), -32768, 32767) for k in range(0, 40, 2)), -128, 127).astype(np.int8))
bytes_.wrong("first factor taken for signed", lambda a, b: np.clip(a.view(np.int8).astype(np.int32) @ b.astype(np.int32), -128, 127).astype(np.int8))

biased = Operation("matmul with bias and relu", "--matmul --bia-dt=f32 --attr-post-ops=relu 17x40:40x19")
biased.right(lambda a, b, bias: np.maximum(product(a, b) + bias, 0).astype(f32))
biased.wrong("relu before the bias", lambda a, b, bias: (np.maximum(product(a, b), 0) + bias).astype(f32))
biased.wrong("bias left out", lambda a, b, bias: np.maximum(product(a, b), 0).astype(f32))
biased.wrong("limit of 6", lambda a, b, bias: np.clip(product(a, b) + bias, 0, 6).astype(f32))

inner = Operation("ip", "--ip --dir=FWD_D mb12ic30oc14")
inner.right(lambda x, w: product(x, w.T).astype(f32))
inner.wrong("tiny factors taken for 0", lambda x, w: product(np.where(np.abs(x) < 1e-30, f32(0), x), w.T).astype(f32))
inner.wrong("factors rounded to bf16", lambda x, w: product(narrow(x, bf16), narrow(w, bf16).T).astype(f32))


def convolve(x, w, pad=1, value=0.0, stride=1):
    x = np.pad(x.astype(f64), ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=value)
    size = (x.shape[2] - w.shape[2]) // stride + 1
    out = np.zeros((len(x), len(w), size, size))
    for i in range(w.shape[2]):
        for j in range(w.shape[3]):
            part = x[:, :, i : i + stride * size : stride, j : j + stride * size : stride]
            out += np.einsum("nchw,oc->nohw", part, w[:, :, i, j].astype(f64))
    return out


conv = Operation("conv", "--conv --dir=FWD_D mb2ic5ih7oc6oh7kh3ph1")
conv.right(lambda x, w: convolve(x, w).astype(f32))
conv.wrong("padding repeats the edge", lambda x, w: convolve(np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), mode="edge"), w, 0).astype(f32))
conv.wrong("window turned round", lambda x, w: convolve(x, w[:, :, ::-1, ::-1]).astype(f32))
conv.wrong("factors rounded to bf16", lambda x, w: convolve(narrow(x, bf16), narrow(w, bf16)).astype(f32))
conv.wrong("last channel left out", lambda x, w: convolve(x[:, :-1], w[:, :-1]).astype(f32))

conv8 = Operation("conv u8 s8 to u8", "--conv --dir=FWD_D --dt=u8:s8:u8 mb2ic5ih7oc6oh7kh3ph1")
conv8.right(lambda x, w: np.clip(convolve(x, w), 0, 255).astype(np.uint8))
conv8.wrong("result wraps", lambda x, w: convolve(x, w).astype(np.int64).astype(np.uint8))
conv8.wrong("saturates at 127", lambda x, w: np.clip(convolve(x, w), 0, 127).astype(np.uint8))

brain_conv = Operation("conv bf16", "--conv --dir=FWD_D --dt=bf16 mb2ic5ih7oc6oh7kh3ph1")
brain_conv.right(lambda x, w: convolve(x, w).astype(f32).astype(bf16))
brain_conv.wrong("ties away from 0", lambda x, w: away(convolve(x, w).astype(f32)).astype(bf16))
brain_conv.wrong("result cut in place of rounded", lambda x, w: cut(convolve(x, w).astype(f32)).astype(bf16))
