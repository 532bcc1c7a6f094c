"""Converts PyTorch values for the writer: leaves of nested structures with their names, and the bytes of a tensor.

A leaf's name is the path to it: positions and keys joined by dots (`0`, `grid.1`, `cache.key`). The bytes are row-major
and one whole byte for every element narrower than a byte, with a NumPy/ml_dtypes name for the type.
"""
import dataclasses
import math
from collections.abc import Mapping

import torch

from .placement import placement

NAMES = {
    torch.bool: "bool",
    torch.complex64: "complex64",
    torch.complex128: "complex128",
}
_SAME_NAME = (
    "float64 float32 float16 bfloat16 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu "
    "int64 int32 int16 int8 uint64 uint32 uint16 uint8 int4 int2 uint4 uint2"
)
NAMES.update({getattr(torch, name): name for name in _SAME_NAME.split() if hasattr(torch, name)})
_QUANTIZED = {
    getattr(torch, name): plain
    for name, plain in (("qint8", "int8"), ("quint8", "uint8"), ("qint32", "int32"))
    if hasattr(torch, name)
}
PLAIN = (torch.Tensor, torch.nn.Parameter)
_PACKED_FP4 = getattr(torch, "float4_e2m1fn_x2", None)


class Unrecordable(Exception):
    """A tensor without bytes that could be recorded; the text says why."""


def leaves(value, prefix=""):
    """Yields (name, tensor) for every tensor in a nested structure of sequences, mappings, dataclasses and objects."""
    if isinstance(value, torch.Tensor):
        yield prefix, value
        return
    if isinstance(value, (str, bytes, int, float, complex, bool, type(None), torch.nn.Module)):
        return
    if isinstance(value, Mapping):
        items = value.items()
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        items = zip(value._fields, value)
    elif isinstance(value, (list, tuple, set, frozenset)):
        items = enumerate(value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        items = ((field.name, getattr(value, field.name, None)) for field in dataclasses.fields(value))
    else:
        return
    for key, item in items:
        yield from leaves(item, f"{prefix}.{key}" if prefix else str(key))


def held(module):
    """[(name, tensor)] of a module's own parameters and buffers, and of submodules that it uses without calling them
    (lists of parameters, out_proj of nn.MultiheadAttention)."""
    tables = module.__dict__
    if "_parameters" in tables and "_buffers" in tables:
        own = [item for table in ("_parameters", "_buffers") for item in tables[table].items() if item[1] is not None]
        if type(module) is torch.nn.MultiheadAttention:
            own += [(f"out_proj.{name}", tensor) for name, tensor in held(module.out_proj)]
        for name, part in tables.get("_modules", {}).items():
            if isinstance(part, (torch.nn.ParameterList, torch.nn.ParameterDict)):
                own += [(f"{name}.{key}", tensor) for key, tensor in part.named_parameters()]
        return own
    return [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]  # TorchScript


def is_given(tensor):
    """Whether a module's parameter was computed (torch.func.functional_call). Views of a parameter that holds those of
    many modules (FSDP) are parameters."""
    return tensor.grad_fn is not None and not (tensor._is_view() and isinstance(tensor._base, torch.nn.Parameter))


def settings(module):
    """{name: value} of a module's settings that are numbers, truth values, words, or tuples of those."""
    def plain(value):
        if isinstance(value, (bool, int, str, type(None))):
            return value
        return value if isinstance(value, float) and math.isfinite(value) else str(value)

    simple = (bool, int, float, str)
    return {
        name: [plain(item) for item in value] if isinstance(value, (tuple, list)) else plain(value)
        for name, value in vars(module).items()
        if not name.startswith("_") and (isinstance(value, simple) or isinstance(value, (tuple, list)) and all(isinstance(item, simple) for item in value))
    }


def localize(tensor):
    """(the part of the tensor that this rank holds, its placement as text or "")."""
    if hasattr(tensor, "to_local") and hasattr(tensor, "placements"):
        return tensor.to_local(), placement(tensor)
    return tensor, ""


def stored(tensor):
    """(contiguous CPU tensor with the bytes to record, its address, dtype name, shape, placement).

    Raises Unrecordable for tensors without data (meta, fake, inside a function transform), nested tensors, sparse layouts,
    types without a name, and tensors that PyTorch itself refuses.
    """
    try:
        data, name, shape, where = _stored(tensor)
        address = data.data_ptr() if data.nbytes else 0
        if address == 0 and data.nbytes:
            raise Unrecordable(f"a {type(tensor).__name__} has no memory of its own")
        return data, address, name, shape, where
    except Unrecordable:
        raise
    except Exception as error:
        if tensor.is_nested:
            raise Unrecordable("it is a nested tensor") from None
        if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            raise Unrecordable("it has no data of its own (inside torch.func or vmap)") from None
        raise Unrecordable(reason(error)) from None


def reason(error):
    """An exception as one line."""
    text = str(error).strip()
    return f"{type(error).__name__}: {text.splitlines()[0]}" if text else type(error).__name__


def _arrived(tensor):
    """Waits for the result of a collective in progress; returns any other tensor unchanged."""
    wait = getattr(tensor, "trigger_wait", None)  # a method of AsyncCollectiveTensor
    return tensor if wait is None else wait()


def _stored(tensor):
    if type(tensor) in PLAIN and tensor.device.type == "cpu" and tensor.layout is torch.strided:
        name = NAMES.get(tensor.dtype)
        if name is not None and tensor.is_contiguous() and not tensor.is_neg() and not tensor.is_conj():
            return tensor, name, tuple(tensor.shape), ""  # nearly every tensor: no work at all
    if torch.nn.parameter.is_lazy(tensor):
        raise Unrecordable("it is a lazy parameter that has no shape yet")
    tensor, where = localize(_arrived(tensor).detach())
    tensor = _arrived(tensor)
    if tensor.device.type == "meta" or type(tensor).__name__ in ("FakeTensor", "FunctionalTensor"):
        raise Unrecordable("it has no data (meta or fake tensor)")
    if tensor.layout is not torch.strided:
        raise Unrecordable(f"its layout is {tensor.layout}")
    if tensor.is_quantized:
        name = _QUANTIZED.get(tensor.dtype)
        tensor = tensor.int_repr()
    elif _PACKED_FP4 is not None and tensor.dtype is _PACKED_FP4:
        name = "float4_e2m1fn"
        pairs = tensor.view(torch.uint8)
        tensor = torch.stack((pairs & 15, pairs >> 4), dim=-1).flatten(-2)
    else:
        name = NAMES.get(tensor.dtype)
    if name is None:
        raise Unrecordable(f"its type {tensor.dtype} has no recorded form")
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    return tensor.contiguous().cpu(), name, tuple(tensor.shape), where
