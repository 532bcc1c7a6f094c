"""Runs one sample of PyTorch's OpInfo database through Assay: the program, both engines, and PyTorch's own result, each judged by the derived
bound."""
import itertools

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from assay import torch_graph
from assay.elements import Place
from assay.torch.aten_program import Composer, NoProgram
from assay.torch.choices import Choices
from assay.torch.runner import Runner, dense_tensor
from assay.torch_reference import Called

TYPES = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16, "f16": torch.float16, "i64": torch.int64, "bool": torch.bool, "c64": torch.complex64}
GRADIENT, DIFFERENTIATED = " gradient", ("f32", "f64")
SECONDS = 20  # for the judge, per sample
LARGEST = 1 << 16  # elements of a sample's tensors
UNSET = ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided", "resize_", "resize_as_")


def label(op):
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


def kinds_of(op):
    """The names of the types that an operator supports, and of those in which it has gradients."""
    forward = [name for name, kind in TYPES.items() if kind in op.dtypes]
    return forward + [name + GRADIENT for name in DIFFERENTIATED if op.supports_autograd and TYPES[name] in op.backward_dtypes]


def taken(op, kind, count):
    """The first samples of a kind: a type, or gradients in it."""
    name, of_gradient = kind.removesuffix(GRADIENT), kind.endswith(GRADIENT)
    given = itertools.islice(op.sample_inputs("cpu", TYPES[name], requires_grad=of_gradient), count)
    return [(Gradient if of_gradient else Sample)(op, one) for one in given]


class Sample:
    """A sample with its tensors separated."""

    def __init__(self, op, given):
        self.op = op
        self.flat, self.spec = tree_flatten(((given.input, *given.args), dict(given.kwargs)))
        self.places = [i for i, one in enumerate(self.flat) if isinstance(one, torch.Tensor)]
        self.tensors = [self.flat[i].detach() for i in self.places]

    def call(self, *tensors):
        words = list(self.flat)
        for place, tensor in zip(self.places, tensors):
            words[place] = tensor
        args, kwargs = tree_unflatten(words, self.spec)
        return self.op.op(*args, **kwargs)

    def fresh(self):
        return tuple(one.clone() for one in self.tensors)


class Gradient(Sample):
    """The gradients of a sample's tensors, for gradients of its results that are drawn from a normal distribution."""

    def __init__(self, op, given):
        super().__init__(op, given)
        self.process = given.output_process_fn_grad
        self.wanted = [i for i, place in enumerate(self.places) if self.flat[place].requires_grad]
        self.count = len(self.tensors)
        try:
            made = self.results(self.tensors)[1]
        except Exception:
            made = []  # PyTorch's refusals are handled later
        generator = torch.Generator().manual_seed(5)
        self.tensors += [torch.randn(one.shape, generator=generator, dtype=torch.promote_types(one.dtype, torch.float32)).to(one.dtype) for one in made]

    def results(self, tensors):
        """(the tensors whose gradients are computed, the results that have gradients)."""
        with torch.enable_grad():
            own = [one.detach().requires_grad_() if i in self.wanted else one for i, one in enumerate(tensors[: self.count])]
            made = self.process(super().call(*own))
        return [own[i] for i in self.wanted], [one for one in tree_leaves(made) if isinstance(one, torch.Tensor) and one.requires_grad]

    def call(self, *tensors):
        given, made = self.results(tensors)
        with torch.enable_grad():
            found = torch.autograd.grad(made, given, tensors[self.count :], allow_unused=True) if made and given else ()
        return [one.detach() for one in found if one is not None]


def outside(sample):
    """Why a sample has no program; "" if it has one."""
    if label(sample.op) in UNSET or sample.op.name in UNSET:
        return "its values are not set"
    if any(one.layout is not torch.strided or one.is_quantized for one in sample.tensors):
        return "sparse or quantized tensors"
    if sum(one.numel() for one in sample.tensors) > LARGEST:
        return "large tensors"
    return ""


