"""Which framework's arrays a callable takes, and why: its own statements decide before anything is guessed.

    choice = choose(kernel, given, reference)      choice.framework, choice.why, choice.others

In this order: the arrays that the caller gives; the annotations; the code (globals, enclosed values, imports inside, helpers,
what a class, a partial or a decorator holds); the module that defines it, if that uses only one framework; the reference's
framework; if none of these decides, NumPy. `others` are the frameworks to try when the callable cannot work on the first.
"""
import dis
import functools
import inspect
import sys
import types
import typing

from . import arrays

_NOT_KEPT = {"jax": ("subnormal",)}  # XLA's code for the CPU runs with subnormal numbers flushed
TITLES = {"numpy": "NumPy's", "torch": "PyTorch's", "jax": "JAX's"}
_ORDER = ("torch", "jax", "numpy")  # for code that names several: users of PyTorch and JAX also name NumPy
_HELD = ("__wrapped__", "__func__", "__self__", "py_func", "fget", "func", "_orig_mod", "_fun", "fun", "pyfunc")
_DEPTH = 6  # of helpers that call helpers


def not_kept(framework, named=()):
    """The special numbers that a kernel need not support: those named, and those that its framework flushes."""
    return [*named, *_NOT_KEPT.get(framework, ())]


class Choice:
    def __init__(self, framework, why, others=()):
        self.framework, self.why, self.others = framework, why, list(others)


def choose(function, given=(), reference=None):
    """The Choice for a callable, by its inputs and its reference. Raises ValueError for arrays of two frameworks."""
    kinds = {arrays.framework_of(one) for one in given} - {None}
    if len(kinds) > 1:
        raise ValueError(f"the inputs are arrays of {' and '.join(sorted(kinds))}; the kernel takes one kind (framework=)")
    clues = (
        (next(iter(kinds), None), "the inputs are"),
        (annotated(function), "the kernel's annotations name them"),
        (named_by(function), "the kernel's code names them"),
        (module_of(function), "the module that defines the kernel imports no others"),
        (of_reference(reference), "the reference is"),
    )
    framework, why = next(((name, why) for name, why in clues if name), ("numpy", "nothing says otherwise"))
    likely = [name for name, _ in clues if name] + ["numpy", *_named(function), *_module_roots(_space(function))]
    return Choice(framework, why, [name for name in dict.fromkeys(likely) if name != framework])


def of_reference(reference):
    """The framework that a reference's annotations or code name, else that of its module; None for text, a path or neither."""
    return used_by(reference) if callable(reference) else None


def used_by(function):
    """The framework that a callable's annotations or code name, else that of its module; or None."""
    return annotated(function) or named_by(function) or module_of(function)


def annotated(function):
    """The framework of the types that a callable's parameters and result are annotated with, or None."""
    target = _innermost(function)
    if not hasattr(target, "__annotations__"):
        target = getattr(type(target), "__call__", None)
    space = getattr(target, "__globals__", {})
    roots = set()
    for value in (getattr(target, "__annotations__", None) or {}).values():
        roots |= _annotation_roots(value, space)
    return _only(roots)


def _only(roots):
    return next(iter(roots)) if len(roots) == 1 else None


def _annotation_roots(value, space):
    if isinstance(value, str):
        roots = set()
        for word in "".join(letter if letter.isalnum() or letter in "_." else " " for letter in value).split():
            root = _root(space.get(word.split(".")[0]))
            roots |= {root} if root else set()
        return roots
    parts = [*typing.get_args(value), *getattr(value, "__metadata__", ()), getattr(value, "array_type", None), typing.get_origin(value)]
    roots = {_root(value)} if isinstance(value, type) else set()
    for part in parts:
        if part is not None:
            roots |= _annotation_roots(part, space) if not isinstance(part, (list, tuple)) else set()
    return roots - {None}


def named_by(function):
    """The framework that a callable's own code names, or None."""
    return next(iter(_named(function)), None)


def _named(function):
    roots = set()
    _collect(function, roots, set(), _DEPTH)
    return [name for name in _ORDER if name in roots]


def module_of(function):
    """The only framework that the callable's module imports; None for no framework or several."""
    return _only(_module_roots(_space(function)))


def _space(function):
    """The globals of the module that defines a callable."""
    target = _innermost(function)
    space = getattr(target, "__globals__", None)
    if space is None:
        module = getattr(target, "__module__", None) or type(target).__module__
        space = vars(sys.modules[module]) if isinstance(module, str) and module in sys.modules else {}
    return space


def _module_roots(space):
    return {_root(value) for name, value in list(space.items()) if not name.startswith("__")} - {None}


def _innermost(function):
    """The user's own callable below decorators, partials, methods and compilers."""
    seen = set()
    while id(function) not in seen:
        seen.add(id(function))
        for name in _HELD:
            inner = _own(function, name)
            if callable(inner) and not isinstance(inner, type):
                function = inner
                break
    return function


