"""The reference of a kernel as a program: from StableHLO, the arguments of `assay verify`, JAX or PyTorch.

    Reference.program     the handle that the judge takes
    Reference.slots       per argument of the program: the number of the caller's tensor, or bytes that never change
                          (a module's parameters)
    Reference.weaker      why there is no program (then PyTorch or NumPy itself computes in f64), or ""
    Reference.choices     where several results are right: from the bytes of the caller's tensors and of the results, results with the
                          reference's choice; None if there is no choice
    Reference.mode        a note on the mode of a module (training or evaluation), or ""
    Reference.trains      whether a module is in training mode, and computes something else in evaluation mode
    Reference.module      the module that was traced, in that mode: a copy where the caller's own would change; None if there is none
    Reference.of_values   whether the program holds only for the given values
    Reference.eager       computes in f64: from the dense bytes of the arguments, (bytes of its type, f64 or None) of each result
"""
import functools
import importlib.util
import inspect
import os
import pathlib
import types

from . import frameworks
from .elements import Element, Spec, mlir_type, numpy_dtype, placed


class Reference:
    choices, of_values, mode, module, trains = None, False, "", None, False

    def __init__(self, program, slots, kind, weaker="", eager=None, outputs=None):
        self.program, self.slots, self.kind, self.weaker, self.eager = program, slots, kind, weaker, eager
        self.inputs = program.inputs if program else None
        self.outputs = outputs if outputs is not None else [(dtype, tuple(shape)) for dtype, shape in program.outputs]


def make(reference, question, entry="", wide=False):
    """The Reference of anything that check() accepts, for its question (checking.py): the caller's tensors, and the
    function's arguments. `wide`: JAX's default types have 64 bits, like NumPy's; "numpy": NumPy
    itself computes. Raises ValueError or ImportError
    that says what to do.
    """
    if isinstance(reference, (str, os.PathLike)):
        program = from_text(reference, entry)
        return Reference(program, _fit(program, question.specs, question.fixed), "StableHLO")
    if not callable(reference):
        raise ValueError(f"a reference is a function, a torch.nn.Module, StableHLO or arguments of assay verify, not {reference!r:.80}; inputs come after it")
    words = question.specs, question.arguments, question.keywords, question.given
    refused = []
    for name in ["numpy"] if wide == "numpy" else tracers(reference, question.framework):
        try:
            return _MAKERS[name](reference, *words, refused, wide)
        except Untraceable as error:
            refused.append(str(error))
    raise ValueError(_mistake(reference, question) or "; ".join(refused))


def _mistake(reference, question):
    """What is wrong with the inputs of a reference that no framework accepts, if that is obvious; else ""."""
    for value in question.arguments:
        if isinstance(value, Element) or (isinstance(value, (list, tuple)) and not question.given):
            return (
                f"the input {value!r} is no array and is handed over as it is: give an array of NumPy, PyTorch or JAX, or a specification "
                f"with sizes in brackets, such as assay.f32[128, 512]"
            )
    try:
        inspect.signature(getattr(reference, "forward", reference)).bind(*question.arguments, **question.keywords)
    except TypeError as error:
        count = len(question.arguments)
        return (
            f"the reference cannot be called with {count or 'no'} input{'s' * (count != 1)}: {error}. Its inputs follow it in the call: arrays, or specifications "
            f"such as assay.f32[128, 512]; keyword arguments go into keywords={{...}}"
        )
    except ValueError:  # a function in C without a signature
        pass
    return ""


class Untraceable(Exception):
    """Raised, with the reason, where a framework cannot make a program of a reference."""


def from_text(reference, entry=""):
    """The program of StableHLO text, of a file, or of the arguments of `assay verify`."""
    from ._assay import Program

    text = str(reference)
    if isinstance(reference, os.PathLike) or text.endswith((".mlir", ".mlirbc", ".vhlo")):
        return Program.load(os.fspath(reference), entry)
    if "func.func" in text or "stablehlo." in text:
        return Program.parse(text, "reference.mlir", entry)
    words = text.split()
    if not words or pathlib.Path(text).exists():
        raise ValueError(f"'{text}' is not a program: give StableHLO text, a path that ends in .mlir, or words such as 'matmul 64x32:32x16'")
    driver = [i for i, word in enumerate(words) if not word.startswith("--") and word.isalpha()][:1]
    for i in driver:
        words[i] = "--" + words[i]
    return Program.from_words(words)


