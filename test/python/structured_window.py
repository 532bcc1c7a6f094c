"""Cases of convolution, reduce, reduce_window and select_and_scatter."""
import numpy as np

from structured_move import each
from structured_programs import ALL, TYPES, binary, body, bools, case, distinct, ints, numbers, pairs, shapeOf

ARITHMETIC = [k for k in ALL if k != "i1"]
ORDERED = [k for k in ARITHMETIC if not k.startswith("complex")]


def windowed(n, k, stride, pad, baseDilation, windowDilation):
    """The number of windows along a dimension."""
    base = (n - 1) * baseDilation + 1 if n else 0
    base += pad[0] + pad[1]
    window = (k - 1) * windowDilation + 1 if k else 0
    return 0 if base < window or base <= 0 else (base - window) // stride + 1


def labels(rng, rank, first, second):
    """A layout such as [b, 1, 0, f]: its text, and where to put (first, second, spatial...)."""
    names = [first, second] + [str(d) for d in range(rank)]
    order = [names[i] for i in rng.permutation(rank + 2)]
    return order


def arranged(order, sizes):
    return tuple(sizes[name] for name in order)


def convolution(rng, kind):
    rank = int(rng.integers(1, 4))
    features, batches = int(rng.choice([1, 1, 2, 3])), 1
    if features == 1 and rng.random() < 0.4:
        batches = int(rng.choice([2, 3]))
    inPerGroup, outPerGroup = int(rng.choice([1, 2, 3])), int(rng.choice([1, 2, 4]))
    spatial = [int(n) for n in rng.choice([1, 2, 3, 5, 7] if rank < 3 else [1, 2, 3, 4], rank)]
    window = [int(n) for n in rng.choice([1, 2, 3], rank)]
    stride, base, dilation = ([int(n) for n in rng.choice([1, 1, 2, 3], rank)] for _ in range(3))
    pad = [(int(rng.integers(-1, 4)), int(rng.integers(0, 4))) for _ in range(rank)]
    pad = [(max(p, 0) if n < 3 else p, q) for (p, q), n in zip(pad, spatial)]
    reverse = rng.random(rank) < 0.3
    batch = int(rng.choice([1, 2, 3])) * batches
    out = [windowed(*v) for v in zip(spatial, window, stride, pad, base, dilation)]
    left, right, result = labels(rng, rank, "b", "f"), labels(rng, rank, "i", "o"), labels(rng, rank, "b", "f")
    outputs = outPerGroup * features * batches
    shapes = [arranged(left, {"b": batch, "f": inPerGroup * features, **{str(d): n for d, n in enumerate(spatial)}}),
              arranged(right, {"i": inPerGroup, "o": outputs, **{str(d): n for d, n in enumerate(window)}})]
    shape = arranged(result, {"b": batch // batches, "f": outputs, **{str(d): n for d, n in enumerate(out)}})
    text = (f"dimension_numbers = #stablehlo.conv<[{', '.join(left)}]x[{', '.join(right)}]->[{', '.join(result)}]>, "
            f"feature_group_count = {features} : i64, batch_group_count = {batches} : i64, window_strides = {ints(stride)}, "
            f"padding = {pairs(pad)}, lhs_dilation = {ints(base)}, rhs_dilation = {ints(dilation)}, "
            f"window_reversal = {bools(reverse)}")
    return case("stablehlo.convolution", [kind] * 2, [numbers(rng, kind, s, 2) for s in shapes], [(kind, shape)], text)


INITIAL = {"add": 0, "multiply": 1, "and": -1, "or": 0, "xor": 0}


def initial(rng, kind, op):
    dtype = TYPES[kind]
    if op in ("maximum", "minimum"):
        if kind == "i1":
            return np.array(op == "minimum")
        if dtype(0).dtype.kind in "iu":
            info = np.iinfo(dtype)
            return np.array(info.min if op == "maximum" else info.max, dtype)
        return np.array(-np.inf if op == "maximum" else np.inf).astype(dtype)
    if kind == "i1" or dtype(0).dtype.kind in "iu":
        return np.array(INITIAL[op]).astype(dtype)
    return np.array(INITIAL[op]).astype(dtype)


def reducer(rng, kind):
    if kind == "i1":
        return str(rng.choice(["and", "or", "maximum", "minimum"]))
    names = ["add", "maximum", "minimum"] if not kind.startswith("complex") else ["add"]
    if kind[0] in "iu":
        names += ["and", "or", "xor", "multiply"]
    return str(rng.choice(names))


def reduce(rng, kind):
    shape = shapeOf(rng, 0, 4, [0, 1, 2, 3, 5, 7, 13])
    dims = sorted(int(d) for d in rng.choice(len(shape), rng.integers(0, len(shape) + 1), replace=False)) if shape else []
    op = reducer(rng, kind)
    kept = tuple(n for d, n in enumerate(shape) if d not in dims)
    # Sums of bf16 and f16 stay below 256, where they are exact.
    operand = numbers(rng, kind, shape, 1 if kind in ("bf16", "f16") else 3)
    return case("stablehlo.reduce", [kind] * 2, [operand, initial(rng, kind, op)], [(kind, kept)], f"dimensions = {ints(dims)}",
                binary(op, kind), note=op)


def reducePair(rng, kind):
    """Largest value and its first index: the variadic reducer behind argmax."""
    shape = shapeOf(rng, 1, 3, [1, 2, 3, 5, 7, 13, 40])
    dim = int(rng.integers(len(shape)))
    kept = shape[:dim] + shape[dim + 1:]
    index = np.broadcast_to(np.arange(shape[dim], dtype=np.int32).reshape([-1 if d == dim else 1 for d in range(len(shape))]),
                            shape).copy()
    t, b = f"tensor<{kind}>", "tensor<i1>"
    region = body(kind, f"%gt = stablehlo.compare GT, %x, %y : ({t}, {t}) -> {b}\n"
                  f"    %eq = stablehlo.compare EQ, %x, %y : ({t}, {t}) -> {b}\n"
                  f"    %lt = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> {b}\n"
                  f"    %tie = stablehlo.and %eq, %lt : {b}\n    %p = stablehlo.or %gt, %tie : {b}\n"
                  f"    %v = stablehlo.select %p, %x, %y : {b}, {t}\n    %k = stablehlo.select %p, %i, %j : {b}, tensor<i32>\n"
                  f"    stablehlo.return %v, %k : {t}, tensor<i32>", ("x", "i", "y", "j"), [kind, "i32", kind, "i32"])
    return case("stablehlo.reduce", [kind, "i32", kind, "i32"],
                [numbers(rng, kind, shape), index, initial(rng, kind, "maximum"), np.array(2**31 - 1, np.int32)],
                [(kind, kept), ("i32", kept)], f"dimensions = {ints([dim])}", region)


def reduceLarger(rng, kind):
    """A body of several operations: (x + y) modulo 64, or the larger magnitude. The operand holds values for which 0 is the
    body's identity, as the specification demands: XLA takes a single element as the result."""
    shape = shapeOf(rng, 1, 3, [1, 2, 3, 5, 7, 13])
    dim = int(rng.integers(len(shape)))
    kept = shape[:dim] + shape[dim + 1:]
    t = f"tensor<{kind}>"
    if kind[0] in "iu":
        mask = np.array(63).astype(TYPES[kind])
        region = body(kind, f"%c = stablehlo.constant dense<{mask}> : {t}\n    %s = stablehlo.add %x, %y : {t}\n"
                      f"    %m = stablehlo.and %s, %c : {t}\n    stablehlo.return %m : {t}")
    else:
        region = body(kind, f"%p = stablehlo.abs %x : {t}\n    %q = stablehlo.abs %y : {t}\n"
                      f"    %m = stablehlo.maximum %p, %q : {t}\n    stablehlo.return %m : {t}")
    return case("stablehlo.reduce", [kind] * 2, [np.abs(numbers(rng, kind, shape)), np.zeros((), TYPES[kind])], [(kind, kept)],
                f"dimensions = {ints([dim])}", region)


def windowOf(rng, rank, dilations=True):
    spatial = tuple(int(n) for n in rng.choice([1, 2, 3, 5, 7] if rank < 4 else [1, 2, 3], rank))
    window = [int(n) for n in rng.choice([1, 1, 2, 3], rank)]
    stride = [int(n) for n in rng.choice([1, 1, 2, 3], rank)]
    base, dilation = ([int(n) if dilations else 1 for n in rng.choice([1, 1, 2], rank)] for _ in range(2))
    pad = [(int(rng.integers(0, 3)), int(rng.integers(0, 3))) for _ in range(rank)]
    out = tuple(windowed(*v) for v in zip(spatial, window, stride, pad, base, dilation))
    return spatial, window, stride, pad, base, dilation, out


def reduceWindow(rng, kind):
    spatial, window, stride, pad, base, dilation, out = windowOf(rng, int(rng.integers(1, 5)))
    op = reducer(rng, kind)
    text = (f"window_dimensions = {ints(window)}, window_strides = {ints(stride)}, base_dilations = {ints(base)}, "
            f"window_dilations = {ints(dilation)}, padding = {pairs(pad)}")
    return case("stablehlo.reduce_window", [kind] * 2, [numbers(rng, kind, spatial), initial(rng, kind, op)], [(kind, out)], text,
                binary(op, kind), note=op)


def reduceWindowPair(rng, kind):
    """Sum and maximum in one operation."""
    spatial, window, stride, pad, base, dilation, out = windowOf(rng, int(rng.integers(1, 4)))
    region = body(kind, f"%s = stablehlo.add %x, %u : tensor<{kind}>\n    %m = stablehlo.maximum %y, %v : tensor<i32>\n"
                  f"    stablehlo.return %s, %m : tensor<{kind}>, tensor<i32>", ("x", "y", "u", "v"), [kind, "i32", kind, "i32"])
    text = (f"window_dimensions = {ints(window)}, window_strides = {ints(stride)}, base_dilations = {ints(base)}, "
            f"window_dilations = {ints(dilation)}, padding = {pairs(pad)}")
    return case("stablehlo.reduce_window", [kind, "i32", kind, "i32"],
                [numbers(rng, kind, spatial), numbers(rng, "i32", spatial), np.zeros((), TYPES[kind]),
                 np.array(-2**31, np.int32)], [(kind, out), ("i32", out)], text, region)


def selectAndScatter(rng, kind):
    spatial, window, stride, pad, _, _, out = windowOf(rng, int(rng.integers(1, 4)), False)
    # Every window must hold an element of the operand: padding stays below the window.
    pad = [(min(a, k - 1), min(b, k - 1)) for (a, b), k in zip(pad, window)]
    out = tuple(windowed(n, k, s, p, 1, 1) for n, k, s, p in zip(spatial, window, stride, pad))
    direction, op = str(rng.choice(["GE", "LE", "GT"])), str(rng.choice(["add", "maximum"]))
    select = body(kind, f"%p = stablehlo.compare {direction}, %x, %y : (tensor<{kind}>, tensor<{kind}>) -> tensor<i1>\n"
                  f"    stablehlo.return %p : tensor<i1>")
    text = f"window_dimensions = {ints(window)}, window_strides = {ints(stride)}, padding = {pairs(pad)}"
    return case("stablehlo.select_and_scatter", [kind] * 3,
                [distinct(rng, kind, spatial), numbers(rng, kind, out, 2), np.zeros((), TYPES[kind])], [(kind, spatial)], text,
                select + ", " + binary(op, kind), note=f"{direction} {op}")


GENERATORS = {
    "convolution": each(convolution, ARITHMETIC, 4), "reduce": each(reduce, ALL, 4), "reduce_pair": each(reducePair, ORDERED, 2),
    "reduce_larger_body": each(reduceLarger, ORDERED, 2), "reduce_window": each(reduceWindow, ALL, 3),
    "reduce_window_pair": each(reduceWindowPair, ["i8", "i32", "f32", "f64"], 3),
    "select_and_scatter": each(selectAndScatter, ORDERED, 3),
}
