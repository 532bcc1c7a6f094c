"""Cases of gather, scatter, sort, top_k and torch_index_select.

Scatter windows are fully inside or fully outside: where a window is partly outside, the specification drops the elements
outside, XLA drops the window (test/reference/scatter.mlir has that case).
"""
import numpy as np

from structured_move import each
from structured_programs import ALL, TYPES, Case, binary, body, case, distinct, ints, listed, numbers, shapeOf

INDEX_KINDS = ["i8", "i32", "i64", "ui8", "ui32", "ui64"]


def indexArray(rng, kind, shape, limits, outside=True):
    """Start indices, the vector in dimension 0 of the result: some below 0 and some beyond the limit."""
    rows = []
    for limit in limits:
        low = -3 if outside and not kind.startswith("u") else 0
        rows.append(rng.integers(low, max(limit, 1) + (4 if outside else 0), shape))
    return np.array(rows, np.int64).reshape((len(limits),) + tuple(shape)).astype(TYPES[kind])


def layout(rng, rank, sizes):
    """Splits the operand's dimensions: batching, collapsed, window; and the dimensions that have an index."""
    role = [str(rng.choice(["window", "window", "collapsed", "batching"])) for _ in range(rank)]
    batching = [d for d in range(rank) if role[d] == "batching"]
    collapsed = [d for d in range(rank) if role[d] == "collapsed"]
    window = [d for d in range(rank) if role[d] == "window"]
    free = [d for d in range(rank) if d not in batching]
    mapped = list(rng.permutation([d for d in free if d in collapsed or rng.random() < 0.6]).astype(int))
    return batching, collapsed, window, mapped


def indexed(rng):
    """The common part of gather and scatter: shapes and dimension numbers."""
    rank = int(rng.integers(1, 5))
    shape = tuple(int(n) for n in rng.choice([1, 2, 3, 5], rank))
    batching, collapsed, window, mapped = layout(rng, rank, shape)
    sizes = [1 if d not in window else int(rng.integers(0 if rng.random() < 0.1 else 1, shape[d] + 1)) for d in range(rank)]
    extra = shapeOf(rng, 0, 2, [1, 2, 3, 5])
    # Index dimensions: batching ones (in random order among the others) and the extra ones.
    batchDims = [("batch", b) for b in batching] + [("extra", e) for e in range(len(extra))]
    order = rng.permutation(len(batchDims))
    dims = [batchDims[i] for i in order]
    batchShape = tuple(shape[number] if what == "batch" else extra[number] for what, number in dims)
    vector = int(rng.integers(0, len(batchShape) + 1))
    positions = [next(i for i, d in enumerate(dims) if d == ("batch", b)) for b in batching]
    indexBatching = [p + (p >= vector) for p in positions]
    resultRank = len(batchShape) + len(window)
    offsets = sorted(int(d) for d in rng.choice(resultRank, len(window), replace=False)) if window else []
    result, at, ws = [], iter(batchShape), iter([sizes[d] for d in window])
    for d in range(resultRank):
        result.append(next(ws) if d in offsets else next(at))
    implicit = len(mapped) == 1 and vector == len(batchShape) and rng.random() < 0.5
    return dict(shape=shape, batching=batching, collapsed=collapsed, mapped=mapped, sizes=sizes, batchShape=batchShape,
                vector=vector, indexBatching=indexBatching, offsets=offsets, result=tuple(result), implicit=implicit)


def placed(indices, g):
    """Moves the index vector's dimension to its place, or removes it."""
    return indices[0] if g["implicit"] else np.ascontiguousarray(np.moveaxis(indices, 0, g["vector"]))


