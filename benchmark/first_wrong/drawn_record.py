"""Runs a model of the zoo under PrecisionDebugger, with changes above and below the recorder, and records where each call ran.

Above the recorder are changes by an author of the model (other functions, other arguments): the recording shows them as calls.
Below it are changes by a device (other results of the same calls). Calls that the recorder itself makes are in neither.
"""
import contextlib
import dataclasses
import pathlib
import shutil
import sys

import numpy as np
import torch
import zoo
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from assay.torch import PrecisionDebugger, operators
from assay.torch.gradients import Shares

FILE = "globalrank-0_localrank-0.h5"
TORCH, ZOO = str(pathlib.Path(torch.__file__).parent), zoo.folder()


@dataclasses.dataclass
class Call:
    """A call of a torch function by the model's forward pass, or of an operator."""

    number: int
    name: str
    path: str  # the innermost module; None if unknown
    operators: range = range(0)  # the recorded operators that the call ran
    faults: tuple = ()  # the faults that are possible here
    backward: bool = False
    adds: bool = False  # adds gradients of one tensor from several calls, and also those of the enclosing modules


class Run:
    """One recorded training step. `functions` and `kernels` list the calls; `outputs` holds the model's outputs and gradients."""

    def __init__(self, folder, with_operators, below=None, at_function=None, change=None, faults=(), above=None, settings=contextlib.nullcontext, reverse=False):
        self.reverse = reverse  # the order of the samples, whose weights in the loss are reversed too
        self.folder, self.operators, self.below, self.settings = pathlib.Path(folder), with_operators, below, settings
        self.at_function, self.change, self.faults, self.above = at_function, change, faults, above
        self.quiet, self.backward = 0, False
        self.functions, self.kernels, self.under, self.paths, self.extra = [], [], {}, {}, []
        self.given = {}  # by path: the address of the module's last result
        self.debugger, self.outputs = None, []

    def index(self):
        recorder = self.debugger._recording.operators
        return 0 if recorder is None else recorder.index

    def path(self):
        stack = self.debugger._recording.stack
        return stack[-1][0] if stack else None

    def record(self, model, inputs, seed=7):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.debugger = PrecisionDebugger(str(self.folder), step=[1], model=model, dump_torch_api=self.operators)
        torch.manual_seed(seed)
        above = self.above() if self.above else contextlib.nullcontext()
        def note(path):
            return lambda module, args, output: self.given.update({path: [y.data_ptr() for y in tensors(output)]}) or None

        hooks = [module.register_forward_hook(note(path)) for path, module in model.named_modules()]
        with _quiet(self), self.settings(), _Below(self), self.debugger, above:
            with _Functions(self):
                result = tensors(model(*inputs))
            for hook in hooks:
                hook.remove()
            if not hasattr(model, "forward_only") and any(y.requires_grad for y in result):
                loss = loss_of(result, self.reverse)
                self.backward = True
                loss.backward()
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
        self.outputs = [y.detach().double() for y in [*result, *gradients] if y.is_floating_point()]
        return self.folder / FILE


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    return [y for item in value for y in tensors(item)] if isinstance(value, (list, tuple, type({}.values()))) else []


def loss_of(outputs, reverse):
    """A loss whose gradient is not trivial for normalised outputs. Its weights are a constant, so that no operator makes them."""
    total = 0
    for y in outputs:
        if y.is_floating_point() and y.requires_grad:
            weights = np.cos(np.arange(y.numel()) * 1.7).reshape(y.shape)
            y = y.float().flatten() if y.element_size() < 4 else y.flatten()
            weights = torch.from_numpy((weights[::-1] if reverse else weights).ravel().astype(str(y.dtype).removeprefix("torch.")))
            total = total + (y * weights).mean() + 0.1 * y.square().mean()
    return total


