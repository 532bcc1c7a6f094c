"""Pooling and resampling: the start of a window, and how padding counts."""
import numpy as np
from table import Operation, bf16, f32, f64


def taps(x, value, size=3, pad=1, stride=2):
    """Every element of each window, along a new last dimension."""
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=value)
    count = (x.shape[2] - size) // stride + 1
    return np.stack([x[:, :, i : i + stride * count : stride, j : j + stride * count : stride] for i in range(size) for j in range(size)], -1)


WORDS = "mb2ic4ih9oh5kh3sh2ph1"
most = Operation("pool max", f"--pool --dir=FWD_I --alg=max {WORDS}")
most.right(lambda x: taps(x, -np.inf).max(-1))
most.right(lambda x: taps(x, np.finfo(f32).min).max(-1))
most.wrong("begins at 0", lambda x: np.maximum(taps(x, -np.inf).max(-1), f32(0)))
most.wrong("padding counts as 0", lambda x: taps(x, f32(0)).max(-1))
most.wrong("begins at the smallest positive number", lambda x: np.maximum(taps(x, -np.inf).max(-1), np.finfo(f32).tiny))
most.wrong("begins at -1e4", lambda x: np.maximum(taps(x, -np.inf).max(-1), f32(-1e4)))
most.wrong("of absolute values", lambda x: np.abs(taps(x, f32(0))).max(-1))

mean = Operation("pool avg_np", f"--pool --dir=FWD_I --alg=avg_np {WORDS}")
mean.right(lambda x: (taps(x.astype(f64), 0).sum(-1) / taps(np.ones(x.shape), 0).sum(-1)).astype(f32))
mean.wrong("padding counted", lambda x: (taps(x.astype(f64), 0).sum(-1) / 9).astype(f32))
mean.wrong("NaN passed over", lambda x: (np.nan_to_num(taps(x.astype(f64), 0), nan=0.0, posinf=np.inf, neginf=-np.inf).sum(-1) / taps(np.ones(x.shape), 0).sum(-1)).astype(f32))

padded = Operation("pool avg_p", f"--pool --dir=FWD_I --alg=avg_p {WORDS}")
padded.right(lambda x: (taps(x.astype(f64), 0).sum(-1) / 9).astype(f32))
padded.wrong("padding not counted", lambda x: (taps(x.astype(f64), 0).sum(-1) / taps(np.ones(x.shape), 0).sum(-1)).astype(f32))

bytes_ = Operation("pool max s8", f"--pool --dir=FWD_I --dt=s8 --alg=max {WORDS}")
bytes_.right(lambda x: taps(x, -128).max(-1))
bytes_.wrong("padding counts as 0", lambda x: taps(x, 0).max(-1))
bytes_.wrong("compared as unsigned", lambda x: taps(x, 0).view(np.uint8).max(-1).view(np.int8))

near = Operation("resampling nearest", "--resampling --dir=FWD_I --alg=nearest mb2ic3ih6oh9")


def nearest(x, places):
    return np.ascontiguousarray(x[:, :, places][:, :, :, places])


near.right(lambda x: nearest(x, np.floor((np.arange(9) + 0.5) * 6 / 9).astype(int)))
near.wrong("corners aligned", lambda x: nearest(x, np.floor(np.arange(9) * 6 / 9).astype(int)))

line = Operation("resampling linear", "--resampling --dir=FWD_I --alg=linear mb2ic3ih6oh9")


def linear(x, places):
    low = np.clip(np.floor(places), 0, 5).astype(int)
    high, part = np.clip(np.floor(places) + 1, 0, 5).astype(int), places - np.floor(places)
    x = x.astype(f64)
    x = x[:, :, low] * (1 - part)[:, None] + x[:, :, high] * part[:, None]
    return (x[:, :, :, low] * (1 - part) + x[:, :, :, high] * part).astype(f32)


line.right(lambda x: linear(x, (np.arange(9) + 0.5) * 6 / 9 - 0.5))
line.wrong("corners aligned", lambda x: linear(x, np.arange(9) * 5 / 8))
line.wrong("centres not halved", lambda x: linear(x, np.arange(9) * 6 / 9))
