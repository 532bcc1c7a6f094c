"""The faults that drawn.py puts into models: faults of functions (the author's), of modules, and of kernels (the device's).

A fault of a function or module is a row: when it applies, and what it does. The bench's run shows the places where it is possible.
"""
import dataclasses
import math
import typing

import torch
import torch.nn.functional as F
import wrong_kernels
from torch import nn

# Functions that compute nothing: a wrong result of theirs would be another kind of fault.
PASSIVE = ("view permute transpose expand slice select unbind split chunk detach alias clone copy _to_copy empty zero arange full ones scalar cat stack fill "
           "t. squeeze unsqueeze index_put unsafe_ lift_fresh bernoulli randn rand normal eq. ne. lt. le. gt. ge. bitwise logical nonzero _local_scalar "
           "as_strided new_ _unsafe_view reshape unfold set_ resize quantize dequantize tril_indices is_ item _reshape_alias native_dropout")


def computes(name):
    base = name.split("::")[-1].removeprefix("aten.")
    return not any(base.startswith(word) for word in PASSIVE.split())


def is_float(y):
    return isinstance(y, torch.Tensor) and y.is_floating_point() and y.numel() > 1


@dataclasses.dataclass
class FunctionFault:
    name: str
    applies: typing.Callable  # (run, func, args, kwargs, result) -> bool
    change: typing.Callable  # (run, func, args, kwargs) -> result
    between: bool = False  # the enclosing module is also a right answer


def _name(func):
    return getattr(func, "__name__", str(func)).strip("_")


_VIEWS = set("view reshape transpose permute t unsqueeze squeeze expand flatten unflatten chunk split unbind getitem contiguous clone detach to float type "
             "expand_as view_as repeat_interleave repeat zeros_like ones_like full_like new_zeros randn_like index_select size dim requires_grad_ "
             "numel setitem bernoulli as_tensor tensor cat stack movedim swapaxes tril triu get where topk sort argmin argmax".split())


def _computes(func, args, kwargs, y):
    own = getattr(func, "__name__", "")
    in_place = own.endswith("_") and not own.endswith("__") or own.startswith("__i") and own != "__invert__"
    return is_float(y) and y.dim() > 0 and _name(func) not in _VIEWS and not in_place and any(is_float(a) for a in args[:2])


def _same(a, y):
    return is_float(a) and a.shape == y.shape and a.dtype == y.dtype


def _extra(name, operation):
    def applies(run, func, args, kwargs, y):
        return _computes(func, args, kwargs, y) and y.shape[-1] > 1

    def change(run, func, args, kwargs):
        y = func(*args, **kwargs)
        begin = run.index()
        y = operation(y)
        run.extra = list(range(begin, run.index()))
        return y

    return FunctionFault(name, applies, change)


def _instead(name, names, applies, change):
    names = set(names.split())
    return FunctionFault(name, lambda run, func, args, kwargs, y: _name(func) in names and is_float(y) and applies(args, kwargs, y),
                         lambda run, func, args, kwargs: change(func, args, kwargs))


_ACTIVATIONS = {"relu": F.silu, "gelu": F.relu, "silu": F.gelu, "tanh": F.hardtanh, "sigmoid": F.hardsigmoid, "elu": F.relu, "leaky_relu": F.relu,
                "softplus": F.relu, "mish": F.silu, "relu6": F.relu, "hardswish": F.silu, "selu": F.elu, "celu": F.elu}


def _scalars(args, kwargs):
    """The positions and names of float arguments."""
    found = [i for i, value in enumerate(args) if i and isinstance(value, float) and math.isfinite(value)]
    return found + [key for key, value in kwargs.items() if isinstance(value, float) and math.isfinite(value)]


def _other_value(value):
    return value * 1.15 if abs(value) >= 1e-2 else value * 1000 if value else 0.1


def _other_scalar(run, func, args, kwargs):
    at = _scalars(args, kwargs)[0]
    args, kwargs = list(args), dict(kwargs)
    (args if isinstance(at, int) else kwargs)[at] = _other_value((args if isinstance(at, int) else kwargs)[at])
    return func(*args, **kwargs)


def _other_seed(func, args, kwargs):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(99)
        return func(*args, **kwargs)


def _diagonal(run, func, args, kwargs):
    kwargs = dict(kwargs)
    at = kwargs.pop("diagonal", args[1] if len(args) > 1 else 0)
    return func(args[0], at + 1)


