"""Softmax, its logarithm and its gradient: the maximum and the sum."""
import numpy as np
from table import Operation, bf16, f16, f32, f64, narrow


def plain(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def with_maximum(x, most):
    e = np.exp(x - most)
    return e / e.sum(-1, keepdims=True)


def largest(x):
    return x.max(-1, keepdims=True)


rows = Operation("softmax", "--softmax --dir=FWD_D --axis=1 24x40")
rows.right(plain)
rows.right(lambda x: plain(x.astype(f64)).astype(f32))
rows.wrong("maximum not taken off", lambda x: with_maximum(x, f32(0)))
rows.wrong("maximum begins at 0", lambda x: with_maximum(x, np.maximum(largest(x), 0)))
rows.wrong("maximum begins at the smallest positive number", lambda x: with_maximum(x, np.maximum(largest(x), np.finfo(f32).tiny)))
rows.wrong("maximum begins at -50", lambda x: with_maximum(x, np.maximum(largest(x), -50)))
rows.wrong("maximum of the first block of 16 only", lambda x: with_maximum(x, x[:, :16].max(-1, keepdims=True)))
rows.wrong("mean taken off in place of the maximum", lambda x: with_maximum(x, x.mean(-1, keepdims=True)))
rows.wrong("maximum of the whole tensor", lambda x: with_maximum(x, x.max()))
rows.wrong("exponent limited to -10", lambda x: (lambda e: e / e.sum(-1, keepdims=True))(np.exp(np.maximum(x - largest(x), -10))))


@rows.wrong("sum begins at 1e-3")
def sum_with_epsilon(x):
    e = np.exp(x - largest(x))
    return e / (e.sum(-1, keepdims=True) + f32(1e-3))


@rows.wrong("sum kept in bf16")
def sum_in_bf16(x):
    e = np.exp(x - largest(x))
    total = np.zeros((len(x), 1), f32)
    for i in range(x.shape[1]):
        total = narrow(total + e[:, i : i + 1], bf16)
    return e / total


@rows.wrong("online sum not rescaled when the maximum grows")
def not_rescaled(x):
    most, total = np.full((len(x), 1), -np.inf, f32), np.zeros((len(x), 1), f32)
    for start in range(0, x.shape[1], 8):
        part = x[:, start : start + 8]
        most = np.maximum(most, part.max(-1, keepdims=True))
        total += np.exp(part - most).sum(-1, keepdims=True)
    return np.exp(x - most) / total


@rows.wrong("NaN passed over")
def nan_passed_over(x):
    e = np.nan_to_num(np.exp(x - np.fmax.reduce(x, -1, keepdims=True)), nan=0.0)
    return e / e.sum(-1, keepdims=True)


rows.wrong("infinity taken for the largest number", lambda x: plain(np.where(np.isposinf(x), np.finfo(f32).max, x)))

logarithm = Operation("softmax log", "--softmax --dir=FWD_D --alg=LOGSOFTMAX --axis=1 24x40")
logarithm.right(lambda x: x - largest(x) - np.log(np.exp(x - largest(x)).sum(-1, keepdims=True)))
logarithm.wrong("log(softmax) taken apart", lambda x: np.log(plain(x)))
logarithm.wrong("x - log(sum(e^x))", lambda x: x - np.log(np.exp(x).sum(-1, keepdims=True)))
logarithm.wrong("log of softmax plus 1e-20", lambda x: np.log(plain(x) + f32(1e-20)))
logarithm.wrong("maximum begins at 0", lambda x: (lambda m: x - m - np.log(np.exp(x - m).sum(-1, keepdims=True)))(np.maximum(largest(x), 0)))

columns = Operation("softmax axis 0", "--softmax --dir=FWD_D --axis=0 24x40")
columns.right(lambda x: plain(x, 0))
columns.wrong("over the last axis", plain)
columns.wrong("maximum of each row", lambda x: (lambda e: e / e.sum(0, keepdims=True))(np.exp(x - largest(x))))

half = Operation("softmax f16", "--softmax --dir=FWD_D --sdt=f16 --ddt=f16 --axis=1 24x40")
half.right(lambda x: plain(x.astype(f32)).astype(f16))
half.wrong("maximum not taken off, in f16", lambda x: (lambda e: e / e.sum(-1, keepdims=True))(np.exp(x)))
half.wrong("maximum begins at 0", lambda x: with_maximum(x.astype(f32), np.maximum(largest(x.astype(f32)), 0)).astype(f16))

gradient = Operation("softmax backward", "--softmax --dir=BWD_D --axis=1 24x40")
gradient.right(lambda y, g: y * (g - (y * g).sum(-1, keepdims=True)))
gradient.wrong("sum left out", lambda y, g: y * (1 - y) * g)
gradient.wrong("sum of the gradient alone", lambda y, g: y * (g - g.sum(-1, keepdims=True)))
