"""What a function is, by value: code, defaults, enclosed values and the globals that it uses. Two equal fingerprints mean
the same program, so that a reference need not be traced again; an object with state has none.
"""
import functools
import marshal
import sys
import types

from .shipping import global_names

_PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, type(Ellipsis))


class Unknown(Exception):
    """A value that cannot be fingerprinted."""


def fingerprint(value):
    """A hashable description, or None."""
    try:
        return _of(value, set())
    except Unknown:
        return None


def _of(value, open_):
    if isinstance(value, _PLAIN):
        return type(value).__name__, repr(value)
    if isinstance(value, (tuple, list)):
        return type(value).__name__, tuple(_of(item, open_) for item in value)
    if isinstance(value, dict):
        return "dict", tuple((_of(key, open_), _of(item, open_)) for key, item in value.items())
    if isinstance(value, types.ModuleType):
        return "module", value.__name__
    if isinstance(value, functools.partial):
        return "partial", _of([value.func, value.args, value.keywords], open_)
    if isinstance(value, types.FunctionType):
        return _function(value, open_)
    return _named(value)


def _function(function, open_):
    if id(function) in open_:  # it calls itself
        return "again", function.__qualname__
    open_.add(id(function))
    used = {name: function.__globals__[name] for name in global_names(function.__code__) if name in function.__globals__}
    enclosed = [cell.cell_contents for cell in function.__closure__ or ()]
    parts = [function.__defaults__, function.__kwdefaults__, enclosed, used]
    result = "function", marshal.dumps(function.__code__), _of(parts, open_)
    open_.discard(id(function))
    return result


def _named(value):
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.nn.Module):
        return _module(value)
    if torch is not None and isinstance(value, (torch.dtype, torch.device)):
        return "torch", str(value)
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", getattr(value, "__name__", None))
    owner = sys.modules.get(module) if isinstance(module, str) else None
    if owner is not None and isinstance(name, str) and "site-packages" in (getattr(owner, "__file__", None) or "site-packages"):
        return "named", module, name
    raise Unknown(type(value).__name__)


def _module(module):
    """Which tensors a module has, and how often each was written: a trained module is another reference."""
    state = [*module.named_parameters(), *module.named_buffers()]
    return "nn", id(module), repr(module), module.training, tuple((name, id(one), one._version) for name, one in state)
