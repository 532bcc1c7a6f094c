"""Differences that are not faults: the results of another correct machine, library or author. drawn.py expects `none` for each."""
import contextlib
import dataclasses
import typing

import torch
from drawn_faults import computes, is_float
from torch import nn
from torch._decomp import core_aten_decompositions
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

# Every correct machine computes these exactly.
_EXACT = "relu max min amax amin clamp neg abs sgn gather index embedding where masked_fill threshold sort topk sign round floor ceil flip roll constant_pad reflection_pad replication_pad upsample_nearest pixel_shuffle repeat tril triu hardtanh threshold_backward nll_loss_forward scatter.src scatter.value index_copy masked_scatter"


def _rounds(func):
    base = str(func).removeprefix("aten.")
    return computes(str(func)) and not any(base.startswith(word) for word in _EXACT.split())


def _bits(y):
    return y.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[y.element_size()])


def _others(func, args, result):
    """The float results that a call computed (not operands that it returns)."""
    for y in result if isinstance(result, (tuple, list)) else [result]:
        if is_float(y) and y.element_size() in (2, 4, 8) and y.is_contiguous():
            yield y


def other_rounding(how, seed=0):
    generator = torch.Generator().manual_seed(seed + 17)

    def below(number, func, args, kwargs):
        result = func(*args, **kwargs)
        if not _rounds(func):
            return result
        for y in _others(func, args, result):
            with torch.no_grad():
                plain = torch.isfinite(y) & (y.abs() > torch.finfo(y.dtype).tiny) & (y.abs() < torch.finfo(y.dtype).max / 2)
                if how == "up":
                    step = torch.where(y > 0, 1, -1)
                else:
                    step = torch.where(torch.rand(y.shape, generator=generator) < 0.4, 1, 0)
                step = torch.where(plain, step, 0).to(_bits(y).dtype)
                bits = _bits(y.detach())
                bits.copy_(bits + step if how == "up" else bits ^ step)
        return result

    return below


def in_double(number, func, args, kwargs):
    """Each operator computes in f64 and rounds once."""
    if not _rounds(func) or func._schema.is_mutable or "_backward" in str(func) and "convolution" in str(func):
        return func(*args, **kwargs)
    kinds = []

    def up(value):
        if is_float(value) and value.dtype is not torch.float64:
            kinds.append(value.dtype)
            return value.double()
        return [up(item) for item in value] if isinstance(value, (list, tuple)) else value

    plain = func(*args, **kwargs)
    try:
        wide = func(*[up(a) for a in args], **{k: up(v) for k, v in kwargs.items()})
    except (RuntimeError, NotImplementedError):
        return plain
    if isinstance(plain, torch.Tensor):
        return wide.to(plain.dtype).as_strided(plain.shape, plain.stride()) if wide.is_contiguous() and plain.is_contiguous() else plain
    for a, b in zip(plain, wide):
        if is_float(a) and isinstance(b, torch.Tensor):
            a.copy_(b)
    return plain


class _Above(TorchDispatchMode):
    def __init__(self, table):
        super().__init__()
        self.table = table

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        other = self.table.get(func)
        if other is not None:
            with self:
                result = other(*args, **(kwargs or {}))
            if result is not NotImplemented:
                return result
        return func(*args, **(kwargs or {}))


def _addmm(bias, a, b, *, beta=1, alpha=1):
    if beta != 1 or alpha != 1:
        return NotImplemented
    return torch.ops.aten.add.Tensor(torch.ops.aten.mm.default(a, b), bias)


_DECOMPOSED = ("gelu silu native_layer_norm native_group_norm _softmax _log_softmax softplus elu leaky_relu hardswish mish addmm native_layer_norm_backward "
               "_softmax_backward_data gelu_backward silu_backward tanh_backward sigmoid_backward threshold_backward smooth_l1_loss var std mse_loss").split()


def decomposed():
    table = core_aten_decompositions()
    return _Above({func: other for func, other in table.items() if str(func).removeprefix("aten.").split(".")[0] in _DECOMPOSED})


@contextlib.contextmanager
def _threads():
    before = torch.get_num_threads()
    torch.set_num_threads(1 if before > 1 else 2)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def _no_onednn():
    with torch.backends.mkldnn.flags(enabled=False):
        yield


