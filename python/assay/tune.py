"""Kernel selection from Python, in this process: a model ranks this machine's kernels, and dispatch runs the one that it takes.

    from assay.tune import Predictor
    predictor = Predictor("models/gemm_f32_rcr")
    best = predictor.rank_kernels({"m": 128, "n": 1536, "k": 7168}, top_k=3)[0]
    best["kernel"], best["tflops"]
    c = predictor.run(a, b)                     # arrays of NumPy or PyTorch

    layer = {"op": "conv_fwd", "problem": "mb1ic64ih56oc64kh3ph1", "threads": 1}
    Predictor("models/conv_fwd_f32_nhwc").rank_kernels(layer, top_k=3)
    y = predictor.run(x, w, problem=layer)      # x [1, 56, 56, 64], w [3, 3, 64, 64]
"""
import collections

import numpy

from . import arrays

KEYS = ("op", "dtype", "layout", "m", "n", "k", "batch", "threads")
CONV_KEYS = ("op", "problem", "dtype", "layout", "threads")
CONV_OPS = ("conv_fwd", "conv_bwd_data", "conv_bwd_weight")
Choice = collections.namedtuple("Choice", "kernel by why")

# NumPy's name of an element type -> the kernels' word, and the type of the result.
_TYPES = {"float32": ("f32", "float32"), "float64": ("f64", "float64"), "bfloat16": ("bf16", "bfloat16"), "float16": ("f16", "float16"),
          "int8": ("s8", "int32"), "uint8": ("u8", "int32")}  # fmt: skip
_RESULTS = {"float32": "f32", "float64": "f64", "bfloat16": "bf16", "float16": "f16", "int32": "s32"}