def effect(run, bench):
    """The largest relative difference of an output or a gradient of a parameter."""
    if len(run.outputs) != len(bench.outputs):
        return float("inf")
    worst = 0.0
    for a, b in zip(run.outputs, bench.outputs):
        if a.shape != b.shape or not torch.isfinite(a).all():
            return float("inf")
        if b.numel():
            scale = max(float(b.square().mean().sqrt()), 1e-6)
            worst = max(worst, float((a - b).abs().max()) / scale)
    return worst


@contextlib.contextmanager
def _quiet(run):
    """Counts in `run.quiet` how deeply the recorder's own work is nested."""
    def wrapped(original):
        def method(*args, **kwargs):
            run.quiet += 1
            try:
                return original(*args, **kwargs)
            finally:
                run.quiet -= 1
        return method

    places = [(PrecisionDebugger, name) for name in ("before", "after", "_put", "_gradients", "_hook", "_unhook")] + [(Shares, "_add")]
    originals = [getattr(owner, name) for owner, name in places]
    for (owner, name), original in zip(places, originals):
        setattr(owner, name, wrapped(original))
    try:
        yield
    finally:
        for (owner, name), original in zip(places, originals):
            setattr(owner, name, original)


class _Below(TorchDispatchMode):
    """Receives every operator after the recorder; `run.below(number, func, args, kwargs)` may return another result."""

    def __init__(self, run):
        super().__init__()
        self.run = run

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        run, kwargs = self.run, kwargs or {}
        recorder = run.debugger._recording.operators
        if run.quiet or (recorder is not None and (recorder.paused or _of_recorder(sys._getframe(1)))):
            return func(*args, **kwargs)
        number, path = len(run.kernels), self._path()
        recorded = run.index() - 1
        run.kernels.append(Call(number, str(func), path, range(recorded, recorded + 1), backward=run.backward, adds=_adds(run, func)))
        if not run.backward:
            for outer, *_ in run.debugger._recording.stack:
                run.under.setdefault(outer, set()).add(recorded)
        elif path is not None:
            run.under.setdefault(path, set()).add(recorded)
        return run.below(number, func, args, kwargs) if run.below else func(*args, **kwargs)

    def _path(self):
        run = self.run
        if run.backward and not run.path():  # a module that runs again (checkpoints) is in the run's own path
            node = torch._C._current_autograd_node()
            return None if node is None else run.paths.get(node._sequence_nr())
        path = run.path()
        run.paths.setdefault(torch.autograd._get_sequence_nr() - 1, path)
        return path


class _Functions(TorchFunctionMode):
    """Receives the functions that the model's own code and torch's modules call in the forward pass."""

    def __init__(self, run):
        super().__init__()
        self.run = run

    def __torch_function__(self, func, types, args=(), kwargs=None):
        run, kwargs = self.run, kwargs or {}
        name = getattr(func, "__name__", str(func))
        if run.quiet or run.backward or name == "__get__" or run.path() is None or not _of_model(sys._getframe(1)):
            return func(*args, **kwargs)
        number, begin, path = len(run.functions), run.index(), run.path()
        call = Call(number, name, path)
        run.functions.append(call)
        if number == run.at_function:
            result = run.change(run, func, args, kwargs)
        else:
            result = func(*args, **kwargs)
        call.operators = range(begin, run.index())
        call.faults = tuple(fault.name for fault in run.faults if fault.applies(run, func, args, kwargs, result))
        return result


def _adds(run, func):
    """Whether the backward pass adds the gradients of one tensor from several calls: such an addition has no node of its own."""
    node = torch._C._current_autograd_node() if run.backward and str(func).startswith("aten.add") else None
    return node is not None and not node.name().startswith("AddBackward")


def _of_recorder(frame):
    """Whether the recorder makes the call for itself (ranges, copies), and not for the model."""
    while frame is not None and frame.f_code.co_filename != operators.__file__:
        frame = frame.f_back
    return frame is not None and frame.f_code.co_name != "__torch_dispatch__"


def _of_model(frame):
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(TORCH) and file != __file__:
            return file.startswith(ZOO)
        frame = frame.f_back
    return False