def gather(rng, kind):
    g = indexed(rng)
    indexKind = str(rng.choice(INDEX_KINDS))
    limits = [g["shape"][d] - g["sizes"][d] + 1 for d in g["mapped"]]
    indices = placed(indexArray(rng, indexKind, g["batchShape"], limits), g)
    numbersText = (f"dimension_numbers = #stablehlo.gather<offset_dims = {listed(g['offsets'])}, collapsed_slice_dims = "
                   f"{listed(g['collapsed'])}, operand_batching_dims = {listed(g['batching'])}, start_indices_batching_dims = "
                   f"{listed(g['indexBatching'])}, start_index_map = {listed(g['mapped'])}, index_vector_dim = {g['vector']}>, "
                   f"slice_sizes = {ints(g['sizes'])}, indices_are_sorted = false")
    return case("stablehlo.gather", [kind, indexKind], [numbers(rng, kind, g["shape"]), indices], [(kind, g["result"])],
                numbersText)


def update(op, kind):
    if op == "replace":
        return body(kind, f"stablehlo.return %y : tensor<{kind}>")
    if op == "keep":
        return body(kind, f"stablehlo.return %x : tensor<{kind}>")
    if op == "two":
        return body(kind, f"%s = stablehlo.add %x, %y : tensor<{kind}>\n    %t = stablehlo.maximum %s, %y : tensor<{kind}>\n"
                    f"    stablehlo.return %t : tensor<{kind}>")
    return binary(op, kind)


def scatter(rng, kind):
    g = indexed(rng)
    op = str(rng.choice(["add", "multiply", "maximum", "minimum", "replace", "keep", "two"]))
    if kind.startswith("complex") and op in ("maximum", "minimum", "two"):
        op = "add"
    indexKind = str(rng.choice(INDEX_KINDS))
    limits = [g["shape"][d] - g["sizes"][d] + 1 for d in g["mapped"]]
    indices = indexArray(rng, indexKind, g["batchShape"], limits, outside=False)
    # Some whole windows are outside.
    far = rng.choice([100] if indexKind.startswith("u") else [100, -100], indices.shape).astype(TYPES[indexKind])
    indices = np.where(rng.random(indices.shape) < 0.2, far, indices)
    # Which of several updates of one element remains is undefined: only batching dimensions certainly separate them.
    if op == "replace" and len(g["batchShape"]) > len(g["batching"]):
        op = "add"
    text = (f"scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {listed(g['offsets'])}, inserted_window_dims = "
            f"{listed(g['collapsed'])}, input_batching_dims = {listed(g['batching'])}, scatter_indices_batching_dims = "
            f"{listed(g['indexBatching'])}, scatter_dims_to_operand_dims = {listed(g['mapped'])}, index_vector_dim = "
            f"{g['vector']}>, indices_are_sorted = false, unique_indices = false")
    return case("stablehlo.scatter", [kind, indexKind, kind],
                [numbers(rng, kind, g["shape"]), placed(indices, g), numbers(rng, kind, g["result"], 2)], [(kind, g["shape"])],
                text, update(op, kind), note=op)


