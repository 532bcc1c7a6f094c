"""Kernel selection from Python, in this process: a model ranks this machine's kernels, and dispatch runs the one that it chooses.

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
import math

import numpy

from . import arrays

KEYS = ("op", "dtype", "layout", "m", "n", "k", "batch", "threads")
CONV_KEYS = ("op", "problem", "dtype", "layout", "threads")
CONV_OPS = ("conv_fwd", "conv_bwd_data", "conv_bwd_weight")
CK_KEYS = ("m", "n", "k", "split_k", "dtype", "layout")
CK_CONV_KEYS = ("N", "C", "K", "G", "Di", "Hi", "Wi", "Z", "Y", "X", "stride_d", "stride_h", "stride_w", "pad_d", "pad_h", "pad_w", "dilation_d",
                "dilation_h", "dilation_w", "dtype")  # fmt: skip
Choice = collections.namedtuple("Choice", "kernel by why")

# NumPy's name of an element type -> the kernels' word, and the type of the result.
_TYPES = {"float32": ("f32", "float32"), "float64": ("f64", "float64"), "bfloat16": ("bf16", "bfloat16"), "float16": ("f16", "float16"),
          "int8": ("s8", "int32"), "uint8": ("u8", "int32")}  # fmt: skip
_RESULTS = {"float32": "f32", "float64": "f64", "bfloat16": "bf16", "float16": "f16", "int32": "s32"}


class Predictor:
    """The model in `model_dir`; without one, the models that dispatch looks at (`assay doctor` lists them). A model of CK Tile's kernels
    (published by it, or trained here on converted data) ranks kernels of that GPU; `direction` (forward, bwd_data, bwd_weight) is that of its
    convolutions, if the model does not state it."""

    def __init__(self, model_dir=None, direction=""):
        from ._assay import CkTuner, Tuner

        self.model_dir = None if model_dir is None else str(model_dir)
        self.note = ""
        # A folder without a model is refused when it is used, like one without a model of the problem's types.
        self._ck = None
        if self.model_dir is not None:
            try:
                is_ck = CkTuner.serves(self.model_dir)
            except (OSError, ValueError):
                is_ck = False
            self._ck = CkTuner(self.model_dir, direction) if is_ck else None
        self._tuner = Tuner(self.model_dir or "")

    def _asked(self, problem):
        """The problem as the extension module's arguments."""
        if self._ck is not None:
            raise ValueError(f"the model '{self.model_dir}' is of CK Tile's kernels; none of them runs on this machine")
        if problem.get("op", "gemm") in CONV_OPS:
            return _conv_words(problem)
        return _words(problem)

    def rank_kernels(self, problem, configs=None, top_k=None):
        """The best `top_k` (10) kernels for `problem`, best first.

        `problem` is a mapping with m, n, k and, where they differ from gemm, f32, rcr, 1 and all cores, op, dtype, layout,
        batch, threads. A convolution has op (conv_fwd, conv_bwd_data or conv_bwd_weight), `problem` in benchdnn's syntax
        ("mb1ic64ih56oc64kh3ph1") and, where it is not all cores, threads. Each entry has `kernel`, `score`, and what the model predicts (`tflops`, `latency` in milliseconds,
        `bandwidth` in GB/s). `note` says afterwards why the ranking may be off (a model of another machine, a problem outside
        of the training). Raises ValueError for a missing or unknown key and a model of other types, OSError for a folder
        without a model.

        With a model of CK Tile's kernels `problem` has m, n, k and, where they are not 1, the model's and rcr, split_k, dtype, layout; for a
        convolution N, C, K, G, Hi, Wi, Y, X (Di, Z in three dimensions) and, where they are not 1, 0 and 1, stride_h, pad_h, dilation_h, ... `configs` are rows of
        its data sets as mappings: kernel_name and the columns of kernels (which follow from the name where they are left out). Then the answer
        equals that of CK Tile's own Predictor: pairs (name, TFLOPS) of all of them, or the best `top_k`. Without `configs` the kernels of the
        folder data beside the one that the model is in are ranked.
        """
        if isinstance(configs, int):  # rank_kernels(problem, 3)
            configs, top_k = None, configs
        if self._ck is not None:
            return self._rank_ck(problem, configs, top_k)
        if configs is not None:
            raise ValueError(f"the model '{self.model_dir}' ranks this machine's kernels; configs are for models of CK Tile's")
        rows, self.note = self._tuner.rank(*self._asked(problem), 10 if top_k is None else top_k)
        return rows

    def _rank_ck(self, problem, configs, top_k):
        words = _ck_words(problem)
        if configs is None:
            return self._ck.rank(*words, "", 10 if top_k is None else top_k)
        rows = self._ck.rank_configs(*words, *_ck_columns(problem, configs))
        return [(row["kernel"], row["tflops"]) for row in rows[:top_k]]

    def select_best(self, problem, configs=None):
        """The name of the kernel that ranks first."""
        best = self.rank_kernels(problem, configs, top_k=1)[0]
        return best["kernel"] if configs is None else best[0]

    def predict_tflops(self, problem, kernel=None):
        """The prediction of the model for a kernel, by default the one that ranks first. With a model of CK Tile's kernels `kernel` is a name or
        a configuration as for rank_kernels()."""
        return self._predicted(problem, kernel, "tflops")

    def predict_latency(self, problem, kernel=None):
        """The predicted time in milliseconds."""
        return self._predicted(problem, kernel, "latency")

    def kernels(self, dtype="f32", layout=None, op="gemm"):
        """The names of this machine's kernels; their place is their number in data sets and models. `layout` is rcr, of
        convolutions nhwc, where it is not named."""
        return self._tuner.kernels(op, dtype, layout or ("nhwc" if op in CONV_OPS else "rcr"))

    def candidates(self, problem):
        """The names of the kernels that can compute the problem."""
        return self._tuner.candidates(*self._asked(problem))

    def choose(self, problem):
        """The choice of dispatch: (kernel, by, why): `by` is a model, "analytic", or for convolutions "the engine's rule"."""
        return Choice(*self._tuner.choose(*self._asked(problem)))

    def run(self, a, b, threads=0, problem=None):
        """a @ b by the kernel that dispatch chooses, or with `problem` the convolution that it describes. For a product: two matrices, or two stacks
        of them with one size of stack (b may be one
        matrix); of NumPy or PyTorch, in any layout with unit strides in one direction, else copied. The result has the
        type of `a`, sums of 8 bits are int32. For a convolution: image and filter (forward), the result's gradient and the
        filter (backward data), image and the result's gradient (backward weights), float32, channels last: [N, H, W, C] and
        [H, W, C / groups, K], with a depth before H in three dimensions; the problem's threads, where it names any, go before
        `threads`. Raises ValueError for arrays that do not fit. Tensors that require gradients get them, by kernels too."""
        framework = arrays.framework_of(a)
        if framework not in ("numpy", "torch") or arrays.framework_of(b) != framework:
            raise ValueError("run() takes two arrays of NumPy or two of PyTorch")
        if arrays.device_of(a) or arrays.device_of(b):
            raise ValueError("run() takes arrays in the host's memory")
        if framework == "torch" and (sparse := [str(one.layout) for one in (a, b) if str(one.layout) != "torch.strided"]):
            raise ValueError(f"run() takes dense tensors, got {sparse[0]}; to_dense() makes one")
        if framework == "torch" and _wants_gradients(a, b):
            return _differentiable(self, a, b, threads, problem)
        kinds = [arrays.dtype_of(one) for one in (a, b)]
        if problem is not None:
            return self._convolve(a, b, kinds, problem, threads, framework)
        if any(kind not in _TYPES for kind in kinds) or (kinds[0] != kinds[1] and not all("int8" in kind for kind in kinds)):
            raise ValueError(f"no kernel multiplies {kinds[0]} by {kinds[1]}; there are {', '.join(_TYPES)}")
        a, b = _plain(a, framework), _plain(b, framework)
        shapes = arrays.shape_of(a), arrays.shape_of(b)
        if not 2 <= len(shapes[1]) <= len(shapes[0]) <= 3 or shapes[0][-1] != shapes[1][-2] or len(shapes[1]) == 3 and shapes[0][0] != shapes[1][0]:
            raise ValueError(f"{list(shapes[0])} by {list(shapes[1])} is not a product of matrices")
        words = [_TYPES[kind][0] for kind in kinds]
        dtype = words[0] if words[0] == words[1] else "".join(words)
        result = _empty(a, shapes[0][:-1] + shapes[1][-1:], _TYPES[kinds[0]][1], framework)
        sizes = shapes[0][-2], shapes[1][-1], shapes[0][-1], shapes[0][0] if len(shapes[0]) == 3 else 1
        if min(sizes[0], sizes[1], sizes[3]) > 0:
            strides = [stride for one in (a, b, result) for stride in _strides(one, framework)]
            self._tuner.multiply(dtype, _RESULTS[_TYPES[kinds[0]][1]], sizes, strides, [_address(one, framework) for one in (a, b, result)], threads)
        return result

    def _convolve(self, a, b, kinds, problem, threads, framework):
        if problem.get("op") not in CONV_OPS:
            raise ValueError(f"run() takes a problem of {', '.join(CONV_OPS)}; products are known from their arrays")
        asked, own_threads = _conv_words(problem)
        if kinds != ["float32", "float32"]:
            raise ValueError(f"no kernel convolves {kinds[0]} and {kinds[1]}; there is float32")
        (first, second, result), groups = self._tuner.shapes(asked)
        # With groups, the gradient of the data needs the filter with the two sides of a group exchanged.
        turns = asked[0] == "conv_bwd_data" and groups > 1
        wanted = [*second[:-2], second[-1] // groups, second[-2] * groups] if turns else second
        for name, array, shape in (("first", a, first), ("second", b, wanted)):
            if list(array.shape) != shape:
                raise ValueError(f"the {name} operand is {list(array.shape)}, {problem['problem']} has {shape}")
        if turns:
            b = _turned(b, groups)
        a, b = _dense(a, framework), _dense(b, framework)
        made = _empty(a, result, "float32", framework)
        self._tuner.convolve(asked, [_address(one, framework) for one in (a, b, made)], own_threads or threads)
        return made

    def _predicted(self, problem, kernel, target):
        if kernel is None:
            row = self.rank_kernels(problem, top_k=1)[0]
        elif self._ck is not None:
            config = {"kernel_name": kernel} if isinstance(kernel, str) else kernel
            row = self._ck.rank_configs(*_ck_words(problem), *_ck_columns(problem, [config]))[0]
        else:
            row = self._tuner.predict(*self._asked(problem), kernel)
        if target not in row:
            raise ValueError(f"the model has no {target}; it has {', '.join(sorted(set(row) - {'kernel', 'score'}))}")
        return row[target]


def _wants_gradients(a, b):
    import torch

    return torch.is_grad_enabled() and (a.requires_grad or b.requires_grad)


# The operands and the result of each of a convolution's directions: a gradient of one direction is another direction.
_ROLES = {"conv_fwd": ("xw", "y"), "conv_bwd_data": ("yw", "x"), "conv_bwd_weight": ("xy", "w")}


def _differentiable(predictor, a, b, threads, problem):
    """run() as a function that PyTorch can differentiate: its result is linear in each operand, so the gradients are products and
    convolutions of the same kind."""
    import torch

    def product(wanted, a, b, grad):
        if wanted == 0:
            return predictor.run(grad, b.transpose(-1, -2), threads)
        if a.ndim > b.ndim:  # one matrix for a stack
            a, grad = a.reshape(-1, a.shape[-1]), grad.reshape(-1, grad.shape[-1])
        return predictor.run(a.transpose(-1, -2), grad, threads)

    def convolution(wanted, a, b, grad):
        operands, result = _ROLES[problem["op"]]
        values = {operands[0]: a, operands[1]: b, result: grad}
        op = next(op for op, (_, made) in _ROLES.items() if made == operands[wanted])
        return predictor.run(*(values[role] for role in _ROLES[op][0]), threads, {**problem, "op": op})

    class Run(torch.autograd.Function):
        @staticmethod
        def forward(context, a, b):
            context.save_for_backward(a, b)
            return predictor.run(a, b, threads, problem)

        @staticmethod
        def backward(context, grad):
            a, b = context.saved_tensors
            gradient = product if problem is None else convolution
            return tuple(gradient(i, a, b, grad) if needed else None for i, needed in enumerate(context.needs_input_grad))

    return Run.apply(a, b)


def _words(problem):
    """The arguments of the extension module for a product: ((op, dtype, layout, sizes, ""), threads)."""
    unknown = sorted(set(problem) - set(KEYS))
    if unknown:
        raise ValueError(f"a problem has no {', '.join(unknown)}; it has {', '.join(KEYS)}")
    for key in ("m", "n", "k"):
        if key not in problem:
            raise ValueError(f"a problem needs m, n and k; {key} is missing")
    if problem.get("op", "gemm") != "gemm":
        raise ValueError(f"op '{problem['op']}': kernels exist for gemm, {', '.join(CONV_OPS)}")
    sizes = tuple(_whole(problem, key, 1) for key in ("m", "n", "k", "batch"))
    if max(sizes) >= 2**31:
        raise ValueError(f"sizes are from 1 to {2**31 - 1}, got {sizes}")
    return ("gemm", problem.get("dtype", "f32"), problem.get("layout", "rcr"), sizes, ""), int(problem.get("threads", 0))


def _conv_words(problem):
    """The same for a convolution: ((op, dtype, layout, unused sizes, words), threads)."""
    unknown = sorted(set(problem) - set(CONV_KEYS))
    if unknown:
        raise ValueError(f"a convolution has no {', '.join(unknown)}; it has {', '.join(CONV_KEYS)}")
    if "problem" not in problem:
        raise ValueError("a convolution needs its problem, such as mb1ic64ih56oc64kh3ph1")
    asked = problem["op"], problem.get("dtype", "f32"), problem.get("layout", "nhwc"), (0, 0, 0, 0), str(problem["problem"])
    return asked, int(problem.get("threads", 0))


def _ck_words(problem):
    """The same for CK Tile's kernels: (dtype, layout, sizes, convolution in benchdnn's syntax)."""
    is_conv = "m" not in problem
    keys = CK_CONV_KEYS if is_conv else CK_KEYS
    unknown = sorted(set(problem) - set(keys))
    if unknown:
        raise ValueError(f"a problem of CK Tile's kernels has no {', '.join(unknown)}; it has {', '.join(CK_KEYS)}, or {', '.join(CK_CONV_KEYS)}")
    for key in ("N", "C", "K", "G", "Hi", "Wi", "Y", "X") if is_conv else ("m", "n", "k"):
        if key not in problem:
            raise ValueError(f"a problem of CK Tile's kernels needs {key}")
    dtype = problem.get("dtype", "")
    if not is_conv:
        return dtype, problem.get("layout", "rcr"), tuple(_whole(problem, key, 1) for key in ("m", "n", "k", "split_k")), ""
    sides = "dhw" if max(problem.get("Di", 1), problem.get("Z", 1), problem.get("pad_d", 0) + 1) > 1 else "hw"
    words = f"g{_whole(problem, 'G', 1)}mb{_whole(problem, 'N', 1)}ic{_whole(problem, 'C', 1)}oc{_whole(problem, 'K', 1)}"
    for side in sides:
        image, filter = {"d": ("Di", "Z"), "h": ("Hi", "Y"), "w": ("Wi", "X")}[side]
        words += f"i{side}{_whole(problem, image, 1)}k{side}{_whole(problem, filter, 1)}s{side}{_whole(problem, 'stride_' + side, 1)}"
        words += f"p{side}{_whole(problem, 'pad_' + side, 0)}d{side}{_whole(problem, 'dilation_' + side, 1) - 1}"
    return dtype, "", (0, 0, 0, 1), words


def _whole(problem, key, least):
    """A whole number of a problem, at least `least`, which is also the default."""
    value = problem.get(key, least)
    if isinstance(value, (str, bytes)) or value != value or int(value) != value or value < least:
        raise ValueError(f"{key} is {value!r}, expected a whole number from {least}")
    return int(value)


def _ck_columns(problem, configs):
    """Configurations as columns of text and of numbers, with the problem's own in each row. The problem and the measurement in a row of a data set
    are ignored."""
    configs = list(configs)
    if not configs:
        raise ValueError("no configuration to rank")
    foreign = {*CK_KEYS, *CK_CONV_KEYS, "is_valid"}
    texts, numbers = {}, {}
    for place, config in enumerate(configs):
        if not isinstance(config.get("kernel_name"), str):
            raise ValueError(f"configuration {place} has no kernel_name")
        if set(config) != set(configs[0]):
            raise ValueError(f"configuration {place} has other keys than the first: {', '.join(sorted(set(config) ^ set(configs[0])))}")
    for key in configs[0]:
        column = [config[key] for config in configs]
        if key in foreign:
            continue
        if any(isinstance(value, str) for value in column):
            texts[key] = [value if isinstance(value, str) else "" for value in column]
        elif all(value is None or isinstance(value, (bool, int, float, numpy.generic)) for value in column):
            numbers[key] = [math.nan if value is None else float(value) for value in column]
    own = dict(problem)
    if "m" in own:
        own.setdefault("layout", "rcr")
    for key, value in own.items():
        (texts if isinstance(value, str) else numbers)[key] = [value if isinstance(value, str) else float(value)] * len(configs)
    return texts, numbers


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
    """The array, or a dense copy if kernels cannot walk its strides."""
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
