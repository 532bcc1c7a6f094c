"""PyTorch references as programs: the graph of torch_graph.py, written by torch/aten_program.py.

A module's parameters and buffers become arguments of the program that never change. If an operator has no program, the
whole reference is computed by PyTorch in f64 instead (eager), and the verdict notes that this is weaker than a bound.
"""
import copy
import inspect

import numpy
import torch

from . import arrays
from .elements import Spec, placed
from .kernel_host import flat
from .reference import Reference
from .torch.aten_program import Composer, NoProgram
from .torch import factors
from .torch.choices import Choices
from .torch.runner import Runner
from .torch_graph import NotTraced, methods, traced


def make(function, specs, arguments, keywords, given):
    """`given`: the caller's tensors, an array or a specification for each of `specs`."""

    def examples():  # new ones: a function may write into its arguments
        return tuple(example(spec, value) for spec, value in zip(specs, given))

    function, mode = in_its_mode(function, lambda: placed(arguments, examples()), keywords)
    called = Called(function, arguments, keywords)
    called.training = False
    made = as_program(called, examples, specs, given)
    made.mode, made.module = mode, function if isinstance(function, torch.nn.Module) else None
    made.trains = bool(mode) and function.training
    return made


def as_program(called, examples, specs, given):
    from ._assay import Program

    why = ""
    called.around = torch.nn.ModuleList(_modules_around(called.function))  # in the mode that they are in
    of_values = (traced_values,) if all(not isinstance(one, Spec) for one in given) else ()
    for method in (*methods(specs), *of_values):
        try:
            graph = method(called, examples())
            text, slots = Composer(graph).compose()
            fixed = [one if isinstance(one, int) else arrays.host_bytes(one) for one in slots]
            made = Reference(Program.parse(text, "reference.mlir"), fixed, "PyTorch")
            made.choices, made.of_values = settler(Choices.of(graph) or orthogonal(graph, called, examples(), text, slots), specs, made.outputs), method is traced_values
            return made
        except NoProgram as missing:
            why = str(missing)
        except NotTraced as error:
            why = why or str(error)
        except Exception as error:
            why = f"torch.export cannot trace the reference ({' '.join(str(error).split())[:200]})"
    return eager(called, examples(), why)


def in_its_mode(function, arguments, keywords):
    """(the reference, a note). A module computes as in the mode that it is in, on a copy, so that its running statistics stay; what it draws at
    random in training cannot be compared, so such a module is judged in evaluation mode."""
    if not isinstance(function, torch.nn.Module) or not any(one.training for one in function.modules()):
        return function, ""
    def run(evaluates, seed):
        own = copy.deepcopy(function)
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            results = flat((own.eval() if evaluates else own)(*arguments(), **keywords))
        return [arrays.host_bytes(one).tobytes() for one in results]

    try:
        first, again, evaluated = run(False, 1), run(False, 2), run(True, 1)
    except Exception:  # tracing says what is wrong
        return function, ""
    own, name = copy.deepcopy(function), type(function).__name__
    if first != again:
        return own.eval(), f"{name} is in training mode and draws random numbers there: it was judged in evaluation mode"
    if first == evaluated:
        return own.eval(), ""
    return own, f"{name} is in training mode, where it computes something else than in evaluation mode: call its eval() to judge the latter"


def traced_values(called, examples):
    return traced(called, examples, values=True)


class Matrices:
    """Choices of a function some of whose results are factors of matrices. `due`: the judge's expected results."""

    def __init__(self, called, due):
        self.called, self.due = called, due

    def settled(self, given, results):
        tensors = [given[i] for i in range(len(given))]
        found = factors.Factors.of(*factors.watched(self.called, [one.clone() for one in tensors]))
        return found.settled(results, self.due(tensors)) if found else results

    @classmethod
    def of(cls, called, examples, due, operators):
        """None if no result is a factor that one of these operators made."""
        try:
            made, calls = factors.watched(called, examples)
        except Exception:
            return None
        return cls(called, due) if factors.Factors.of(made, [call for call in calls if call[0] in operators]) else None


