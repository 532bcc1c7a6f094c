"""Rows that order elements, scan them, or combine them at indices: every dimension, both directions."""
import torch

from .placing import part, scatter

DRAWS = {}


def values(d, shape):
    return d.distinct(shape) if d.chance(0.5) else d.quarters(shape, 2) if d.chance(0.5) else d.ints(shape, dtype=torch.int64)


def missing(d, shape):
    return d.floats(shape, special=0.3) if d.chance(0.3) else values(d, shape)


def sort(d):
    shape = d.shape(0, 4)
    return (missing(d, shape), d.axis(len(shape)), d.chance(0.5)), {}


def sort_stable(d):
    shape = d.shape(0, 4)
    return (missing(d, shape),), {"stable": True, "dim": d.axis(len(shape)), "descending": d.chance(0.5)}


def kthvalue(d):
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    return (d.distinct(shape), d.whole(1, shape[axis]), axis, d.chance(0.4)), {}


def along(make):
    def call(d):
        shape = d.shape(0, 4)
        return (make(d, shape), d.axis(len(shape))), {}

    return call


def wide(d):
    d.dtype = d.pick(torch.float64, torch.float32)


def reduced(d):
    wide(d)
    (x, axis, places, source), _ = scatter(d, True)
    reduce = d.pick("sum", "prod", "mean", "amax", "amin")
    if reduce in ("amax", "amin", "sum") and d.chance(0.3):
        x, source = (d.ints(one.shape, dtype=torch.int64) for one in (x, source))
    return (x, axis, places, source, reduce), {"include_self": d.chance(0.6)}


def old_reduce(d):
    wide(d)
    return scatter(d, True)[0], {"reduce": d.pick("add", "multiply")}


def valued(d, **keywords):
    wide(d)
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    return (d.floats(shape), axis, d.indices(part(d, shape, axis), shape[axis]), d.number()), keywords


DRAWS["sort.default"], DRAWS["sort.stable"], DRAWS["kthvalue.default"] = sort, sort_stable, kthvalue
DRAWS["cummax.default"], DRAWS["cummin.default"] = along(missing), along(missing)
DRAWS["cumprod.default"] = along(lambda d, s: d.floats(s) if d.chance(0.7) else d.ints(s, -3, 3, torch.int64))
DRAWS["scatter_reduce.two"], DRAWS["scatter.reduce"] = reduced, old_reduce
DRAWS["scatter.value"] = valued
DRAWS["scatter.value_reduce"] = lambda d: valued(d, reduce=d.pick("add", "multiply"))