def variadicScatter(rng, kind):
    """Two operands, repeated indices: (sum, product)."""
    n, m = int(rng.integers(1, 8)), int(rng.integers(1, 12))
    indices = rng.integers(-2, n + 2, (m, 1)).astype(np.int32)
    region = body(kind, f"%s = stablehlo.add %x, %u : tensor<{kind}>\n    %p = stablehlo.maximum %y, %v : tensor<i32>\n"
                  f"    stablehlo.return %s, %p : tensor<{kind}>, tensor<i32>", ("x", "y", "u", "v"), [kind, "i32", kind, "i32"])
    return case("stablehlo.scatter", [kind, "i32", "i32", kind, "i32"],
                [numbers(rng, kind, (n,)), numbers(rng, "i32", (n,)), indices, numbers(rng, kind, (m,)), numbers(rng, "i32", (m,))],
                [(kind, (n,)), ("i32", (n,))],
                "scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                "index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false", region)


def comparator(kind, direction, extra, compareType):
    kinds = [kind, kind] + [k for e in extra for k in (e, e)]
    names = ["x", "y"] + [f"e{i}" for i in range(2 * len(extra))]
    return body(kind, f'%p = "stablehlo.compare"(%x, %y) {{comparison_direction = #stablehlo<comparison_direction {direction}>, '
                f'compare_type = #stablehlo<comparison_type {compareType}>}} : (tensor<{kind}>, tensor<{kind}>) -> tensor<i1>\n'
                f'    stablehlo.return %p : tensor<i1>', names, kinds)


def sort(rng, kind):
    """Stable sorts; floats with NaN of both signs, infinities and both zeros in the total order."""
    shape = shapeOf(rng, 1, 3)
    dim = int(rng.integers(len(shape)))
    extra = [str(k) for k in rng.choice(["i32", "f32", "i8"], rng.integers(0, 3))]
    keys = numbers(rng, kind, shape)
    isFloat = kind in ("bf16", "f16", "f32", "f64")
    if isFloat:
        special = rng.choice([np.nan, np.copysign(np.nan, -1), np.inf, -np.inf, 0.0, -0.0], shape)
        keys = np.where(rng.random(shape) < 0.4, special, keys.astype(np.float64)).astype(TYPES[kind])
    compareType = "TOTALORDER" if isFloat else "UNSIGNED" if kind[0] in "u" or kind == "i1" else "SIGNED"
    direction = str(rng.choice(["LT", "GT"]))
    payload = [np.arange(keys.size).reshape(shape).astype(TYPES[e]) for e in extra]
    return case("stablehlo.sort", [kind] + extra, [keys] + payload, [(kind, shape)] + [(e, shape) for e in extra],
                f"dimension = {dim} : i64, is_stable = true", comparator(kind, direction, extra, compareType))


def topK(rng, kind):
    shape = shapeOf(rng, 1, 3, [1, 2, 3, 5, 7, 13])
    k = int(rng.integers(1, shape[-1] + 1))
    out = shape[:-1] + (k,)
    return case("chlo.top_k", [kind], [numbers(rng, kind, shape)], [(kind, out), ("i32", out)], f"k = {k} : i64")


def torchIndexSelect(rng, kind):
    """XLA has no such operation: there the equivalent gather is used (indices inside; batch dimensions lead)."""
    shape = shapeOf(rng, 1, 3, [1, 2, 3, 5])
    dim = int(rng.integers(len(shape)))
    batch = int(rng.integers(0, dim + 1))
    tail = shapeOf(rng, 0, 2, [1, 2, 3])
    index = shape[:batch] + tail
    out = shape[:dim] + tail + shape[dim + 1:]
    indices = rng.integers(0, shape[dim], index).astype(np.int32)
    one = case("stablehlo.torch_index_select", [kind, "i32"], [numbers(rng, kind, shape), indices], [(kind, out)],
               f"dim = {dim} : i64, batch_dims = {batch} : i64")
    offsets = list(range(batch, dim)) + list(range(dim + len(tail), len(out)))
    sizes = [1 if d < batch or d == dim else n for d, n in enumerate(shape)]
    peer = case("stablehlo.gather", one.kinds, one.operands, one.results,
                f"dimension_numbers = #stablehlo.gather<offset_dims = {listed(offsets)}, collapsed_slice_dims = [{dim}], "
                f"operand_batching_dims = {listed(range(batch))}, start_indices_batching_dims = {listed(range(batch))}, "
                f"start_index_map = [{dim}], index_vector_dim = {len(index)}>, slice_sizes = {ints(sizes)}, "
                f"indices_are_sorted = false")
    return Case(one.kinds, one.operands, one.results, one.body, peer=peer.body)


REAL = [k for k in ALL if not k.startswith("complex")]
GENERATORS = {
    "gather": each(gather, ALL, 6), "scatter": each(scatter, [k for k in ALL if k != "i1"], 5),
    "scatter_variadic": each(variadicScatter, ["i16", "f32", "f64"], 3), "sort": each(sort, REAL, 3),
    "top_k": each(topK, [k for k in REAL if k != "i1"], 3), "torch_index_select": each(torchIndexSelect, ALL, 3),
}
