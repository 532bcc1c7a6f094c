"""A function's identity by value: code, defaults, enclosed values and the globals that it uses. Two equal fingerprints mean
the same program, so that a reference need not be traced again; an object with state has none.
"""
import functools
import hashlib
import marshal
import sys
import types

from . import arrays
from .mutating import Mutating
from .shipping import global_names, is_installed

_OF_JAX = ("jax_enable_x64", "jax_default_matmul_precision", "jax_numpy_dtype_promotion", "jax_numpy_rank_promotion", "jax_default_prng_impl")
_PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, type(Ellipsis))


class Unknown(Exception):
    """A value that cannot be fingerprinted."""


def fingerprint(value):
    """A hashable description, or None."""
    try:
        return _of(value, set())
    except (Unknown, RecursionError):
        return None


def ambient():
    """Settings of the frameworks that decide what a function is traced to."""
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    of_torch = str(torch.get_default_dtype()) if torch is not None else ""
    return of_torch, *(str(getattr(jax.config, name, None)) for name in _OF_JAX if jax is not None)


def _of(value, open_):
    if isinstance(value, _PLAIN):
        return type(value).__name__, repr(value)
    if isinstance(value, (tuple, list)):
        return type(value).__name__, tuple(_of(item, open_) for item in value)
    if isinstance(value, (set, frozenset)):
        return "set", tuple(sorted(repr(_of(item, open_)) for item in value))
    if isinstance(value, dict):
        return "dict", tuple((_of(key, open_), _of(item, open_)) for key, item in value.items())
    if isinstance(value, types.ModuleType):
        return "module", value.__name__
    if isinstance(value, functools.partial):
        return "partial", _of([value.func, value.args, value.keywords], open_)
    if isinstance(value, types.FunctionType):
        return _function(value, open_)
    if isinstance(value, property):
        return "property", _of([value.fget, value.fset, value.fdel], open_)
    if isinstance(value, type):
        return _class(value, open_)
    return _named(value, open_)


def _function(function, open_):
    if id(function) in open_:  # a recursive call
        return "again", function.__qualname__
    open_.add(id(function))
    used = {name: function.__globals__[name] for name in global_names(function.__code__) if name in function.__globals__}
    enclosed = [cell.cell_contents for cell in function.__closure__ or ()]
    attributes = [_used_of(one, function.__code__) for one in used.values() if isinstance(one, types.ModuleType)]
    parts = [function.__defaults__, function.__kwdefaults__, enclosed, used, attributes]
    result = "function", marshal.dumps(function.__code__), _of(parts, open_)
    open_.discard(id(function))
    return result


def _used_of(module, code):
    """What a function may read from a module of the user (`settings.SCALE`); installed modules do not change."""
    if is_installed(module):
        return {}
    found = {name: vars(module)[name] for name in sorted(_names(code)) if name in vars(module)}
    inner = {name: _used_of(one, code) for name, one in found.items() if isinstance(one, types.ModuleType) and one is not module}
    return found | inner


def _names(code):
    inner = (one for one in code.co_consts if isinstance(one, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _named(value, open_):
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(value, torch.nn.Module):
        return _module(value, open_)
    if torch is not None and isinstance(value, torch.Tensor):
        return _tensor(value)
    if torch is not None and isinstance(value, (torch.dtype, torch.device, torch.Size)):
        return "torch", str(value)
    if numpy is not None and isinstance(value, numpy.ndarray) and not value.dtype.hasobject:
        return "array", str(value.dtype), value.shape, _digest(numpy.ascontiguousarray(value).data)
    if isinstance(value, Mutating):
        return "mutating", tuple(value.places), value.returns, _of(value.__wrapped__, open_)
    if _is_installed(value):
        return "named", value.__module__, _name(value)
    raise Unknown(type(value).__name__)


def _name(value):
    return getattr(value, "__qualname__", getattr(value, "__name__", None))


def _is_installed(value):
    """Whether a value is what an installed module has under its name; such a module does not change while this process runs."""
    module, name = getattr(value, "__module__", None), _name(value)
    found = sys.modules.get(module) if isinstance(module, str) else None
    if found is None or not isinstance(name, str) or not is_installed(found):
        return False
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is value


def _digest(data):
    return hashlib.blake2b(data, digest_size=16).digest()


def _tensor(value):
    """By content: a write through `.data` or NumPy changes no version counter."""
    if value.is_sparse or value.is_quantized or value.is_nested or value.device.type == "meta":
        raise Unknown("tensor")
    return "tensor", str(value.dtype), tuple(value.shape), _digest(arrays.host_bytes(value.detach()).data)


def _module(module, open_):
    """All that a module's forward pass may read: classes with their functions, attributes, parameters and buffers by content."""
    parts = []
    for name, one in module.named_modules():
        state = {key: value for key, value in vars(one).items() if key != "_modules"}
        parts.append((name, _class(type(one), open_), _of(state, open_)))
    return "nn", id(module), tuple(parts)


def _class(cls, open_):
    """A class that is installed by its name; any other by its bases and members, which a script may replace."""
    if cls is object or _is_installed(cls) or id(cls) in open_:
        return "class", cls.__module__, cls.__qualname__
    open_.add(id(cls))
    members = {name: getattr(one, "__func__", one) for name, one in vars(cls).items() if name not in ("__dict__", "__weakref__", "__doc__")}
    result = "class", cls.__module__, cls.__qualname__, tuple(_class(base, open_) for base in cls.__bases__), _of(members, open_)
    open_.discard(id(cls))
    return result
