"""chlo.ragged_dot and chlo.scan against NumPy: random groups, batches, types; scans in both directions."""

import numpy as np
import pytest

assay = pytest.importorskip("assay")

WORDS = {"float32": "f32", "float64": "f64", "int32": "i32"}


def typed(array):
    return "tensor<" + "".join(f"{n}x" for n in array.shape) + WORDS.get(array.dtype.name, "i64") + ">"


def ragged_rows(lhs, rhs, sizes):
    """Rows of lhs [m, k] in groups of `sizes`, each times a matrix of rhs [g, k, n]; the rest is 0."""
    out, at = np.zeros((lhs.shape[0], rhs.shape[2]), lhs.dtype), 0
    for group, size in enumerate(sizes):
        out[at : at + size] = lhs[at : at + size] @ rhs[group]
        at += size
    return out


@pytest.mark.parametrize("dtype", WORDS)
@pytest.mark.parametrize("seed", range(6))
def test_ragged_dot_is_a_product_for_each_group(dtype, seed):
    rng = np.random.default_rng(seed)
    b, m, k, n, g = (int(x) for x in rng.integers(1, 7, 5))
    lhs, rhs = rng.integers(-4, 5, (b, m, k)).astype(dtype), rng.integers(-4, 5, (g, b, k, n)).astype(dtype)
    sizes = np.array([np.bincount(rng.integers(0, g + 1, m), minlength=g + 1)[:g] for _ in range(b)], np.int64)
    want = np.stack([ragged_rows(lhs[i], rhs[:, i], sizes[i]) for i in range(b)])
    numbers = ("#chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], "
               "rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>")  # fmt: skip
    text = (f"func.func @main(%a: {typed(lhs)}, %b: {typed(rhs)}, %s: {typed(sizes)}) -> {typed(want)} {{\n"
            f'  %0 = "chlo.ragged_dot"(%a, %b, %s) {{ragged_dot_dimension_numbers = {numbers}}} : ({typed(lhs)}, {typed(rhs)}, {typed(sizes)}) -> {typed(want)}\n'
            f"  return %0 : {typed(want)}\n}}\n")  # fmt: skip
    np.testing.assert_array_equal(assay.run(text, lhs, rhs, sizes), want)


def ragged(numbers, lhs, rhs, sizes, shape):
    out = "tensor<" + "".join(f"{n}x" for n in shape) + WORDS[lhs.dtype.name] + ">"
    types = f"{typed(lhs)}, {typed(rhs)}, {typed(sizes)}"
    text = (f"func.func @main(%a: {typed(lhs)}, %b: {typed(rhs)}, %s: {typed(sizes)}) -> {out} {{\n"
            f'  %0 = "chlo.ragged_dot"(%a, %b, %s) {{ragged_dot_dimension_numbers = #chlo.ragged_dot<{numbers}>}} : ({types}) -> {out}\n'
            f"  return %0 : {out}\n}}\n")  # fmt: skip
    return assay.run(text, lhs, rhs, sizes)


@pytest.mark.parametrize("one_list", [False, True])
@pytest.mark.parametrize("dtype", WORDS)
@pytest.mark.parametrize("seed", range(5))
def test_groups_of_summed_elements_are_products_of_their_own(seed, dtype, one_list):
    """lhs [batch, o, m, k] and rhs [batch, k, o, n] contracted over o and k, of which k is in groups, for each o its own."""
    rng = np.random.default_rng(seed)
    b, o, m, k, n, g = (int(x) for x in rng.integers(1, 6, 6))
    lhs, rhs = rng.integers(-4, 5, (b, o, m, k)).astype(dtype), rng.integers(-4, 5, (b, k, o, n)).astype(dtype)
    draw = lambda: np.bincount(rng.integers(0, g + 1, k), minlength=g + 1)[:g]
    sizes = draw() if one_list else np.array([[draw() for _ in range(o)] for _ in range(b)])
    want = np.zeros((g, b, m, n), dtype)
    for batch in range(b):
        for outer in range(o):
            ends = np.cumsum(sizes if one_list else sizes[batch, outer])
            for group in range(g):
                part = slice(ends[group - 1] if group else 0, ends[group])
                want[group, batch] += lhs[batch, outer, :, part] @ rhs[batch, part, outer]
    numbers = ("lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1, 3], "
               "rhs_contracting_dimensions = [2, 1], lhs_ragged_dimensions = [3]")  # fmt: skip
    np.testing.assert_array_equal(ragged(numbers, lhs, rhs, sizes.astype(np.int64), want.shape), want)


def test_groups_of_batches_are_the_product():
    rng = np.random.default_rng(1)
    lhs, rhs = rng.integers(-4, 5, (5, 2, 3)).astype(np.float32), rng.integers(-4, 5, (5, 3, 4)).astype(np.float32)
    numbers = ("lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], "
               "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]")  # fmt: skip
    np.testing.assert_array_equal(ragged(numbers, lhs, rhs, np.array([2, 3]), (5, 2, 4)), lhs @ rhs)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dimension", [0, 1])
@pytest.mark.parametrize("engine", ["reference", "native"])
def test_scan_is_a_loop_over_slices(reverse, dimension, engine):
    rng = np.random.default_rng(3)
    x, init = rng.integers(-9, 10, (5, 4)).astype(np.float32), rng.integers(-9, 10, 4 if dimension == 0 else 5).astype(np.float32)
    carry, want = init, np.zeros_like(x)
    for i in reversed(range(x.shape[dimension])) if reverse else range(x.shape[dimension]):
        carry = np.maximum(carry * np.float32(0.5), np.take(x, i, dimension))
        want[(slice(None),) * dimension + (i,)] = carry
    one, half = typed(init), f"dense<0.5> : {typed(init)}"
    text = (f"func.func @main(%x: {typed(x)}, %i: {one}) -> ({typed(x)}, {one}) {{\n"
            f"  %0:2 = chlo.scan(%x) inits(%i) dimension={dimension} attributes {{is_reverse = {str(reverse).lower()}}} {{\n"
            f"  ^bb0(%item: {one}, %carry: {one}):\n    %h = stablehlo.constant {half}\n    %1 = stablehlo.multiply %carry, %h : {one}\n"
            f"    %2 = stablehlo.maximum %1, %item : {one}\n    stablehlo.return %2, %2 : {one}, {one}\n"
            f"  }} : ({typed(x)}, {one}) -> ({typed(x)}, {one})\n  return %0#0, %0#1 : {typed(x)}, {one}\n}}\n")  # fmt: skip
    every, last = assay.run(text, x, init, engine=engine)
    np.testing.assert_array_equal(every, want)
    np.testing.assert_array_equal(last, carry)