class Predictor:
    """The model in `model_dir`; without one, the models that dispatch looks at (`assay doctor` lists them)."""

    def __init__(self, model_dir=None):
        from ._assay import ConvTuner, Tuner

        self.model_dir = None if model_dir is None else str(model_dir)
        self.note = ""
        self._products, self._convolutions = Tuner(self.model_dir or ""), ConvTuner(self.model_dir or "")

    def _asked(self, problem):
        """Who knows the problem's operation, and the problem as its arguments."""
        if problem.get("op", "gemm") in CONV_OPS:
            return self._convolutions, _conv_words(problem)
        return self._products, _words(problem)

    def rank_kernels(self, problem, top_k=10):
        """The best `top_k` kernels for `problem`, best first.

        `problem` is a mapping with m, n, k and, where they differ from gemm, f32, rcr, 1 and all cores, op, dtype, layout,
        batch, threads. A convolution has op (conv_fwd, conv_bwd_data or conv_bwd_weight), `problem` in benchdnn's words
        ("mb1ic64ih56oc64kh3ph1") and, where it is not all cores, threads. Each entry has `kernel`, `score`, and what the model predicts (`tflops`, `latency` in milliseconds,
        `bandwidth` in GB/s). `note` says afterwards why the ranking may be off (a model of another machine, a problem outside
        of the training). Raises ValueError for a missing or unknown key and a model of other types, OSError for a folder
        without a model.
        """
        tuner, words = self._asked(problem)
        rows, self.note = tuner.rank(*words, top_k)
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

    def kernels(self, dtype="f32", layout=None, op="gemm"):
        """The names of this machine's kernels; their place is their number in data sets and models. `layout` is rcr, of
        convolutions nhwc, where it is not named."""
        if op in CONV_OPS:
            return self._convolutions.kernels(op, dtype, layout or "nhwc")
        return self._products.kernels(dtype, layout or "rcr")

    def candidates(self, problem):
        """The names of those that can compute the problem."""
        tuner, words = self._asked(problem)
        return tuner.candidates(*words)

    def choose(self, problem):
        """What dispatch takes: (kernel, by, why): by a model, or "analytic", of convolutions "the engine's rule"."""
        tuner, words = self._asked(problem)
        return Choice(*tuner.choose(*words))

    def run(self, a, b, threads=0, problem=None):
        """a @ b by the kernel that dispatch takes, or with `problem` the convolution that it is. Of a product: two matrices, or two stacks of them with one size of stack (b may be one
        matrix); of NumPy or PyTorch, in any layout with unit strides in one direction, else copied. The result has the
        type of `a`, sums of 8 bits are int32. Of a convolution: image and filter (forward), the result's gradient and the
        filter (backward data), image and the result's gradient (backward weights), float32, channels last: [N, H, W, C] and
        [H, W, C / groups, K], with a depth before H in three dimensions; the problem's threads, where it names any, go before
        `threads`. Raises ValueError for arrays that do not fit."""
        framework = arrays.framework_of(a)
        if framework not in ("numpy", "torch") or arrays.framework_of(b) != framework:
            raise ValueError("run() takes two arrays of NumPy or two of PyTorch")
        if arrays.device_of(a) or arrays.device_of(b):
            raise ValueError("run() takes arrays in the host's memory")
        kinds = [arrays.dtype_of(one) for one in (a, b)]
        if problem is not None:
            return self._convolve(a, b, kinds, problem, threads, framework)
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
            self._products.run(dtype, _RESULTS[_TYPES[kinds[0]][1]], sizes, strides, [_address(one, framework) for one in (a, b, result)], threads)
        return result

    def _convolve(self, a, b, kinds, problem, threads, framework):
        if problem.get("op") not in CONV_OPS:
            raise ValueError(f"run() takes a problem of {', '.join(CONV_OPS)}; products are known from their arrays")
        asked, own_threads = _conv_words(problem)
        if kinds != ["float32", "float32"]:
            raise ValueError(f"no kernel convolves {kinds[0]} and {kinds[1]}; there is float32")
        (first, second, result), groups = self._convolutions.shapes(asked)
        # With groups the gradient of the data takes the filter with the two sides of a group turned.
        turns = asked[0] == "conv_bwd_data" and groups > 1
        wanted = [*second[:-2], second[-1] // groups, second[-2] * groups] if turns else second
        for name, array, shape in (("first", a, first), ("second", b, wanted)):
            if list(array.shape) != shape:
                raise ValueError(f"the {name} operand is {list(array.shape)}, {problem['problem']} has {shape}")
        if turns:
            b = _turned(b, groups)
        a, b = _dense(a, framework), _dense(b, framework)
        made = _empty(a, result, "float32", framework)
        self._convolutions.run(asked, [_address(one, framework) for one in (a, b, made)], own_threads or threads)
        return made

    def _predicted(self, problem, kernel, target):
        tuner, words = self._asked(problem)
        row = tuner.predict(*words, kernel) if kernel else self.rank_kernels(problem, top_k=1)[0]
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
        raise ValueError(f"op '{problem['op']}': kernels exist for gemm, {', '.join(CONV_OPS)}")
    sizes = tuple(int(problem.get(key, 1)) for key in ("m", "n", "k", "batch"))
    if min(sizes) < 1 or max(sizes) >= 2**31:
        raise ValueError(f"sizes are from 1 to {2**31 - 1}, got {sizes}")
    return problem.get("dtype", "f32"), problem.get("layout", "rcr"), sizes, int(problem.get("threads", 0))


def _conv_words(problem):
    """The same for a convolution: ((op, dtype, layout, words), threads)."""
    unknown = sorted(set(problem) - set(CONV_KEYS))
    if unknown:
        raise ValueError(f"a convolution has no {', '.join(unknown)}; it has {', '.join(CONV_KEYS)}")
    if "problem" not in problem:
        raise ValueError("a convolution needs its problem, such as mb1ic64ih56oc64kh3ph1")
    asked = problem["op"], problem.get("dtype", "f32"), problem.get("layout", "nhwc"), str(problem["problem"])
    return asked, int(problem.get("threads", 0))


def _turned(filter, groups):
    """[..., C / groups, K] as [..., K / groups, C]."""
    *taps, inputs, outputs = filter.shape
    apart = filter.reshape(*taps, inputs, groups, outputs // groups)
    order = [*range(len(taps)), len(taps) + 2, len(taps) + 1, len(taps)]
    apart = apart.permute(order) if hasattr(apart, "permute") else apart.transpose(order)
    return apart.reshape(*taps, outputs // groups, groups * inputs)


def _dense(array, framework):
    if framework == "torch":
        return array.detach().resolve_neg().contiguous()
    return numpy.ascontiguousarray(array)


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