class Seeded(TorchDispatchMode):
    """Records whether an operator draws random numbers."""

    found = False

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.found |= torch.Tag.nondeterministic_seeded in function.tags
        return function(*args, **(kwargs or {}))


def eager(sample):
    """PyTorch's result: (tensors, why they cannot serve for a comparison; "" if they can), after two runs."""
    with torch.no_grad():
        with Seeded() as seeded:
            first = sample.call(*sample.fresh())
        if seeded.found:
            return [], "random"
        second = sample.call(*sample.fresh())
    made, again = ([one for one in tree_leaves(each) if isinstance(one, torch.Tensor)] for each in (first, second))
    if not made or len(made) != len([one for one in tree_leaves(first) if one is not None]):
        return [], "a result that is not a tensor"
    if any(one.layout is not torch.strided for one in made):
        return [], "sparse results"
    same = all(one.shape == other.shape and torch.allclose(one.to(wide_of(one)), other.to(wide_of(one)), 1e-2, 1e-2, equal_nan=True) for one, other in zip(made, again))
    return made, "" if same else "differs between two runs"


def wide_of(tensor):
    return torch.complex128 if tensor.is_complex() else torch.float64


def program_of(sample):
    """(text, slots, whether it is a program only for these values, its Choices). Raises NoProgram with the reason of the last general method."""
    called, why = Called(sample.call, [Place(i) for i in range(len(sample.tensors))], {}), []
    for method in (torch_graph.traced, torch_graph.exported, torch_graph.functional):
        try:
            graph = method(called, sample.fresh())
            return *Composer(graph).compose(), False, Choices.of(graph)
        except NoProgram as error:
            why.append(str(error))
        except Exception as error:
            why.append(f"{type(error).__name__}: {' '.join(str(error).split())[:160]}")
    try:
        graph = torch_graph.traced(called, sample.fresh(), values=True)
        return *Composer(graph).compose(), True, Choices.of(graph)
    except Exception:
        raise NoProgram(why[-1]) from None


def judged(sample):
    """The result for a sample: {"outcome", "why", and a status for each of reference, native, torch}."""
    why = outside(sample)
    if why:
        return {"outcome": "outside", "why": why}
    try:
        made, why = eager(sample)
    except Exception as error:
        return {"outcome": "outside", "why": f"PyTorch refuses it: {type(error).__name__}"}
    if why:
        return {"outcome": "outside", "why": why}
    try:
        text, slots, of_values, choices = program_of(sample)
    except NoProgram as missing:
        return {"outcome": "no program", "why": str(missing)}
    try:
        return {**verdicts(sample, text, slots, choices, made), "of_values": of_values}
    except Exception as error:
        return {"outcome": "error", "why": f"{type(error).__name__}: {' '.join(str(error).split())[:240]}"}


def verdicts(sample, text, slots, choices, made):
    from assay._assay import Judge, Program

    tensors = sample.fresh()
    given = [dense_tensor(tensors[slot] if isinstance(slot, int) else slot) for slot in slots]
    judge = Judge(Program.parse(text, "sample.mlir"), "bound", SECONDS, 1)
    judge.prepare([one.data_ptr() for one in given], "given")
    found = {"outcome": "program"}
    for name in ("reference", "native"):
        found[name] = status(judge, Runner(text, name, 1)(given), found, name)
    found["torch"] = status(judge, choices.settled(tensors, made) if choices else made, found, "torch")
    return found


def status(judge, results, found, name):
    dense = [dense_tensor(one) for one in results]
    verdict = judge.judge([one.data_ptr() for one in dense], "given")
    if verdict["status"] != "PASSED":
        found.setdefault("why", f"{name}: {verdict['reason']}"[:240])
    worst = max((row["worst_fraction"] for row in verdict["results"]), default=0.0)
    found[f"{name}_fraction"] = worst if worst == worst and worst < 1e30 else 1e30
    return verdict["status"]