def _rolled_mask(run, func, args, kwargs):
    args, kwargs = list(args), dict(kwargs)
    if _name(func) == "masked_fill":
        args[1] = torch.roll(args[1], 1, -1)
    else:
        kwargs["attn_mask"] = torch.roll(kwargs["attn_mask"], 1, -1)
    return func(*args, **kwargs)


def _has_mask(run, func, args, kwargs, y):
    if _name(func) == "masked_fill" and is_float(y) and len(args) > 1:
        return bool(args[1].any()) and not bool(args[1].all())
    return _name(func) == "scaled_dot_product_attention" and kwargs.get("attn_mask") is not None


def _square(x):
    return is_float(x) and x.dim() >= 2 and x.shape[-1] == x.shape[-2] > 1


def _transposed(func, args, kwargs):
    return func(args[0], args[1].transpose(-1, -2), *args[2:], **kwargs)


def _softmax_dim(args, kwargs, y):
    return y.dim() > 1 and y.shape[0] > 1


def _other_dim(func, args, kwargs):
    return func(args[0], dim=0)


def _stale_applies(run, func, args, kwargs, y):
    if not _computes(func, args, kwargs, y):
        return False
    before = run.__dict__.setdefault("results", {})
    key = (_name(func), y.shape, y.dtype, run.path())
    found = key in before
    before[key] = y
    return found


def _stale(run, func, args, kwargs):
    y = func(*args, **kwargs)
    begin = run.index()
    earlier = run.results[(_name(func), y.shape, y.dtype, run.path())]
    run.extra = list(range(begin - 1, begin))
    return earlier


def _wrong_gradient(run, func, args, kwargs):
    y = func(*args, **kwargs)

    def hook(gradient):
        begin = run.index()
        with torch.no_grad():
            other = gradient * 1.1
        run.extra = list(range(begin, run.index()))
        return other

    y.register_hook(hook)
    return y


FUNCTION_FAULTS = [
    _extra("extra roll", lambda y: torch.roll(y, 1, -1)),
    _extra("extra flip", lambda y: torch.flip(y, (-1,))),
    _extra("extra scale", lambda y: y * 1.02),
    _extra("extra clamp", lambda y: torch.clamp(y, max=float(y.detach().float().abs().mean()))),
    FunctionFault("rounded to bfloat16", lambda run, f, a, k, y: _computes(f, a, k, y) and y.dtype is torch.float32,
                  lambda run, f, a, k: f(*a, **k).bfloat16().float()),
    FunctionFault("missing function", lambda run, f, a, k, y: _computes(f, a, k, y) and _same(a[0], y), lambda run, f, a, k: a[0]),
    _instead("dropped term", "add sub radd rsub iadd", lambda a, k, y: len(a) > 1 and _same(a[0], y) and _same(a[1], y), lambda f, a, k: a[0] * 1.0),
    _instead("other activation", " ".join(_ACTIVATIONS), lambda a, k, y: True, lambda f, a, k: _ACTIVATIONS[_name(f)](a[0])),
    _instead("other gelu", "gelu", lambda a, k, y: True, lambda f, a, k: F.gelu(a[0], approximate="none" if k.get("approximate") == "tanh" else "tanh")),
    FunctionFault("other scalar", lambda run, f, a, k, y: _computes(f, a, k, y) and bool(_scalars(a, k)), _other_scalar),
    _instead("other seed", "dropout", lambda a, k, y: True, _other_seed),
    FunctionFault("other diagonal", lambda run, f, a, k, y: _name(f) in ("tril", "triu") and y.dim() == 2, _diagonal),
    FunctionFault("mask off by one", _has_mask, _rolled_mask),
    _instead("not causal", "scaled_dot_product_attention", lambda a, k, y: bool(k.get("is_causal")), lambda f, a, k: f(*a, **{**k, "is_causal": False})),
    _instead("transposed operand", "linear matmul bmm rmatmul mm", lambda a, k, y: len(a) > 1 and _square(a[1]), _transposed),
    _instead("other dimension", "softmax log_softmax", _softmax_dim, _other_dim),
    _instead("swapped operands", "sub div truediv rsub", lambda a, k, y: len(a) > 1 and _same(a[0], y) and _same(a[1], y), lambda f, a, k: f(a[1], a[0], **k)),
    FunctionFault("stale result", _stale_applies, _stale),
    FunctionFault("wrong gradient", lambda run, f, a, k, y: _computes(f, a, k, y) and y.requires_grad, _wrong_gradient, True),
]


