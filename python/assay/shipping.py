"""Sends callables to a worker process: by name if the worker can import them, else by value.

By name: functions and classes at the top of an importable module. By value: functions of `__main__`, lambdas, closures
and functions inside functions: their code, the globals and the enclosed values that they use; classes of `__main__` and those
inside functions: their bases and members. What neither way carries (an object with an open file) raises ValueError that says
what to do. The worker imports a module afresh, so numbers and strings that a script has set in its globals go along.
"""
import ast
import contextlib
import dis
import enum
import functools
import importlib.util
import io
import marshal
import os
import pathlib
import pickle
import sys
import types


_Cached = type(functools.lru_cache(print))
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_INSTALLED = tuple(os.path.dirname(os.path.abspath(path)) + "/" for path in (os.__file__, __file__))
_SETTINGS_AT_MOST = 100


def dumps(value, what="the kernel"):
    """Bytes for loads(). Raises ValueError that names `what`."""
    stream = io.BytesIO()
    try:
        pickler = _Pickler(stream, protocol=5)
        pickler.dump(value)
    except Exception as error:  # pickle raises any error that an object's own methods raise
        raise ValueError(
            f"{what} cannot be sent to a worker process: {error}; put it at the top of a module, or make inside it what cannot be sent"
        ) from None
    return pickle.dumps((stream.getvalue(), _settings(pickler.modules)))


def loads(data):
    value, settings = pickle.loads(data)
    made = pickle.loads(value)
    for module, name, one in settings:
        if module in sys.modules and getattr(sys.modules[module], name, None) != one:
            setattr(sys.modules[module], name, one)
    return made


def _settings(names):
    """(module, name, value): the numbers and strings in globals of these modules, and of the user's modules that they use, that were set from outside."""
    waiting, found, made = list(names), set(), []
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if module is None or name in found or name == "__main__" or is_installed(module):
            continue
        found.add(name)
        written = _written(module.__file__, os.stat(module.__file__).st_mtime_ns) if os.path.exists(module.__file__) else None
        for key, one in vars(module).items():
            if written and not key.startswith("__") and _is_setting(one) and written.differs(key, one):
                made.append((name, key, one))
            waiting += [one.__name__] if isinstance(one, types.ModuleType) else [one.__module__] if isinstance(one, (types.FunctionType, type)) else []
    return made


class _Written:
    """What a module's source assigns to its globals: the values of literals, and the names that its own functions set."""

    def __init__(self, tree):
        self.own = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
        self.assigned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        self.assigned |= {(alias.asname or alias.name).split(".")[0] for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names}
        self.literals = {}
        for node in tree.body:
            for target in node.targets if isinstance(node, ast.Assign) else ():
                if isinstance(target, ast.Name):
                    with contextlib.suppress(ValueError, TypeError, SyntaxError):
                        self.literals[target.id] = ast.literal_eval(node.value)

    def differs(self, name, value):
        """Whether a script set the global; what the module computes when it is imported, or in its functions, is its own in each process."""
        return name not in self.own and (name not in self.assigned or name in self.literals and self.literals[name] != value)


@functools.lru_cache(maxsize=64)
def _written(path, _changed):
    with contextlib.suppress(OSError, SyntaxError, ValueError):
        return _Written(ast.parse(pathlib.Path(path).read_bytes()))
    return None


def _is_setting(value):
    if isinstance(value, (list, tuple)):
        return type(value) in (list, tuple) and len(value) <= _SETTINGS_AT_MOST and all(map(_is_setting, value))
    if isinstance(value, dict):
        return type(value) is dict and len(value) <= _SETTINGS_AT_MOST and all(map(_is_setting, [*value, *value.values()]))
    return type(value) in _PLAIN


def is_installed(module):
    """Whether a module belongs to Python, an installed package or Assay: it is the same in every process."""
    path = getattr(module, "__file__", None)
    return path is None or "site-packages" in path or "dist-packages" in path or path.startswith(_INSTALLED)


def source_files(value):
    """(path, time of the last change) of the modules from which a callable is imported."""
    module = sys.modules.get(getattr(value, "__module__", None) or type(value).__module__)
    path = getattr(module, "__file__", None)
    if not path or not _by_name(value):
        return ()
    try:
        return ((path, pathlib.Path(path).stat().st_mtime_ns),)
    except OSError:
        return ()


def _by_name(value):
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    if not module or module == "__main__" or "<locals>" in name or "<lambda>" in name:
        return False
    found = sys.modules.get(module)
    if found is None or not _importable(found):
        return False
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is value


def _importable(module):
    """Whether another process with the same sys.path would find this very module."""
    path = getattr(module, "__file__", None)
    if path is None:
        return module.__name__ in sys.builtin_module_names or getattr(module, "__path__", None) is not None
    try:
        spec = importlib.util.find_spec(module.__name__)
    except (ImportError, ValueError, AttributeError):
        return False
    return spec is not None and spec.origin is not None and pathlib.Path(spec.origin) == pathlib.Path(path)