def orthogonal(graph, called, examples, text, slots):
    """Matrices of a program: a Q and an R with other signs are right, too. None without a QR decomposition in the graph."""
    qr = torch.ops.aten.linalg_qr.default
    if all(node.target is not qr for node in graph.nodes):
        return None

    def due(tensors):
        return Runner(text, "reference", 1)([tensors[one] if isinstance(one, int) else one for one in slots])

    return Matrices.of(called, examples, due, [qr])


def _modules_around(function):
    """The modules that a function closes over: PyTorch makes their parameters arguments of branches and loops only if it knows the modules."""
    if not inspect.isfunction(function):
        return []
    around = inspect.getclosurevars(function)
    return [one for one in (*around.nonlocals.values(), *around.globals.values()) if isinstance(one, torch.nn.Module)]


def settler(choices, specs, outputs):
    """Reference.choices for the choices of a graph."""
    if choices is None:
        return None

    def settled(given, results):
        tensors = {slot: arrays.of_memory(numpy.array(one), specs[slot].dtype, specs[slot].shape, "torch") for slot, one in given.items()}
        made = [arrays.of_memory(numpy.array(one), dtype, shape, "torch") for one, (dtype, shape) in zip(results, outputs)]
        return [arrays.host_bytes(one) for one in choices.settled(tensors, made)]

    return settled


class Called(torch.nn.Module):
    """A function or module with its constant arguments in place."""

    def __init__(self, function, arguments, keywords):
        super().__init__()
        self.function, self.arguments, self.keywords = function, arguments, keywords

    def forward(self, *tensors):
        return self.function(*placed(self.arguments, tensors), **self.keywords)


def example(spec, given):
    """The data on which a reference is traced: the caller's own; if Assay fills them, random numbers (ones make a singular matrix) and
    integers of 0, which are always valid indices."""
    kind = getattr(torch, spec.dtype, None)
    if kind is None:
        raise ValueError(f"PyTorch has no {spec.dtype}")
    if not isinstance(given, Spec):
        return arrays.of_memory(arrays.host_bytes(given).copy(), spec.dtype, spec.shape, "torch")
    if not (kind.is_floating_point or kind.is_complex):
        return torch.zeros(spec.shape, dtype=kind)
    wide = torch.float64 if kind.is_floating_point else torch.complex128
    return torch.randn(spec.shape, dtype=wide, generator=torch.Generator().manual_seed(1)).to(kind)


def eager(called, examples, why):
    """PyTorch's own results in f64, or in its own types where it refuses f64. The types of the results are those of an ordinary run."""
    with torch.no_grad():
        results = flat(called(*(one.clone() for one in examples)))
    outputs = [(str(one.dtype).removeprefix("torch."), tuple(one.shape)) for one in results]
    wide = copy.deepcopy(called).double()

    kinds = [getattr(torch, dtype) for dtype, _ in outputs]

    def in_f64(tensors):
        with torch.no_grad():
            return flat(wide(*(one.double() if one.is_floating_point() else one for one in tensors)))

    def as_they_are(tensors):
        with torch.no_grad():
            return flat(called(*(one.clone() for one in tensors)))

    exact, types = in_f64, "f64"
    try:
        in_f64([one.clone() for one in examples])
    except RuntimeError:  # quantize_per_tensor accepts only f32
        exact, types = as_they_are, "its own types"

    def compute(data):
        """(bytes of the result's type, f64 or None) of each result."""
        tensors = []
        for one, values in zip(examples, data):
            flat_ = torch.from_numpy(numpy.array(values)) if values.size else torch.zeros(0, dtype=torch.uint8)
            tensors.append(flat_.view(one.dtype).reshape(one.shape))
        made = exact(tensors)
        return [(arrays.host_bytes(one.to(kind)), arrays.host_bytes(one.double()) if one.is_floating_point() else None) for one, kind in zip(made, kinds)]

    weaker = f"{why}: PyTorch computed it in {types}, judged by rule dtype, which is weaker than a derived bound"
    made = Reference(None, list(range(len(examples))), f"PyTorch in {types}", weaker, compute, outputs)
    found = Matrices.of(called, [one.clone() for one in examples], lambda tensors: [one.to(kind) for one, kind in zip(exact(tensors), kinds)], factors.SATISFIED)
    made.choices = settler(found, [Spec(str(one.dtype).removeprefix("torch."), tuple(one.shape)) for one in examples], outputs)
    return made
