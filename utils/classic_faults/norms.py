"""Layer, batch, group, RMS and response normalisation: the variance, the epsilon, the type of the sums."""
import numpy as np
from table import Operation, bf16, f16, f32, f64, narrow

EPS = f32(1 / 16)


def two_pass(x, axes=-1, eps=EPS):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(np.square(x - mean).mean(axes, keepdims=True) + eps)


def one_pass(x, axes=-1):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(np.maximum(np.square(x).mean(axes, keepdims=True) - np.square(mean), 0) + EPS)


def exact(x, axes=-1):
    return two_pass(x.astype(f64), axes, 1 / 16).astype(f32)


layer = Operation("lnorm", "--lnorm --dir=FWD_I 24x40")
layer.right(exact)
layer.right(two_pass)
layer.wrong("variance in one pass", one_pass)
layer.wrong("epsilon outside of the root", lambda x: (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + EPS))
layer.wrong("epsilon left out", lambda x: (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True))
layer.wrong("epsilon of 1e-5", lambda x: two_pass(x, -1, f32(1e-5)))
layer.wrong("variance divided by n - 1", lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, ddof=1, keepdims=True) + EPS))
layer.wrong("mean kept in bf16", lambda x: (x - narrow(x.mean(-1, keepdims=True), bf16)) / np.sqrt(x.var(-1, keepdims=True) + EPS))
layer.wrong("squares in f16", lambda x: (lambda d: d / np.sqrt(np.square(d.astype(f16)).astype(f32).mean(-1, keepdims=True) + EPS))(x - x.mean(-1, keepdims=True)))
layer.wrong("mean of the first row for all", lambda x: (x - x[:1].mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPS))
layer.wrong("NaN passed over", lambda x: np.nan_to_num((x - np.nanmean(x, -1, keepdims=True)) / np.sqrt(np.nanvar(x, -1, keepdims=True) + EPS)))

rms = Operation("lnorm rms", "--lnorm --dir=FWD_I --flags=M 24x40")
rms.right(lambda x: (x.astype(f64) / np.sqrt(np.square(x.astype(f64)).mean(-1, keepdims=True) + 1 / 16)).astype(f32))
rms.right(lambda x: x / np.sqrt(np.square(x).mean(-1, keepdims=True) + EPS))
rms.wrong("mean taken off", two_pass)
rms.wrong("squares in f16: infinite beyond 255", lambda x: (x / np.sqrt(np.square(x.astype(f16)).mean(-1, keepdims=True).astype(f32) + EPS)))
rms.wrong("sum in place of the mean", lambda x: x / np.sqrt(np.square(x).sum(-1, keepdims=True) + EPS))

batch = Operation("bnorm", "--bnorm --dir=FWD_I mb4ic6ih5")
batch.right(lambda x: exact(x, (0, 2, 3)))
batch.right(lambda x: two_pass(x, (0, 2, 3)))
batch.wrong("variance in one pass", lambda x: one_pass(x, (0, 2, 3)))
batch.wrong("statistics of each sample", lambda x: two_pass(x, (2, 3)))
batch.wrong("variance divided by n - 1", lambda x: (x - x.mean((0, 2, 3), keepdims=True)) / np.sqrt(x.var((0, 2, 3), ddof=1, keepdims=True) + EPS))

group = Operation("gnorm", "--gnorm --dir=FWD_I g2mb4ic6ih5")


def grouped(x, norm):
    return norm(x.reshape(4, 2, 3 * 25)).reshape(x.shape)


group.right(lambda x: grouped(x, exact))
group.wrong("variance in one pass", lambda x: grouped(x, one_pass))
group.wrong("groups interleaved", lambda x: grouped(x.reshape(4, 3, 2, 25).swapaxes(1, 2), exact).reshape(4, 2, 3, 25).swapaxes(1, 2).reshape(x.shape))

response = Operation("lrn", "--lrn --dir=FWD_I mb2ic10ih6ls5alpha0.5")


def windows(x, reach=2):
    padded = np.pad(np.square(x), ((0, 0), (reach, reach), (0, 0), (0, 0)))
    return sum(padded[:, i : i + x.shape[1]] for i in range(2 * reach + 1))


response.right(lambda x: (x * (1 + 0.1 * windows(x.astype(f64))) ** -0.75).astype(f32))
response.wrong("alpha not divided by the size", lambda x: (x * (1 + 0.5 * windows(x.astype(f64))) ** -0.75).astype(f32))
response.wrong("squares in f16", lambda x: (x * (1 + f32(0.1) * windows(x.astype(f16)).astype(f32)) ** f32(-0.75)).astype(f32))
