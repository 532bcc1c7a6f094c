"""testdata/dynamic: programs with `?` dimensions and a dimension variable, but without inputs. Each is run with inputs made for its
shapes, with the first sizes of a fixed list that the program accepts.
"""
import itertools
import re

import numpy as np

from results import FAILED, PASSED, Outcome, Suite

SIGNATURE = re.compile(r"func\.func public @main\((.*)\) -> ")
ARGUMENT = re.compile(r"%arg\d+: tensor<((?:[^<>]|<[^<>]*>)*)>")
SIZES = (3, 4, 6, 2, 9, 1)
MOST_TRIES = 60


def arguments_of(text):
    """[(dims, element)]; a dimension variable is the argument ([], "i64")."""
    found = []
    for inside in ARGUMENT.findall(SIGNATURE.search(text)[1]):
        dims = re.match(r"(?:(?:\?|\d+)x)*", inside)[0]
        found.append((dims.rstrip("x").split("x") if dims else [], inside[len(dims):]))
    return found


def numpy_type(element):
    named = {"i1": "bool", "f16": "float16", "f32": "float32", "f64": "float64", "complex<f32>": "complex64", "complex<f64>": "complex128"}
    if element == "bf16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(named.get(element) or element.replace("i", "int"))


def array(element, shape, random):
    dtype = numpy_type(element)
    if dtype.kind in "iub":
        return random.integers(0, 2 if dtype.kind == "b" else 3, shape).astype(dtype)
    values = random.standard_normal(shape)
    return (values + 1j * random.standard_normal(shape) if dtype.kind == "c" else values).astype(dtype)


def inputs(arguments, sizes):
    """The input arrays. `sizes` are the values of dimension variables and of `?`, in order."""
    random, left = np.random.default_rng(0), iter(sizes)
    made = []
    for dims, element in arguments:
        if not dims and element == "i64":
            made.append(np.int64(next(left)))
        else:
            made.append(array(element, [next(left) if dim == "?" else int(dim) for dim in dims], random))
    return made


def candidates(count):
    yield from ([size] * count for size in SIZES)
    yield from itertools.product(SIZES, repeat=count)


def outcome(file):
    import assay

    text = file.read_text()
    arguments = arguments_of(text)
    open_sizes = sum((not dims and element == "i64") + dims.count("?") for dims, element in arguments)
    reason = ""
    try:
        program = assay.load(text)
    except (ValueError, RuntimeError) as error:
        return Outcome(file.name, FAILED, str(error))
    for sizes in itertools.islice(candidates(open_sizes), MOST_TRIES):
        try:
            program(*inputs(arguments, sizes))
            return Outcome(file.name, PASSED)
        except (ValueError, RuntimeError) as error:
            reason = reason or str(error)
    return Outcome(file.name, FAILED, reason)


def suite(folder):
    return Suite("dynamic", "files", [outcome(file) for file in sorted(folder.glob("*.mlir"))])
