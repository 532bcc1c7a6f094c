"""PrecisionDebugger: records the inputs, outputs, parameters and gradients of a model's modules.

Hooks sit on every module, leaf and inner. A call of module `path` of class `C`, the n-th in this step, becomes the datasets
`path.C.n.forward_params.NAME`, `.forward_input.NAME`, `.forward_output.NAME` and, when gradients flow,
`.backward_grad_output.NAME`, `.backward_grad_input.NAME`, and `params_grad`. Inputs are recorded before the call, so an
in-place module does not overwrite them.
"""
import atexit
import json
import pathlib

import torch

from . import compiled
from .operators import OperatorRecorder
from .placement import ranks
from .session import Session, say
from .tensors import leaves, replaced

_LARGE_MODEL = 8 << 20  # bytes of parameters from which memory is made ready before a step

# One recording per dump folder: the seed constructs its debugger anew in every model execution.
_recordings = {}


class _Recording:
    """The state behind one dump folder: step counter, hooks, the file."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.step = 1
        self.running = False
        self.handles = []
        self.calls = {}
        self.stack = []
        self.fired = set()
        self.global_rank, self.local_rank = ranks()
        self.session = None
        self.operators = None
        self.entries = []  # of the operator calls: what dump.json holds
        self.closed = True

    def open(self):
        if self.session is None:
            self.session = Session(self.folder / f"globalrank-{self.global_rank}_localrank-{self.local_rank}.h5")
            self.closed = False


class PrecisionDebugger:
    """Records a model into `dump_path`/globalrank-R_localrank-r.h5 between start() and stop(), or inside `with`.

    dump_path       result folder
    hook_name       "dump", the only kind of hook
    rank, step      which ranks and steps (counted from 1) to record; None or [] is all
    model           the module whose submodules are recorded
    dump_torch_api  also record every operator call (`begin_dump`'s form, with all tensors)
    """

    def __init__(self, dump_path, hook_name="dump", rank=None, step=None, model=None, dump_torch_api=False):
        if hook_name != "dump":
            raise ValueError(f"hook_name is {hook_name!r}, and 'dump' is the only kind of hook")
        if model is not None and not isinstance(model, torch.nn.Module):
            raise TypeError(f"model is a {type(model).__name__}, expected a torch.nn.Module")
        self.ranks = _numbers("rank", rank)
        self.steps = _numbers("step", step)
        self.model = model
        self.dump_torch_api = dump_torch_api
        key = str(pathlib.Path(dump_path).resolve())
        if key not in _recordings:
            _recordings[key] = _Recording(dump_path)
        self._recording = _recordings[key]

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        return False

    def start(self, model=None):
        """Hooks the model. A second start without stop() begins the next step."""
        recording = self._recording
        self.model = model if model is not None else self.model
        if self.model is None:
            raise ValueError("nothing to record: give PrecisionDebugger or start() a model")
        if recording.running:
            self.step()
            if recording.running:
                return
        elif recording.closed and recording.session is not None:
            # stop() closed the file; a new recording begins from step 1 in a new file
            recording.session, recording.step, recording.entries = None, 1, []
        recording.running = True
        if not self._wanted():
            return
        for path, why in compiled.find(self.model):
            say(f"module '{path or type(self.model).__name__}' will not be recorded inside: {why}")
        recording.open()
        self._hook()

    def step(self):
        """Ends the present step; the next call of the model belongs to the next one."""
        recording = self._recording
        self._gradients()
        self._unhook()
        recording.step += 1
        if recording.running and self._wanted():
            recording.open()
            self._hook()

    def stop(self):
        """Ends recording: completes the file, writes its summary, and says what is missing."""
        recording = self._recording
        if not recording.running:
            return
        self._gradients()
        self._unhook()
        recording.running = False
        _finish(recording, self._nothing())

    # What is recorded -------------------------------------------------------------------------------------------

    def _wanted(self):
        recording = self._recording
        return (not self.ranks or recording.global_rank in self.ranks) and (
            not self.steps or recording.step in self.steps
        )

    def _nothing(self):
        """The text for a dump that captured nothing."""
        recording = self._recording
        if self.ranks and recording.global_rank not in self.ranks:
            return f"rank {recording.global_rank} is not among the ranks {sorted(self.ranks)}"
        if self.steps and recording.step < min(self.steps):
            return f"only {recording.step} steps ran, and the steps {sorted(self.steps)} were asked for"
        return "no hook fired: was the model called between start() and stop(), and not compiled or captured in a graph?"

    def _hook(self):
        recording = self._recording
        recording.calls, recording.fired, recording.stack = {}, set(), []
        for path, module in self.model.named_modules():
            add = recording.handles.append
            add(module.register_forward_pre_hook(self._before(path), with_kwargs=True))
            add(module.register_forward_hook(self._after(path), with_kwargs=True, always_call=True))
        self._prepare()
        if self.dump_torch_api:
            recording.operators = OperatorRecorder(recording.session, lambda: recording.step, file=recording.session.path.name)
            recording.operators.index = len(recording.entries)
            recording.operators.__enter__()

    def _prepare(self):
        """Work that the hooks then need not do inside the step: copies of the parameters, memory for other copies."""
        session, size = self._recording.session, 0
        for parameter in self.model.parameters():
            if torch.nn.parameter.is_lazy(parameter):
                continue
            session.prepare(parameter)
            size += parameter.nbytes
        if size >= _LARGE_MODEL:
            session.reserve()

    def _unhook(self):
        recording = self._recording
        for handle in recording.handles:
            handle.remove()
        if recording.session is not None:
            recording.session.drop_prepared()
        if recording.operators is not None:
            recording.operators.__exit__(None, None, None)
            recording.entries += recording.operators.entries
            recording.operators = None
        if recording.handles and recording.fired:
            self._report_silent()
        recording.handles = []

    def _report_silent(self):
        """Modules whose hook never fired although a module around them ran, and whose own submodules did not fire."""
        recording = self._recording
        silent = [
            path
            for path, module in self.model.named_modules()
            if path not in recording.fired and next(module.children(), None) is None
        ]
        if silent:
            shown = ", ".join(silent[:5]) + (", …" if len(silent) > 5 else "")
            say(
                f"step {recording.step}: {len(recording.fired)} modules were recorded; the hooks of {len(silent)} leaf "
                f"modules never fired (unused, or run by compiled code): {shown}"
            )

    def _before(self, path):
        def hook(module, args, kwargs):
            recording = self._recording
            call = recording.calls.get(path, 0)
            recording.calls[path] = call + 1
            recording.stack.append((path, call))
            recording.fired.add(path)
            prefix = self._prefix(path, module, call)
            with _untraced(recording):
                for name, parameter in module.named_parameters(recurse=False):
                    self._put(f"{prefix}.forward_params.{name}", parameter)
                for name, tensor in leaves(args):
                    self._put(f"{prefix}.forward_input.{name}", tensor)
                for name, tensor in leaves(kwargs):
                    self._put(f"{prefix}.forward_input.{name}", tensor)
                if not torch.is_grad_enabled():
                    return None
                # An alias of its own per call: its gradient is this module's share, not the sum over all users of the
                # tensor. A view, unlike the alias of a full backward hook, may be changed in place.
                watch = self._watcher(f"{prefix}.backward_grad_input")
                return replaced(args, watch), replaced(kwargs, watch)

        return hook

    def _after(self, path):
        def hook(module, args, kwargs, output):
            recording = self._recording
            while recording.stack and recording.stack[-1][0] != path:
                recording.stack.pop()  # left by an exception inside
            if not recording.stack or output is None:
                return
            _, call = recording.stack.pop()
            prefix = self._prefix(path, module, call)
            with _untraced(recording):
                found = list(leaves(output)) if not isinstance(output, torch.Tensor) else [("0", output)]
                for name, tensor in found:
                    self._put(f"{prefix}.forward_output.{name}", tensor, True)
                    if tensor.requires_grad:
                        tensor.register_hook(self._gradient(f"{prefix}.backward_grad_output.{name}"))

        return hook

    def _watcher(self, prefix):
        """A function that gives an alias of a tensor whose gradient is recorded as PREFIX.NAME."""

        def watch(name, tensor):
            if not tensor.requires_grad:
                return tensor
            alias = tensor.view_as(tensor)
            alias.register_hook(self._gradient(f"{prefix}.{name}"))
            return alias

        return watch

    def _gradient(self, name):
        step = self._recording.step

        def hook(gradient):
            if self._recording.handles and self._recording.step == step:
                with _untraced(self._recording):
                    self._put(name, gradient, True)

        return hook

    def _gradients(self):
        """The gradients of the parameters, as they stand at the end of the step."""
        recording = self._recording
        if not recording.handles:
            return
        for path, module in self.model.named_modules():
            if path not in recording.fired:
                continue
            prefix = self._prefix(path, module, 0)
            for name, parameter in module.named_parameters(recurse=False):
                if parameter.grad is not None:
                    self._put(f"{prefix}.params_grad.{name}", parameter.grad)

    def _prefix(self, path, module, call):
        name = type(module).__name__
        return f"{path}.{name}.{call}" if path else f"{name}.{call}"

    def _put(self, name, tensor, likely_new=False):
        recording = self._recording
        if compiled.capturing():
            recording.session.skipped["a CUDA graph was being captured"] += 1
            return
        recording.session.put(recording.step, name, tensor, likely_new)


class _untraced:
    """Keeps the recorder's own work (copies, views) out of an operator trace that runs at the same time."""

    def __init__(self, recording):
        self.operators = recording.operators

    def __enter__(self):
        if self.operators is not None:
            self.operators.paused += 1

    def __exit__(self, *_):
        if self.operators is not None:
            self.operators.paused -= 1


def _numbers(name, value):
    if value is None:
        return frozenset()
    try:
        return frozenset(int(item) for item in ([value] if isinstance(value, int) else value))
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}, expected a list of whole numbers") from None


def _finish(recording, nothing):
    session, recording.closed = recording.session, True
    if session is not None and recording.entries:
        # What the recorded operators were called with: `assay compare --first-wrong` and `assay extract` read it.
        beside = session.path.with_name(f"{session.path.stem}_operators.json")
        pending = beside.with_suffix(".new")
        pending.write_text(json.dumps(recording.entries, indent=1) + "\n")
        pending.replace(beside)
    if session is None or not session.close():
        say(f"NOTHING WAS RECORDED in {recording.folder}: {nothing}")


@atexit.register
def _finish_all():
    """The seed's example never calls stop(): complete what is open when the process ends."""
    for recording in _recordings.values():
        if recording.running:
            recording.running = False
            for handle in recording.handles:
                handle.remove()
            if recording.operators is not None:
                recording.operators.__exit__(None, None, None)
                recording.entries += recording.operators.entries
            if recording.session is not None and not recording.closed:
                _finish(recording, "no hook fired before the process ended")