def _fit(program, specs, fixed):
    """A slot for each argument of the program; `fixed` has bytes for some of them."""
    types_ = [(dtype, tuple(shape)) for dtype, shape in program.inputs]
    wanted = [one for place, one in enumerate(types_) if place not in fixed]
    got = [(spec.dtype, spec.shape) for spec in specs]
    if specs and wanted != got:
        raise ValueError(f"the reference takes {_list(wanted)}; the inputs are {_list(got)}")
    numbers = iter(range(len(wanted)))
    return [fixed[place] if place in fixed else next(numbers) for place in range(len(types_))]


def _list(types_):
    return ", ".join(map(repr, (Spec(*one) for one in types_))) or "nothing"


def tracers(function, framework):
    """The frameworks to try for a reference, in order: the one that it names; else the kernel's, its module's, the installed ones, and NumPy."""
    named = frameworks.annotated(function) or frameworks.named_by(function)
    if named in ("torch", "jax"):
        return [named]
    likely = ["jax"] if named else [framework, frameworks.module_of(function), "jax", "torch"]
    found = [name for name in dict.fromkeys(likely) if name in ("torch", "jax") and _installed(name)]
    if not found and not named and framework != "numpy":
        raise ImportError(
            "a reference function is made a program by JAX (pip install jax) or PyTorch (pip install torch); neither is installed. "
            "StableHLO text, a file or words such as 'matmul 64x32:32x16' need neither"
        )
    return [*found, "numpy"]


def _installed(name):
    return importlib.util.find_spec(name) is not None


def _from_torch(function, specs, arguments, keywords, given, *_):
    try:
        from . import torch_reference
    except ImportError:
        raise ImportError("a PyTorch reference needs PyTorch (pip install torch)") from None
    try:
        return torch_reference.make(function, specs, arguments, keywords, given)
    except ImportError:
        raise
    except Exception as error:
        raise Untraceable(f"PyTorch cannot compute the reference: {_said(error)}") from error


def _from_numpy(function, specs, arguments, keywords, _, refused, *__):
    from . import numpy_reference

    why = refused[0] if refused else "JAX, which makes programs of NumPy's functions, is not installed"
    try:
        return numpy_reference.make(function, specs, arguments, keywords, why)
    except Exception as error:
        raise Untraceable(f"NumPy cannot compute it either: {_said(error)}") from error


def _said(error):
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def _from_jax(function, specs, arguments, keywords, _, __, wide):
    try:
        import jax
    except ImportError:
        raise ImportError("a JAX reference needs JAX (pip install jax)") from None
    from ._assay import Program

    wide = wide or any(spec.dtype in ("float64", "int64", "uint64", "complex128") for spec in specs)
    traced = _on_jax(function)

    def call(*tensors):
        return traced(*placed(arguments, tensors), **keywords)

    shapes = [jax.ShapeDtypeStruct(spec.shape, numpy_dtype(spec.dtype)) for spec in specs]
    try:
        with jax.enable_x64(True) if wide else _nothing():
            text = jax.jit(call, keep_unused=True).lower(*shapes).as_text()
    except Exception as error:
        given = f" with {', '.join(map(str, specs))}" if specs else ""
        raise Untraceable(f"JAX cannot make a program of the reference{given}: {' '.join(str(error).split())[:300]}") from error
    return Reference(Program.parse(text, "reference.mlir"), list(range(len(specs))), "JAX")


_MAKERS = {"torch": _from_torch, "jax": _from_jax, "numpy": _from_numpy}


def _on_jax(function):
    """The function, with NumPy replaced by jax.numpy if it names NumPy itself."""
    import jax.numpy
    import numpy

    if not isinstance(function, types.FunctionType) or numpy not in function.__globals__.values():
        return function
    space = {name: jax.numpy if value is numpy else value for name, value in function.__globals__.items()}
    made = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return functools.wraps(function)(made)


class _nothing:
    def __enter__(self):
        return None

    def __exit__(self, *_):
        return False


def identity_text(specs):
    """A program that returns its arguments, to fill data where there is no other program."""
    places = ", ".join(f"%a{i}: {mlir_type(spec.dtype, spec.shape)}" for i, spec in enumerate(specs))
    kinds = ", ".join(mlir_type(spec.dtype, spec.shape) for spec in specs)
    names = ", ".join(f"%a{i}" for i in range(len(specs)))
    return f"func.func @main({places}) -> ({kinds}) {{\n  func.return {names} : {kinds}\n}}\n"
