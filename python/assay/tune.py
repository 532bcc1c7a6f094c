"""Kernel selection from Python, in this process: a model ranks this machine's kernels, and dispatch runs the one that it takes.

    from assay.tune import Predictor
    predictor = Predictor("models/gemm_f32_rcr")
    best = predictor.rank_kernels({"m": 128, "n": 1536, "k": 7168}, top_k=3)[0]
    best["kernel"], best["tflops"]
    c = predictor.run(a, b)                     # arrays of NumPy or PyTorch
"""
import collections

import numpy

from . import arrays

KEYS = ("op", "dtype", "layout", "m", "n", "k", "batch", "threads")
Choice = collections.namedtuple("Choice", "kernel by why")

# NumPy's name of an element type -> the kernels' word, and the type of the result.
_TYPES = {"float32": ("f32", "float32"), "float64": ("f64", "float64"), "bfloat16": ("bf16", "bfloat16"), "float16": ("f16", "float16"),
          "int8": ("s8", "int32"), "uint8": ("u8", "int32")}  # fmt: skip
_RESULTS = {"float32": "f32", "float64": "f64", "bfloat16": "bf16", "float16": "f16", "int32": "s32"}


class Predictor:
    """The model in `model_dir`; without one, the models that dispatch looks at (`assay doctor` lists them)."""

    def __init__(self, model_dir=None):
        from ._assay import Tuner

        self.model_dir = None if model_dir is None else str(model_dir)
        self.note = ""
        self._tuner = Tuner(self.model_dir or "")

    def rank_kernels(self, problem, top_k=10):
        """The best `top_k` kernels for `problem`, best first.

        `problem` is a mapping with m, n, k and, where they differ from gemm, f32, rcr, 1 and all cores, op, dtype, layout,
        batch, threads. Each entry has `kernel`, `score`, and what the model predicts (`tflops`, `latency` in milliseconds,
        `bandwidth` in GB/s). `note` says afterwards why the ranking may be off (a model of another machine, a problem outside
        of the training). Raises ValueError for a missing or unknown key and a model of other types, OSError for a folder
        without a model.
        """
        rows, self.note = self._tuner.rank(*_words(problem), top_k)
        return rows

    def select_best(self, problem):
        """The name of the kernel that ranks first."""
        return self.rank_kernels(problem, top_k=1)[0]["kernel"]

    def predict_tflops(self, problem, kernel=None):
        """What the model predicts for a kernel, by default for the one that ranks first."""
        return self._predicted(problem, kernel, "tflops")

    def predict_latency(self, problem, kernel=None):
        """The same in milliseconds."""
        return self._predicted(problem, kernel, "latency")

    def kernels(self, dtype="f32", layout="rcr"):
        """The names of this machine's kernels; their place is their number in data sets and models."""
        return self._tuner.kernels(dtype, layout)

    def candidates(self, problem):
        """The names of those that can compute the problem."""
        return self._tuner.candidates(*_words(problem))

    def choose(self, problem):
        """What dispatch takes: (kernel, by, why): by a model or "analytic"."""
        return Choice(*self._tuner.choose(*_words(problem)))

    def run(self, a, b, threads=0):
        """a @ b by the kernel that dispatch takes. Two matrices, or two stacks of them with one size of stack (b may be one
        matrix); of NumPy or PyTorch, in any layout with unit strides in one direction, else copied. The result has the
        type of `a`, sums of 8 bits are int32. Raises ValueError for arrays that do not fit."""
        framework = arrays.framework_of(a)
        if framework not in ("numpy", "torch") or arrays.framework_of(b) != framework:
            raise ValueError("run() takes two arrays of NumPy or two of PyTorch")
        if arrays.device_of(a) or arrays.device_of(b):
            raise ValueError("run() takes arrays in the host's memory")
        kinds = [arrays.dtype_of(one) for one in (a, b)]
        if any(kind not in _TYPES for kind in kinds) or (kinds[0] != kinds[1] and not all("int8" in kind for kind in kinds)):
            raise ValueError(f"no kernel multiplies {kinds[0]} by {kinds[1]}; there are {', '.join(_TYPES)}")
        a, b = _plain(a, framework), _plain(b, framework)
        shapes = arrays.shape_of(a), arrays.shape_of(b)
        if not 2 <= len(shapes[1]) <= len(shapes[0]) <= 3 or shapes[0][-1] != shapes[1][-2] or len(shapes[1]) == 3 and shapes[0][0] != shapes[1][0]:
            raise ValueError(f"{list(shapes[0])} by {list(shapes[1])} is no product of matrices")
        words = [_TYPES[kind][0] for kind in kinds]
        dtype = words[0] if words[0] == words[1] else "".join(words)
        result = _empty(a, shapes[0][:-1] + shapes[1][-1:], _TYPES[kinds[0]][1], framework)
        sizes = shapes[0][-2], shapes[1][-1], shapes[0][-1], shapes[0][0] if len(shapes[0]) == 3 else 1
        if min(sizes[0], sizes[1], sizes[3]) > 0:
            strides = [stride for one in (a, b, result) for stride in _strides(one, framework)]
            self._tuner.run(dtype, _RESULTS[_TYPES[kinds[0]][1]], sizes, strides, [_address(one, framework) for one in (a, b, result)], threads)
        return result

    def _predicted(self, problem, kernel, target):
        row = self._tuner.predict(*_words(problem), kernel) if kernel else self.rank_kernels(problem, top_k=1)[0]
        if target not in row:
            raise ValueError(f"the model has no {target}; it has {', '.join(sorted(set(row) - {'kernel', 'score'}))}")
        return row[target]


