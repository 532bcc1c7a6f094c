"""StableHLO programs in this process: `assay.run` and `assay.load`.

    program = assay.load("model.mlir", engine="native")
    logits = program(weights, tokens)

Arguments are arrays of NumPy, PyTorch or JAX (or what NumPy makes an array of); results are of the framework that most arguments
have. Dense arrays in the host's memory are read in place. A `stablehlo.custom_call` may be a Python function:

    assay.run(text, x, custom_calls={"my_kernel": lambda x, scale=1.0: x * scale})
"""
import json
import os

import numpy

from . import arrays
from .elements import count, numpy_dtype
from .words import amount, engine_named


ANY = -1  # a size that the program leaves open: ?


class LoadedProgram:
    """A program, planned once for an engine; call it with one array for each argument."""

    def __init__(self, source, entry="", engine="reference", threads=0, max_memory=0, custom_calls=None, alg="direct", fold="auto"):
        from ._assay import PlannedProgram

        if fold not in ("auto", "off"):
            raise ValueError(f"fold is {fold!r}, expected 'auto' or 'off'")
        if not isinstance(source, (str, bytes, os.PathLike)):
            exported = "; it is called like its model, and its `text` is the program" if hasattr(source, "parameters") and hasattr(source, "save") else ""
            raise ValueError(f"a program is a path or text, not {type(source).__name__}{exported}")
        is_path = isinstance(source, os.PathLike) or "\n" not in source and os.path.exists(source)
        if not is_path and "func" not in str(source):
            raise FileNotFoundError(f"'{source}' is neither a file nor the text of a program")
        self._planned = PlannedProgram(os.fspath(source), is_path, entry, engine, threads, max_memory,
                                       {target: _wrapped(target, function) for target, function in (custom_calls or {}).items()}, alg,
                                       folds_scales=fold == "auto")
        self.inputs, self.outputs = list(map(_type, self._planned.inputs)), list(map(_type, self._planned.outputs))
        self._plain = [(_numpy_or_none(dtype), shape) for dtype, shape in self.inputs]

    def __call__(self, *values):
        """The result, or a tuple of them. Raises ValueError for arguments that do not fit, never AssertionError: a failed
        check of the program is a RuntimeError with its place."""
        if len(values) != len(self.inputs):
            raise ValueError(f"the program takes {amount(len(self.inputs), 'argument')}, got {len(values)}")
        if all(map(_is_plain, values, self._plain)):  # this branch takes a third of the other's time
            data, shapes, framework = values, [value.shape for value in values], "numpy"
        else:
            data = [_bytes(i, value, *wanted) for i, (value, wanted) in enumerate(zip(values, self.inputs))]
            shapes = [_shape(value) for value in values]
            kinds = [kind for kind in map(arrays.framework_of, values) if kind]
            framework = max(kinds, key=kinds.count) if kinds else "numpy"
        made = self._planned.run([array.ctypes.data for array in data], shapes)
        results = tuple(arrays.of_memory(one, dtype, shape, framework) for (one, shape), (dtype, _) in zip(made, self.outputs))
        return results[0] if len(results) == 1 else results

    def __repr__(self):
        show = lambda types: ", ".join(f"{dtype}{_sizes(shape)}" for dtype, shape in types)
        return f"<program ({show(self.inputs)}) -> ({show(self.outputs)})>"


def _exported(path, engine, threads):
    """A .pt2 file, which PyTorch reads."""
    try:
        from .torch import exporting
    except ImportError as error:
        raise ImportError(f"'{path}' is an ExportedProgram of PyTorch, which is needed to read it (pip install torch): {error}") from None
    return exporting.load(path, engine, threads)


def load(program, *, entry="", engine="reference", threads=0, max_memory=0, custom_calls=None, alg="direct", fold="auto"):
    """A program to call, from a path (MLIR text or bytecode, or a .pt2 file of torch.export, called like its model) or from text.

    entry         the function; by default main, or the only public one
    engine        reference, native, onednn, plugin:PATH
    threads       0 for all cores
    max_memory    bytes that a call may hold; 0 for 80 % of the machine's
    custom_calls  {target: function}: each function is called with NumPy arrays, and with the call's configuration as keywords;
                  it returns an array, or a tuple of them
    alg           how engine native may compute convolutions: direct, auto (windows of 3 x 3 in float32 also by Winograd's
                  transforms, where they are faster), wino (by transforms wherever possible)
    fold          whether engine native may make scales of channels part of filters that are constants: auto or off

    Raises ValueError for invalid programs, OSError for unreadable files.
    """
    if str(program).endswith(".pt2"):
        return _exported(program, engine, threads)
    engine_named(engine)
    return LoadedProgram(program, entry, engine, threads, max_memory, custom_calls, alg, fold)


def run(program, *values, **options):
    """load(program, **options)(*values)."""
    return load(program, **options)(*values)


def _wrapped(target, function):
    """The function in the form that the binding calls: from bytes to bytes."""
    def call(operands, results, configuration):
        given = [numpy.frombuffer(data, numpy_dtype(dtype)).reshape(shape) for dtype, shape, data in operands]
        made = function(*given, **json.loads(configuration))
        made = list(made) if isinstance(made, (tuple, list)) else [] if made is None else [made]
        if len(made) != len(results):
            raise ValueError(f"'{target}' returned {amount(len(made), 'array')}, expected {len(results)}")
        out = []
        for i, (array, (dtype, shape)) in enumerate(zip(made, results)):
            array = numpy.asarray(array)
            if array.dtype != numpy_dtype(dtype) or list(array.shape) != list(shape):
                raise ValueError(f"result {i} of '{target}' is {array.dtype}{list(array.shape)}, expected {dtype}{list(shape)}")
            out.append(array.tobytes())
        return out
    return call


def _type(text):
    dtype, shape = text
    return dtype, tuple(ANY if size < 0 else size for size in shape)


def _numpy_or_none(dtype):
    try:
        return numpy_dtype(dtype)
    except ImportError:
        return None


def _is_plain(value, wanted):
    """Whether it is a NumPy array of exactly this type and these sizes, dense and not empty."""
    dtype, shape = wanted
    return (type(value) is numpy.ndarray and dtype is not None and value.dtype == dtype and value.shape == shape
            and value.flags.c_contiguous and value.size > 0)


def _bytes(index, value, dtype, shape):
    if arrays.framework_of(value) is None:
        value = numpy.asarray(value, numpy_dtype(dtype))
    given = _shape(value)
    fits = len(given) == len(shape) and all(want in (size, ANY) for want, size in zip(shape, given))
    if arrays.dtype_of(value) != dtype or not fits:
        raise ValueError(f"argument {index} is {arrays.dtype_of(value)}{_sizes(given)}, the program takes {dtype}{_sizes(shape)}")
    data = arrays.host_bytes(value)
    return data if count(given) else numpy.zeros(1, numpy.uint8)


def _shape(value):
    return tuple(arrays.shape_of(value)) if arrays.framework_of(value) else numpy.shape(value)


def _sizes(shape):
    return "[" + ", ".join("?" if size == ANY else str(size) for size in shape) + "]"
