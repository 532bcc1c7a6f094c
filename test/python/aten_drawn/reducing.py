"""Reductions, scans and softmax: every set of dimensions, kept or not, with or without a type of the result."""
import torch

DRAWS = {}


def of_dims(name, make, least=0, dtype=False, nothing=False, low=0):
    def call(d):
        shape = d.shape(low, 4)
        dims = d.axes(len(shape), least)
        if nothing and d.chance(0.2):
            dims = None
        return (make(d, shape), dims, d.chance(0.4)), {"dtype": d.pick(torch.float64, torch.float32)} if dtype and d.chance(0.2) else {}

    DRAWS[name] = call


def whole(name, make):
    DRAWS[name] = lambda d: ((make(d, d.shape()),), {})


def of_dim(name, make, keep=True):
    def call(d):
        shape = d.shape(1, 4)
        return (make(d, shape), d.axis(len(shape)), *([d.chance(0.4)] if keep else [])), {}

    DRAWS[name] = call


anything, floats, distinct = (lambda d, s: d.anything(s)), (lambda d, s: d.floats(s)), (lambda d, s: d.distinct(s))
special = lambda d, s: d.floats(s, special=0.3)  # noqa: E731
ordered = lambda d, s: d.distinct(s) if d.chance(0.7) else d.ints(s, dtype=torch.int64)  # noqa: E731
whole("sum.default", anything), of_dims("sum.dim_IntList", anything, dtype=True, nothing=True)
whole("mean.default", floats), of_dims("mean.dim", floats, dtype=True, nothing=True)
whole("prod.default", anything), of_dim("prod.dim_int", anything)
for extreme in ("max", "min"):
    of_dims(f"a{extreme}.default", lambda d, s: d.numbers(s, 0.3)), whole(f"{extreme}.default", lambda d, s: d.numbers(s, 0.3))
    of_dim(f"{extreme}.dim", ordered)
    DRAWS[f"arg{extreme}.default"] = lambda d: (lambda s: ((ordered(d, s), d.pick(None, d.axis(len(s))), d.chance(0.4)), {}))(d.shape(1, 4))
for which in ("any", "all"):
    whole(f"{which}.default", anything), of_dim(f"{which}.dim", anything), of_dims(f"{which}.dims", anything, nothing=True)


def variance(d):
    shape = d.shape(1, 4, least=2)
    return (d.floats(shape), d.pick(None, d.axes(len(shape)))), {"correction": d.pick(None, 0, 1, 1, 0.5), "keepdim": d.chance(0.4)}


for name in ("var.correction", "std.correction", "var_mean.correction"):
    DRAWS[name] = variance


def norm(d):
    shape = d.shape(0, 4)
    return (d.floats(shape), d.pick(2, 2, 1, float("inf"), 0, -float("inf"), 3, 0.5), d.pick(None, d.axes(len(shape))), d.chance(0.4)), {}


DRAWS["linalg_vector_norm.default"] = norm
of_dims("logsumexp.default", lambda d, s: d.floats(s, d.pick(1, 30), special=0.1), least=1)
for name in ("_softmax", "_log_softmax"):
    DRAWS[f"{name}.default"] = lambda d: (lambda s: ((d.floats(s, d.pick(1, 20)), d.axis(len(s)), False), {}))(d.shape(1, 4))
of_dim("cumsum.default", lambda d, s: d.anything(s, 0.2), keep=False)


def softmax_backward(forward):
    def call(d):
        shape = d.shape(1, 4)
        axis = d.axis(len(shape))
        return (d.floats(shape), forward(d.floats(shape), axis), axis, d.dtype), {}

    return call


DRAWS["_softmax_backward_data.default"] = softmax_backward(torch.softmax)
DRAWS["_log_softmax_backward_data.default"] = softmax_backward(torch.log_softmax)