class _Pickler(pickle.Pickler):
    def __init__(self, *words, **more):
        super().__init__(*words, **more)
        self.modules = set()  # those that the worker imports

    def reducer_override(self, value):
        name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None) or type(value).__module__
        if isinstance(name, str):
            self.modules.add(name)
        if isinstance(value, types.ModuleType):
            return _module, (value.__name__,)
        if isinstance(value, types.FunctionType) and not _by_name(value):
            return _reduce_function(value)
        if isinstance(value, _Cached) and not _by_name(value):
            return _cached, (value.__wrapped__, value.cache_parameters())
        if callable(value) and not isinstance(value, (type, types.FunctionType)) and _by_name(value):
            return _named, (value.__module__, value.__qualname__)  # wrappers of jax.jit and similar ones
        if isinstance(value, type) and _is_local(value):
            return _reduce_class(value)
        if isinstance(value, (staticmethod, classmethod)):
            return type(value), (value.__func__,)
        if isinstance(value, property):
            return property, (value.fget, value.fset, value.fdel, value.__doc__)
        if isinstance(value, types.MappingProxyType):
            return _proxy, (dict(value),)
        if isinstance(value, types.CellType):
            return _make_cell, (value.cell_contents,)
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.jit.ScriptFunction):
            return _scripted, (bytes(value.save_to_buffer()),)
        if torch is not None and isinstance(value, torch.nn.Module) and torch.nn.utils.parametrize.is_parametrized(value):
            return _parametrized, (type(value).__bases__[0], list(value.parametrizations)), vars(value)
        if torch is not None and isinstance(value, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
            return _operator, (str(value),)
        return NotImplemented


def _module(name):
    """A module by its name, or a module that is an attribute of another one (torch.ops.aten)."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        parent, _, last = name.rpartition(".")
        if not parent or error.name != name:
            raise
        return getattr(_module(parent), last)


def _parametrized(kind, names):
    """A module without its state, of a class that PyTorch makes only for it (torch.nn.utils.parametrize)."""
    from torch.nn.utils import parametrize

    module = kind.__new__(kind)
    module.__dict__["_modules"] = {}
    parametrize._inject_new_class(module)
    for name in names:
        parametrize._inject_property(module, name)
    return module


def _operator(name):
    """An operator of torch.ops: "aten.add.Tensor", "aten.add"."""
    import torch

    return functools.reduce(getattr, name.split("."), torch.ops)


def _is_local(cls):
    """Whether no import would find the class."""
    return cls.__module__ == "__main__" or ("<locals>" in cls.__qualname__ and not issubclass(cls, enum.Enum))


def _reduce_class(cls):
    """A class; its members are sent after it, as they may refer to it. Its metaclass runs again."""
    made = ("__dict__", "__weakref__", "__module__", "_backward_cls", "_abc_impl")
    members = {name: one for name, one in vars(cls).items() if name not in made and not isinstance(one, types.MemberDescriptorType)}
    first = {name: members.pop(name) for name in ("__slots__", "__doc__", "__qualname__") if name in members}
    return _make_class, (type(cls), cls.__name__, cls.__bases__, first), members, None, None, _fill_class


def _make_class(kind, name, bases, members):
    return types.new_class(name, bases, {"metaclass": kind}, lambda space: space.update(members, __module__="assay_kernel"))


def _fill_class(cls, members):
    for name, value in members.items():
        setattr(cls, name, value)


def _reduce_function(function):
    code = function.__code__
    names = global_names(code)
    used = {name: _portable(function, name) for name in names if name in function.__globals__}
    cells = function.__closure__ or ()
    state = {
        "globals": used,
        "cells": [cell.cell_contents for cell in cells],
        "defaults": function.__defaults__,
        "kwdefaults": function.__kwdefaults__,
        "dict": {key: item for key, item in vars(function).items() if key != "__wrapped__"},
    }
    return _make_function, (marshal.dumps(code), function.__name__, len(cells)), state, None, None, _fill_function


class _Global:
    """A global that cannot be pickled, from a module that the worker can import."""

    def __init__(self, module, name):
        self.module, self.name = module, name


def _portable(function, name):
    value, module = function.__globals__[name], sys.modules.get(function.__globals__.get("__name__", ""))
    if isinstance(value, (*_PLAIN, types.FunctionType, types.ModuleType, type, _Cached)) or type(value).__module__.split(".")[0] in ("numpy", "torch") and hasattr(value, "dtype"):
        return value
    try:
        _Pickler(io.BytesIO(), protocol=5).dump(value)
        return value
    except Exception:
        if module is None or module.__name__ == "__main__" or not _importable(module):
            raise
        return _Global(module.__name__, name)


def global_names(code):
    names = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(global_names(constant))
    return sorted(names)


def _named(module, name):
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _cached(function, parameters):
    return functools.lru_cache(**parameters)(function)


def _scripted(data):
    import torch

    return torch.jit.load(io.BytesIO(data))


def _proxy(members):
    return types.MappingProxyType(members)


def _make_cell(contents):
    return types.CellType(contents)


def _make_function(code, name, cells):
    module = types.ModuleType(f"assay_kernel_{len(sys.modules)}")  # torch.compile, and so torch.cond, looks up a function's module by name
    sys.modules[module.__name__] = module
    vars(module)["__builtins__"] = __builtins__
    return types.FunctionType(marshal.loads(code), vars(module), name, None, tuple(types.CellType() for _ in range(cells)))


def _fill_function(function, state):
    for name, value in state["globals"].items():
        if isinstance(value, _Global):
            value = getattr(importlib.import_module(value.module), value.name)
        function.__globals__[name] = value
    for cell, contents in zip(function.__closure__ or (), state["cells"]):
        cell.cell_contents = contents
    function.__defaults__, function.__kwdefaults__ = state["defaults"], state["kwdefaults"]
    vars(function).update(state["dict"])
