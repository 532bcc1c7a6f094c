"""`@assay.sweep(m=16, n=(1, 7))`: a pytest marker that runs a test on the shapes where kernels break.

A size given as a tile t becomes 1, t-1, t, t+1, a prime after it, and a large size that no tile divides; a list is used as
it is. Each size is varied while the others are tiles, then all together; `full=True` takes every combination.
`layouts=True` adds the argument `layout` (contiguous, transposed, sliced, misaligned), `types=("f32", "bf16")` the argument `dtype`
(`assay.f32`, `assay.bf16`): the sizes run contiguously, and in every type.
"""
import itertools

from .elements import NAMES, Element

LAYOUTS = ("contiguous", "transposed", "sliced", "misaligned")


def sweep(*, full=False, layouts=(), types=(), **sizes):
    """A decorator. Raises ImportError without pytest, ValueError for an invalid size or type."""
    try:
        import pytest
    except ImportError:
        raise ImportError("assay.sweep needs pytest (pip install pytest)") from None
    axes = {name: edges(name, value) for name, value in sizes.items()}
    if layouts:
        axes["layout"] = LAYOUTS if layouts is True else tuple(layouts)
    kinds = tuple(_element(word) for word in types)
    if not axes and not kinds:
        raise ValueError("assay.sweep needs sizes, layouts or types")
    cases = list(itertools.product(*axes.values())) if full or not axes else star(axes)
    if kinds:  # all of it in every type: a fault at an edge may be one type's
        cases, axes["dtype"] = [(*case, kind) for kind in kinds for case in cases], kinds
    ids = ["-".join(f"{name}{value}" if isinstance(value, int) else str(value).removeprefix("assay.") for name, value in zip(axes, case)) for case in cases]
    if len(axes) == 1:
        cases = [case[0] for case in cases]
    return pytest.mark.parametrize(",".join(axes), cases, ids=ids)


def edges(name, value):
    """The sizes for a tile or a list."""
    if isinstance(value, int) and value > 0:
        return tuple(sorted({1, max(value - 1, 1), value, value + 1, next_prime(value + 1), 4 * value + 3}))
    sizes = tuple(value) if isinstance(value, (list, tuple, range)) else ()
    if not sizes or not all(isinstance(size, int) and size >= 0 for size in sizes):
        raise ValueError(f"{name}={value!r} is neither a tile size nor a list of sizes")
    return sizes


def star(axes):
    """Every value of every axis, the others at their middle (layouts: contiguous); then all axes together."""
    middles = [values[0 if name == "layout" else len(values) // 2] for name, values in axes.items()]
    cases = []
    for i, values in enumerate(axes.values()):
        cases += [tuple(value if k == i else middle for k, middle in enumerate(middles)) for value in values]
    longest = max(len(values) for values in axes.values())
    cases += [tuple(values[min(i, len(values) - 1)] for values in axes.values()) for i in range(longest)]
    return list(dict.fromkeys(cases))


def next_prime(number):
    while any(number % factor == 0 for factor in range(2, int(number**0.5) + 1)):
        number += 1
    return number


def _element(word):
    if isinstance(word, Element):
        return word
    if word not in NAMES:
        raise ValueError(f"'{word}' is not an element type; there are {', '.join(NAMES)}")
    return Element(word)