def _words(problem):
    """The arguments of the extension module for a problem."""
    unknown = sorted(set(problem) - set(KEYS))
    if unknown:
        raise ValueError(f"a problem has no {', '.join(unknown)}; it has {', '.join(KEYS)}")
    for key in ("m", "n", "k"):
        if key not in problem:
            raise ValueError(f"a problem needs m, n and k; {key} is missing")
    if problem.get("op", "gemm") != "gemm":
        raise ValueError(f"op '{problem['op']}': kernels exist for gemm")
    sizes = tuple(int(problem.get(key, 1)) for key in ("m", "n", "k", "batch"))
    if min(sizes) < 1 or max(sizes) >= 2**31:
        raise ValueError(f"sizes are from 1 to {2**31 - 1}, got {sizes}")
    return problem.get("dtype", "f32"), problem.get("layout", "rcr"), sizes, int(problem.get("threads", 0))


def _steps(array, framework):
    """Strides in elements."""
    return tuple(array.stride()) if framework == "torch" else tuple(stride // array.itemsize for stride in array.strides)


def _plain(array, framework):
    """The array, or a dense copy of one that kernels cannot walk."""
    if framework == "torch":
        array = array.detach().resolve_conj().resolve_neg()
    if array.ndim < 2:
        return array
    steps, sizes = _steps(array, framework)[-2:], array.shape[-2:]
    unit = any(step == 1 for step, size in zip(steps, sizes) if size > 1) or max(sizes) <= 1
    if unit and all(step >= 0 for step in _steps(array, framework)):
        return array
    return array.contiguous() if framework == "torch" else numpy.ascontiguousarray(array)


def _strides(array, framework):
    """(row, column, batch); a dimension of one element steps as a dense one would."""
    steps = _steps(array, framework)
    return steps[-2], steps[-1], steps[0] if array.ndim == 3 else 0


def _empty(like, shape, dtype, framework):
    if framework == "torch":
        import torch

        return torch.empty(shape, dtype=getattr(torch, dtype), device=like.device)
    from .elements import numpy_dtype

    return numpy.empty(shape, numpy_dtype(dtype))


def _address(array, framework):
    return array.data_ptr() if framework == "torch" else array.ctypes.data
