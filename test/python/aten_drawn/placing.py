"""Rows that pick or place elements by indices: every dimension, negative and repeated indices."""
import torch

DRAWS = {}


def index_select(d):
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    return (d.anything(shape), axis, d.indices([d.whole(1, 6)], shape[axis])), {}


def index(d):
    shape = d.shape(1, 4)
    axis = d.whole(0, len(shape) - 1)
    return (d.anything(shape), [None] * axis + [d.indices(d.shape(0, 3), shape[axis], negative=True)]), {}


def part(d, shape, axis):
    """Sizes of an index into a tensor of this shape: larger only along the axis."""
    return [d.whole(1, 6) if i == axis % len(shape) else d.whole(1, size) for i, size in enumerate(shape)]


def gather(d):
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    return (d.anything(shape, 0.2), axis, d.indices(part(d, shape, axis), shape[axis])), {}


def scatter(d, repeated):
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    sizes = part(d, shape, axis)
    if repeated:
        places = d.indices(sizes, shape[axis])
    else:
        sizes[axis] = d.whole(1, shape[axis])
        places = torch.stack([torch.randperm(shape[axis], generator=d.torch)[: sizes[axis]] for _ in range(torch.Size(sizes).numel() // sizes[axis])])
        places = places.reshape([*(size for i, size in enumerate(sizes) if i != axis % len(shape)), sizes[axis]]).movedim(-1, axis)
    return (d.floats(shape), axis, places, d.floats([size + d.whole(0, 1) for size in sizes])), {}


def index_add(d):
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    count = d.whole(1, 6)
    source = [count if i == axis % len(shape) else size for i, size in enumerate(shape)]
    return (d.floats(shape), axis, d.indices([count], shape[axis]), d.floats(source)), {"alpha": d.pick(1, 0.5, 2)}


def index_put(d):
    shape = d.shape(1, 4)
    accumulate, used = d.chance(0.6), d.whole(1, len(shape))
    count = d.whole(1, 5) if accumulate else 1
    places = [d.indices([count], size, negative=True) for size in shape[:used]]
    return (d.floats(shape), places, d.floats(d.joined([count, *shape[used:]])), accumulate), {}


def bucketize(d):
    bounds = d.quarters([d.whole(1, 8)], 3).sort().values
    return (d.quarters(d.shape(), 4), bounds), {"right": d.chance(0.5), "out_int32": d.chance(0.3)}


def topk(d):
    shape = d.shape(1, 4)
    axis = len(shape) - 1 if d.chance(0.5) else d.axis(len(shape))
    return (d.distinct(shape), d.whole(1, shape[axis]), d.pick(-1, axis) if axis == len(shape) - 1 else axis, d.chance(0.7), True), {}


def embedding_backward(d):
    rows, width = d.whole(2, 6), d.whole(1, 4)
    shape = d.shape(1, 3)
    return (d.floats([*shape, width]), d.indices(shape, rows), rows, d.pick(-1, d.whole(0, rows - 1)), d.chance(0.3)), {}


DRAWS["index_select.default"], DRAWS["index.Tensor"], DRAWS["gather.default"] = index_select, index, gather
DRAWS["embedding.default"] = lambda d: (lambda rows: ((d.floats([rows, d.whole(1, 4)]), d.indices(d.shape(), rows), d.pick(-1, 0)), {}))(d.whole(1, 6))
DRAWS["scatter.src"] = lambda d: scatter(d, False)
DRAWS["scatter_add.default"] = lambda d: scatter(d, True)
DRAWS["index_add.default"], DRAWS["index_put.default"], DRAWS["bucketize.Tensor"], DRAWS["topk.default"] = index_add, index_put, bucketize, topk
DRAWS["embedding_dense_backward.default"] = embedding_backward
