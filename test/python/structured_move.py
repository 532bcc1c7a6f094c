"""Cases of the operations that only move or make elements: every element type, equal bits."""
import numpy as np

from structured_programs import ALL, FLOATS, INTEGERS, TYPES, case, ints, numbers, shapeOf, tensor

ALL8 = ALL + ["f8E4M3FN", "f8E5M2"]


def each(function, kinds=ALL8, repeats=2):
    def generate(rng):
        for kind in kinds:
            for _ in range(repeats):
                yield function(rng, kind)
    return generate


def broadcast_in_dim(rng, kind):
    shape = shapeOf(rng, 1, 4)
    kept = sorted(rng.choice(len(shape), rng.integers(0, len(shape) + 1), replace=False))
    dims = list(rng.permutation(kept))
    source = tuple(1 if rng.random() < 0.3 else shape[d] for d in dims)
    return case("stablehlo.broadcast_in_dim", [kind], [numbers(rng, kind, source)], [(kind, shape)],
                f"broadcast_dimensions = {ints(dims)}")


def broadcast(rng, kind):
    source, sizes = shapeOf(rng, 0, 2), shapeOf(rng, 0, 2)
    return case("stablehlo.broadcast", [kind], [numbers(rng, kind, source)], [(kind, sizes + source)],
                f"broadcast_sizes = {ints(sizes)}")


def concatenate(rng, kind):
    shape = list(shapeOf(rng, 1, 3))
    dim = int(rng.integers(len(shape)))
    shapes = [tuple(int(rng.integers(0, 6)) if d == dim else n for d, n in enumerate(shape))
              for _ in range(rng.integers(1, 4))]
    out = tuple(sum(s[dim] for s in shapes) if d == dim else n for d, n in enumerate(shape))
    return case("stablehlo.concatenate", [kind] * len(shapes), [numbers(rng, kind, s) for s in shapes], [(kind, out)],
                f"dimension = {dim} : i64")


def iota(rng, kind):
    shape = shapeOf(rng, 1, 4)
    return case("stablehlo.iota", [], [], [(kind, shape)], f"iota_dimension = {rng.integers(len(shape))} : i64")


def pad(rng, kind):
    shape = shapeOf(rng, 0, 3)
    inner = [int(rng.integers(0, 3)) for _ in shape]
    full = [n + max(n - 1, 0) * i for n, i in zip(shape, inner)]
    low = [int(rng.integers(-min(n, 2), 4)) for n in full]
    high = [int(rng.integers(-min(n + min(lo, 0), 2), 4)) if n + lo > 0 else int(rng.integers(0, 3)) for n, lo in zip(full, low)]
    out = tuple(n + lo + h for n, lo, h in zip(full, low, high))
    return case("stablehlo.pad", [kind] * 2, [numbers(rng, kind, shape), numbers(rng, kind, ())], [(kind, out)],
                f"edge_padding_low = {ints(low)}, edge_padding_high = {ints(high)}, interior_padding = {ints(inner)}")


def reshape(rng, kind):
    shape = shapeOf(rng, 0, 4)
    out = list(rng.permutation(shape).astype(int)) + [1] * int(rng.integers(0, 2))
    return case("stablehlo.reshape", [kind], [numbers(rng, kind, shape)], [(kind, tuple(out))])


def reverse(rng, kind):
    shape = shapeOf(rng, 0, 4)
    dims = rng.choice(len(shape), rng.integers(0, len(shape) + 1), replace=False) if shape else []
    return case("stablehlo.reverse", [kind], [numbers(rng, kind, shape)], [(kind, shape)], f"dimensions = {ints(dims)}")


def slice_(rng, kind):
    shape = shapeOf(rng, 0, 4)
    start = [int(rng.integers(0, n + 1)) for n in shape]
    limit = [int(rng.integers(s, n + 1)) for s, n in zip(start, shape)]
    stride = [int(rng.integers(1, 4)) for _ in shape]
    out = tuple(-(-(e - b) // s) for b, e, s in zip(start, limit, stride))
    return case("stablehlo.slice", [kind], [numbers(rng, kind, shape)], [(kind, out)],
                f"start_indices = {ints(start)}, limit_indices = {ints(limit)}, strides = {ints(stride)}")


def transpose(rng, kind):
    shape = shapeOf(rng, 0, 5, [1, 2, 3, 5, 7])
    order = rng.permutation(len(shape))
    return case("stablehlo.transpose", [kind], [numbers(rng, kind, shape)], [(kind, tuple(shape[d] for d in order))],
                f"permutation = {ints(order)}")


def starts(rng, shape):
    """One index kind for all, with starts before and after the operand."""
    kind = str(rng.choice(INTEGERS))
    low = 0 if kind.startswith("u") else -5
    values = [np.asarray(rng.integers(low, n + 5)).astype(TYPES[kind]) for n in shape]
    return [kind] * len(shape), values


def dynamic_slice(rng, kind):
    shape = shapeOf(rng, 0, 3)
    sizes = tuple(int(rng.integers(0, n + 1)) for n in shape)
    kinds, values = starts(rng, shape)
    return case("stablehlo.dynamic_slice", [kind] + kinds, [numbers(rng, kind, shape)] + values, [(kind, sizes)],
                f"slice_sizes = {ints(sizes)}")


def dynamic_update_slice(rng, kind):
    shape = shapeOf(rng, 0, 3)
    sizes = tuple(int(rng.integers(0, n + 1)) for n in shape)
    kinds, values = starts(rng, shape)
    return case("stablehlo.dynamic_update_slice", [kind] * 2 + kinds,
                [numbers(rng, kind, shape), numbers(rng, kind, sizes)] + values, [(kind, shape)])


def get_dimension_size(rng, kind):
    shape = shapeOf(rng, 1, 4)
    return case("stablehlo.get_dimension_size", [kind], [numbers(rng, kind, shape)], [("i32", ())],
                f"dimension = {rng.integers(len(shape))} : i64")


def bitcastConvert(rng, kind):
    """To a type of the same, a smaller (a dimension more) or a larger width (a dimension less)."""
    other = str(rng.choice(INTEGERS + FLOATS))
    have, want = (np.dtype(TYPES[k]).itemsize for k in (kind, other))
    shape = shapeOf(rng, 0, 3)
    source, result = (shape, shape + (have // want,)) if have > want else (shape + (want // have,), shape)
    if have == want:
        source = result = shape
    return case("stablehlo.bitcast_convert", [kind], [numbers(rng, kind, source)], [(other, result)])


GENERATORS = {
    "bitcast_convert": each(bitcastConvert, INTEGERS + FLOATS, 4),
    "broadcast_in_dim": each(broadcast_in_dim), "broadcast": each(broadcast), "concatenate": each(concatenate),
    "iota": each(iota, [k for k in ALL if k != "i1"]), "pad": each(pad), "reshape": each(reshape), "reverse": each(reverse),
    "slice": each(slice_), "transpose": each(transpose), "dynamic_slice": each(dynamic_slice),
    "dynamic_update_slice": each(dynamic_update_slice), "get_dimension_size": each(get_dimension_size, FLOATS),
}
