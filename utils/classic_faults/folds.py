"""Sums, means, maxima and products along a dimension."""
import numpy as np
from table import Operation, bf16, f16, f32, f64, narrow


def fold(name, formula, knobs=""):
    operation = Operation(f"reduction {name}", f"--reduction --alg={name} {knobs} 24x40:24x1")
    operation.right(lambda x: formula(x.astype(f64)).astype(f32))
    return operation


def line_by_line(x, step, start):
    total = np.full((len(x), 1), start, f32)
    for i in range(x.shape[1]):
        total = step(total, x[:, i : i + 1]).astype(f32)
    return total


most = fold("max", lambda x: x.max(1, keepdims=True))
most.right(lambda x: x.max(1, keepdims=True))
most.wrong("begins at 0", lambda x: np.maximum(x.max(1, keepdims=True), f32(0)))
most.wrong("begins at the smallest positive number", lambda x: np.maximum(x.max(1, keepdims=True), np.finfo(f32).tiny))
most.wrong("begins at -1e4", lambda x: np.maximum(x.max(1, keepdims=True), f32(-1e4)))
most.wrong("begins at the lowest finite number", lambda x: np.maximum(x.max(1, keepdims=True), np.finfo(f32).min))
most.wrong("NaN passed over", lambda x: np.fmax.reduce(x, 1, keepdims=True))
most.wrong("NaN forgotten by the next number", lambda x: line_by_line(x, lambda a, b: np.where(a > b, a, b), -np.inf))
most.wrong("of absolute values", lambda x: np.abs(x).max(1, keepdims=True))
most.wrong("last element left out", lambda x: x[:, :-1].max(1, keepdims=True))

least = fold("min", lambda x: x.min(1, keepdims=True))
least.wrong("begins at 0", lambda x: np.minimum(x.min(1, keepdims=True), f32(0)))
least.wrong("begins at the largest finite number", lambda x: np.minimum(x.min(1, keepdims=True), np.finfo(f32).max))
least.wrong("NaN passed over", lambda x: np.fmin.reduce(x, 1, keepdims=True))

total = fold("sum", lambda x: x.sum(1, keepdims=True))
total.right(lambda x: x.sum(1, keepdims=True))
total.wrong("kept in bf16", lambda x: line_by_line(x, lambda a, b: narrow(a + b, bf16), 0))
total.wrong("kept in f16", lambda x: narrow(x.astype(f16).sum(1, keepdims=True), f16))
total.wrong("NaN passed over", lambda x: np.nansum(x, 1, keepdims=True))
total.wrong("tail after 32 left out", lambda x: x[:, :32].sum(1, keepdims=True))
total.wrong("infinity limited to the largest number", lambda x: np.where(np.isnan(x.sum(1, keepdims=True)), np.nan, np.clip(x.sum(1, keepdims=True), np.finfo(f32).min, np.finfo(f32).max)).astype(f32))

mean = fold("mean", lambda x: x.mean(1, keepdims=True))
mean.right(lambda x: x.mean(1, keepdims=True))
mean.wrong("divided by n - 1", lambda x: x.sum(1, keepdims=True) / f32(39))
mean.wrong("kept in f16", lambda x: x.astype(f16).mean(1, keepdims=True).astype(f32))
mean.wrong("of the numbers that are not NaN", lambda x: np.nanmean(x, 1, keepdims=True))

product = fold("mul", lambda x: x.prod(1, keepdims=True))
product.wrong("by the sum of logarithms of |x|", lambda x: np.exp(np.log(np.abs(x)).sum(1, keepdims=True)))
product.wrong("zeros passed over", lambda x: np.where(x == 0, f32(1), x).prod(1, keepdims=True))

norm = fold("norm_lp_sum", lambda x: np.sqrt((x * x).sum(1, keepdims=True) + 1e-6), "--p=2 --eps=1e-6")
norm.right(lambda x: np.sqrt((x * x).sum(1, keepdims=True) + f32(1e-6)))
norm.wrong("squares in f16", lambda x: np.sqrt(np.square(x.astype(f16)).astype(f32).sum(1, keepdims=True) + f32(1e-6)))
norm.wrong("epsilon outside of the root", lambda x: np.sqrt((x * x).sum(1, keepdims=True)) + f32(1e-6))