def _own(value, name):
    """An attribute, without the side effects of properties of users' classes."""
    try:
        return inspect.getattr_static(value, name) if not isinstance(value, (types.MethodType, functools.partial)) else getattr(value, name, None)
    except (AttributeError, TypeError):
        pass
    try:
        return getattr(value, name, None) if _root(type(value)) or type(value).__module__ == "functools" else None
    except Exception:  # an object's own __getattr__ may raise anything
        return None


def _root(value):
    """The framework that a module, class, function, array or other object belongs to, or None."""
    kind = arrays.framework_of(value)
    if kind:
        return kind
    if isinstance(value, types.ModuleType):
        return _framework(value.__name__)
    for one in (value, type(value)):
        try:
            module = getattr(one, "__module__", None)
        except Exception:
            continue
        found = _framework(module) if isinstance(module, str) else None
        if found:
            return found
    owner = getattr(value, "__self__", None) if isinstance(value, (types.BuiltinFunctionType, types.MethodType)) else None
    return _root(owner) if owner is not None else None


def _framework(module):
    root = module.split(".")[0]
    root = "jax" if root == "jaxlib" else root
    return root if root in arrays.FRAMEWORKS else None


def _collect(value, roots, seen, depth):
    """Adds the frameworks that a callable names, directly or through the objects that it holds."""
    if value is None or depth < 0 or id(value) in seen:
        return
    seen.add(id(value))
    own = _root(value)
    if own:
        roots.add(own)
    if isinstance(value, type):
        return _collect_class(value, roots, seen, depth)
    if isinstance(value, types.ModuleType) or arrays.framework_of(value):
        return None
    if isinstance(value, functools.partial):
        for one in (*value.args, *value.keywords.values()):
            _collect_held(one, roots, seen, depth - 1)
    for name in _HELD:
        _collect_held(_own(value, name), roots, seen, depth)
    code = getattr(value, "__code__", None)
    if isinstance(code, types.CodeType):
        return _collect_function(value, code, roots, seen, depth)
    if not own and not isinstance(value, types.BuiltinFunctionType):  # a user's object with __call__
        _collect(getattr(type(value), "__call__", None), roots, seen, depth)
        _collect(getattr(type(value), "forward", None), roots, seen, depth)
        for one in (getattr(value, "__dict__", None) or {}).values():
            _collect_held(one, roots, seen, depth - 1)
    return None


def _collect_class(value, roots, seen, depth):
    for base in value.__mro__:
        found = _framework(base.__module__)
        if found:
            roots.add(found)
    for name in ("__new__", "__init__", "__call__", "forward", "apply"):
        member = value.__dict__.get(name)
        _collect(getattr(member, "__func__", member), roots, seen, depth - 1)


def _collect_held(value, roots, seen, depth):
    """Collects from a value that a callable holds: an array, a function, a class; plain data do not count."""
    if isinstance(value, (list, tuple)):
        for one in list(value)[:16]:
            _collect_held(one, roots, seen, depth - 1)
    elif isinstance(value, dict):
        for one in list(value.values())[:16]:
            _collect_held(one, roots, seen, depth - 1)
    elif value is not None and not isinstance(value, (bool, int, float, complex, str, bytes)):
        _collect(value, roots, seen, depth)


def _collect_function(function, code, roots, seen, depth):
    space = getattr(function, "__globals__", {})
    home = _framework(str(space.get("__name__", "")))
    if home:  # a framework's own function, whatever module a decorator names
        roots.add(home)
    for cell in getattr(function, "__closure__", None) or ():
        try:
            _collect_held(cell.cell_contents, roots, seen, depth - 1)
        except ValueError:  # not filled yet
            continue
    for one in (*(getattr(function, "__defaults__", None) or ()), *(getattr(function, "__kwdefaults__", None) or {}).values()):
        _collect_held(one, roots, seen, depth - 1)
    if home:
        return
    if depth < _DEPTH:  # a helper: the framework that its module imports
        found = _only(_module_roots(space))
        roots.update({found} if found else ())
    for name, is_import in _names(code):
        if is_import:
            found = _framework(name) or _of_package(name)
            roots.update({found} if found else ())
            continue
        value = space.get(name)
        if isinstance(value, types.ModuleType) and not _root(value):
            found = _of_package(value.__name__)
            roots.update({found} if found else ())
        else:
            _collect_held(value, roots, seen, depth - 1)


def _of_package(name):
    """The only framework that another package's module imports (scipy, triton, a module of helpers), where it is loaded; or None."""
    module = sys.modules.get(name)
    if module is None or name.split(".")[0] in sys.stdlib_module_names or name.split(".")[0] == "assay":
        return None
    return _only(_module_roots(vars(module)))


def _names(code):
    """(name, whether it is imported there) of the globals and imports of code and of the functions inside."""
    found = {}
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            found[step.argval] = False
        elif step.opname == "IMPORT_NAME":
            found[step.argval] = True
    result = list(found.items())
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            result += _names(constant)
    return result