class _Wrapper(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.model = inner
        if hasattr(inner, "forward_only"):
            self.forward_only = True

    def forward(self, *inputs):
        return self.model(*inputs)


def _renamed(model, inputs):
    for module in model.modules():
        kind = type(module)
        if not kind.__module__.startswith("torch"):
            module.__class__ = type(f"Tpu{kind.__name__}", (kind,), {})
    return _Wrapper(model), inputs


def _channels_last(model, inputs):
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    for dim, memory_format in formats.items():
        if any(p.dim() == dim for p in model.parameters()):
            model = model.to(memory_format=memory_format)
    return model, [x.contiguous(memory_format=formats[x.dim()]) if x.dim() in formats else x for x in inputs]


def _to(dtype):
    def change(model, inputs):
        return model.to(dtype), [x.to(dtype) if x.is_floating_point() else x for x in inputs]

    return change


def _batch_reversed(model, inputs):
    return model, [x.flip(0) for x in inputs]


@dataclasses.dataclass
class Difference:
    name: str
    below: typing.Callable = None  # seed -> the argument of Run(below=...)
    above: typing.Callable = None
    settings: typing.Callable = contextlib.nullcontext
    prepare: typing.Callable = None  # (model, inputs) -> (model, inputs) for the target
    both: typing.Callable = None  # the same, for both sides
    only: typing.Callable = lambda model, inputs: True
    reverse: bool = False  # reverses the samples


def _convolves(model, inputs):
    return any(p.dim() in (4, 5) for p in model.parameters())


def _plain(model, inputs):
    """Whether everything is in f32, so that another type may be requested."""
    kinds = {p.dtype for p in [*model.parameters(), *model.buffers()] if p.is_floating_point()}
    return kinds == {torch.float32} and not hasattr(model, "forward_only")


def _same_batch(model, inputs):
    """Whether the samples of a batch are independent and in the first dimension."""
    sizes = {x.shape[0] if x.dim() else 0 for x in inputs}
    if len(sizes) != 1 or sizes <= {0, 1}:
        return False
    try:
        torch.manual_seed(7)
        a = model(*inputs)
        torch.manual_seed(7)
        b = model(*[x.flip(0) for x in inputs])
    except RuntimeError:  # for example for sorted lengths
        return False
    return isinstance(a, torch.Tensor) and a.dim() > 0 and a.shape[0] in sizes and torch.allclose(a.flip(0), b, rtol=1e-3, atol=1e-4)


DIFFERENCES = [
    Difference("one ulp higher", lambda seed: other_rounding("up")),
    Difference("last bits flipped", lambda seed: other_rounding("flip", seed)),
    Difference("one ulp higher, bf16", lambda seed: other_rounding("up"), both=_to(torch.bfloat16), only=_plain),
    Difference("last bits flipped, bf16", lambda seed: other_rounding("flip", seed), both=_to(torch.bfloat16), only=_plain),
    Difference("last bits flipped, f16", lambda seed: other_rounding("flip", seed), both=_to(torch.float16), only=_plain),
    Difference("f64 inside of operators", lambda seed: in_double),
    Difference("bf16 against f32", prepare=_to(torch.bfloat16), only=_plain),
    Difference("f16 against f32", prepare=_to(torch.float16), only=_plain),
    Difference("f64 against f32", prepare=_to(torch.float64), only=_plain),
    Difference("other threads", settings=_threads),
    Difference("no oneDNN", settings=_no_onednn),
    Difference("addmm as mm and add", above=lambda: _Above({torch.ops.aten.addmm.default: _addmm})),
    Difference("decomposed", above=decomposed),
    Difference("plain attention", settings=lambda: sdpa_kernel(SDPBackend.MATH)),
    Difference("plain attention, bf16", settings=lambda: sdpa_kernel(SDPBackend.MATH), both=_to(torch.bfloat16), only=_plain),
    Difference("names renamed", prepare=_renamed),
    Difference("channels last", prepare=_channels_last, only=_convolves),
    Difference("samples in another order", prepare=_batch_reversed, only=_same_batch, reverse=True),
]