# Modules --------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class ModuleFault:
    name: str
    places: typing.Callable  # module -> [places in it]
    change: typing.Callable  # (root, path, place)
    replaced: bool = False


def _attributes(module):
    for name, value in vars(module).items():
        if name.startswith("_"):
            continue
        if isinstance(value, float) and value == value and name not in ("momentum", "dropout"):
            yield name
        elif name == "approximate" or name in ("causal", "qk_norm") and value is True or name in ("window", "shift") and value:
            yield name


def _change_attribute(root, path, name):
    module = root.get_submodule(path)
    value = getattr(module, name)
    if name == "approximate":
        other = "none" if value == "tanh" else "tanh"
    elif isinstance(value, bool):
        other = not value
    elif isinstance(value, int):
        other = value + 1 if name == "window" else 0
    else:
        other = min(0.9, value + 0.2) if name == "p" else _other_value(value)
    setattr(module, name, other)


_OTHER_MODULES = {nn.ReLU: nn.SiLU, nn.GELU: nn.ReLU, nn.SiLU: nn.GELU, nn.Tanh: nn.Hardtanh, nn.Sigmoid: nn.Hardsigmoid, nn.ELU: nn.ReLU, nn.LeakyReLU: nn.ReLU,
                  nn.PReLU: nn.ReLU, nn.Hardswish: nn.SiLU, nn.ReLU6: nn.SiLU, nn.Mish: nn.SiLU, nn.MaxPool2d: nn.AvgPool2d, nn.AvgPool2d: nn.MaxPool2d}


def _swap(root, path, _):
    old = root.get_submodule(path)
    arguments = (old.kernel_size, old.stride, old.padding) if hasattr(old, "kernel_size") else ()
    root.set_submodule(path, _OTHER_MODULES[type(old)](*arguments))


def _is_leaf(module):
    return next(module.children(), None) is None


def _parameters(wanted):
    return lambda module: [name for name, p in module.named_parameters(recurse=False) if is_float(p) and wanted(name, p)]


def _on(change):
    def apply(root, path, name):
        with torch.no_grad():
            change(getattr(root.get_submodule(path), name))
    return apply


def _evaluate(root, path, _):
    root.get_submodule(path).eval()


MODULE_FAULTS = [
    ModuleFault("other attribute", lambda m: list(_attributes(m)), _change_attribute),
    ModuleFault("missing module", lambda m: [""] if _is_leaf(m) else [], lambda root, path, _: root.set_submodule(path, nn.Identity()), True),
    ModuleFault("swapped module", lambda m: [""] if type(m) in _OTHER_MODULES else [], _swap, True),
    ModuleFault("not training", lambda m: [""] if m.training and isinstance(m, (nn.Dropout, nn.modules.batchnorm._BatchNorm)) else [], _evaluate),
    ModuleFault("transposed weight", _parameters(lambda name, p: p.dim() == 2 and _square(p)), _on(lambda p: p.copy_(p.t().clone()))),
    ModuleFault("one wrong weight", _parameters(lambda name, p: True), _on(lambda p: p.view(-1)[p.numel() // 2 : p.numel() // 2 + 1].add_(float(p.abs().mean()) * 4 + 0.1))),
    ModuleFault("row of weights is zero", _parameters(lambda name, p: p.dim() > 1), _on(lambda p: p[-1].zero_())),
    ModuleFault("bias is zero", _parameters(lambda name, p: "bias" in name), _on(lambda p: p.zero_())),
    ModuleFault("other buffer", lambda m: [n for n, b in m.named_buffers(recurse=False) if is_float(b) and bool(b.abs().sum() > 0)], _on(lambda b: b.mul_(1.2))),
]


# Kernels --------------------------------------------------------------------------------------------------------------

DAMAGE = wrong_kernels.DAMAGE


def kernel_fault(at, how, seed, hit):
    """For Run(below=...): damages the result of call `at`."""
    def below(number, func, args, kwargs):
        result = func(*args, **kwargs)
        if number == at:
            for y in result if isinstance(result, (tuple, list)) else [result]:
                if is_float(y):
                    if wrong_kernels.damaged(y, how, seed):
                        hit.append(number)
                    break
        return result

    return below
