"""The results of the reference's own framework on the data, in the types of the data: not all functions of PyTorch, JAX and NumPy
are as accurate as possible, and the verdict on a kernel that calls such a function says so.
"""
import contextlib

import numpy

from . import arrays, frameworks
from .elements import placed


def of(question, expected, data):
    """(the framework's title, the bytes of each result), or None if it has none: the reference is not a function of a
    framework, or does not run on this data."""
    name = _framework(question, expected)
    if name is None:
        return None
    with contextlib.suppress(Exception):  # only a note on a failure
        return frameworks.TITLES[name], _run(name, question, expected, data)
    return None


def _framework(question, expected):
    """The framework whose function the reference is; None if it is not a framework's function."""
    if not callable(question.reference) or expected.program is None or question.fixed:
        return None
    name = {"PyTorch": "torch", "JAX": "jax"}.get(expected.kind)
    if name == "jax" and (frameworks.named_by(question.reference) or question.framework) == "numpy":
        return "numpy"
    return name


def refusal(question, expected, data):
    """The exception of the reference itself on the data, such as that of PyTorch's Cholesky on NaN; None if it raises none."""
    name = _framework(question, expected)
    try:
        if name is not None:
            _run(name, question, expected, data)
    except ValueError:  # raised by _run, or by a kernel that is called wrongly
        return None
    except Exception as error:
        return type(error).__name__
    return None


def _run(name, question, expected, data):
    from .kernel_host import flat

    given = {slot: values for slot, values in zip(expected.slots, data) if isinstance(slot, int)}
    tensors = [arrays.of_memory(numpy.array(given[i]), spec.dtype, spec.shape, name) for i, spec in enumerate(question.specs)]
    with _without_gradients(name), numpy.errstate(all="ignore"):
        made = flat((expected.module or question.reference)(*placed(question.arguments, tensors), **question.keywords))
    if [(arrays.dtype_of(one), arrays.shape_of(one)) for one in made] != [(dtype, tuple(shape)) for dtype, shape in expected.outputs]:
        raise ValueError("results of other types")
    return [numpy.array(arrays.host_bytes(one)) for one in made]


def _without_gradients(name):
    if name != "torch":
        return contextlib.nullcontext()
    import torch

    return torch.no_grad()


def as_right(expected, data, results, own):
    """The results; each element with the bits of the framework's own result is replaced by that of the reference engine."""
    from ._assay import PlannedProgram

    program = PlannedProgram(expected.program.text, False, engine="reference")
    right = [made for made, _ in program.run([one.ctypes.data for one in data], [list(shape) for _, shape in expected.inputs])]
    made = []
    for got, theirs, due, (_, shape) in zip(results, own, right, expected.outputs):
        width = got.nbytes // max(1, int(numpy.prod(shape)))
        if width:
            got, theirs, due = (one.view(numpy.uint8).reshape(-1, width) for one in (got, theirs, due))
            got = numpy.where((got == theirs).all(axis=1)[:, None], due, got)
        made.append(numpy.ascontiguousarray(got).reshape(-1))
    return made


def words(framework, expected, same, wrong):
    """The note on wrong elements that have the bits of the framework's own result."""
    rule = "; IEEE 754 rounds a square root to the nearest number" if "stablehlo.sqrt" in expected.program.text else ""
    return (
        f"{same} of {wrong} wrong elements have the bits of {framework} own result: the reference's functions are off by more than a correct one there{rule}; "
        "library=True lets them pass"
    )
