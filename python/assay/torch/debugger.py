"""PrecisionDebugger: records the inputs, outputs, parameters, buffers and gradients of a model's modules.

Every module is watched, leaf and inner. A call of module `path` of class `C`, the n-th in this step, becomes the datasets
`path.C.n.forward_params.NAME` (buffers too), `.forward_input.NAME`, `.forward_output.NAME` and, when gradients flow,
`.backward_grad_output.NAME`, `.backward_grad_input.NAME`, and `params_grad`. Inputs are recorded before the call, so an
in-place module does not overwrite them. Nothing here may raise into the model or change its results: tensors that can't be
recorded are named when the recording ends.
"""
import atexit
import contextlib
import fnmatch
import pathlib

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from . import compiled
from .. import forked
from .calls import Calls
from .frames import user_frames
from .gradients import Shares
from .hooks import Watch
from .live import Live
from .operators import OperatorRecorder
from .placement import ranks, world_size
from .ring import Ring
from .session import Session, say, write_json
from .tensors import held, is_given, leaves, reason, settings
from .triggers import Against, triggers_of
from ..words import amount

_CALLED = "called at"  # a key among the settings of a module: the line of the first call
_NOTHING = contextlib.nullcontext()
_LARGE_MODEL = 8 << 20  # from this many bytes of parameters on, memory is prepared before a step

# One recording per dump folder: xray's users construct a debugger in every execution of the model.
_recordings = {}


class _Recording:
    """The state of one dump folder: step counter, hooks, the file."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.step = 1
        self.running = False
        self.paused = False
        self.compiled = False  # a backend of torch.compile records the operators
        self.live = None  # set if triggers decide what is written
        self.watch = None  # set while modules are watched
        self.hooks = None  # in a forked child: the parent's hooks
        self.handles = []  # of hooks that must not outlive the step
        self.has_gradients = False  # an optimizer has stepped: its parameters' gradients are recorded
        self.by = None  # the debugger that started it
        self.left = False  # this is a forked child of the process that records
        self.calls = None
        self.fired = set()
        self.global_rank, self.local_rank = ranks()
        self.session = None
        self.operators = None
        self.entries = {}  # step -> its operator calls: what dump.json holds
        self.operator_calls = 0
        self.settings = {}  # module's path -> its class and the arguments that it was made with
        self.watched, self.parameters = {}, {}  # path -> module, and (path, name) -> Parameter, while modules are watched
        self.closed = True
        forked.follow(self)

    def open(self, keep=0, limit=0):
        """The file; or the last `keep` steps in memory."""
        if self.session is None:
            path = self.folder / f"globalrank-{self.global_rank}_localrank-{self.local_rank}.h5"
            self.session = Ring(path, keep, limit, self.live.tensor) if keep else Session(path)
            self.closed = False

    @property
    def stack(self):
        """The open calls of modules in the calling thread."""
        return self.calls.here().stack if self.calls is not None else []

    def leave_to_parent(self):
        """Called by forked.py in a forked child, which may begin its own recordings."""
        if not self.running:
            return
        self.left, self.running = True, False
        self.hooks, self.watch = self.watch, None  # they stay until one is called, to report this
        if self.live:
            self.live.unwatch()
        if self.operators is not None:
            self.operators.ended = True

    def say_left(self):
        """In a forked child: reports once that nothing is recorded there."""
        if self.left and self.hooks is not None:
            self.hooks.remove()
            self.hooks = None
            forked.say_left(self.folder)

    def untraced(self):
        """The context of the recorder's own work (copies, views, sums): an operator trace that runs at the same time ignores it."""
        return self.operators.untraced if self.operators is not None else _NOTHING

    def end_operators(self):
        """Takes over the operator calls that were recorded since the hooks were set."""
        if self.operators is None:
            return
        self.operators.end()
        self.entries.setdefault(self.step, []).extend(self.operators.entries)
        self.operator_calls = self.operators.index
        self.operators = None


class PrecisionDebugger:
    """Records a model into `dump_path`/globalrank-R_localrank-r.h5 between start() and stop(), or inside `with`.

    dump_path       result folder
    hook_name       "dump", the only kind of hook
    rank, step      the ranks and steps (counted from 1) to record; None or [] is all
    model           the module whose submodules are recorded
    dump_torch_api  also record every operator call (`begin_dump`'s form, with all tensors)
    filter          patterns of module paths ("blocks.*.attn*"), or a function (path, module) -> bool: only those modules
    triggers        write nothing until one fires: "nan", "jump", or objects of assay.torch.triggers
    keep_last       with triggers: this many last steps are kept in memory (at most `ring_bytes`) and written when one fires
    after           with triggers: how many steps are recorded after that; by default 1 without keep_last, else none
    """

    def __init__(
        self, dump_path, hook_name="dump", rank=None, step=None, model=None, dump_torch_api=False,
        *, filter=None, triggers=None, keep_last=0, after=None, ring_bytes=4 << 30,
    ):
        if hook_name != "dump":
            raise ValueError(f"hook_name is {hook_name!r}, and 'dump' is the only kind of hook")
        if model is not None and not isinstance(model, torch.nn.Module):
            raise TypeError(f"model is a {type(model).__name__}, expected a torch.nn.Module")
        self.ranks = _numbers("rank", rank)
        self.steps = _numbers("step", step)
        self.model = model
        self.dump_torch_api = dump_torch_api
        self.filter = [filter] if isinstance(filter, str) else filter
        self.triggers = triggers_of(triggers)
        self._compiled = False  # set by backend()
        if keep_last and not self.triggers:
            raise ValueError("keep_last keeps steps until a trigger fires: give triggers")
        if not keep_last and any(isinstance(trigger, Against) for trigger in self.triggers):
            raise ValueError("Against looks at recorded tensors: keep_last must be 1 or more")
        self.keep_last, self.ring_bytes = int(keep_last), int(ring_bytes)
        self.after_firing = (0 if keep_last else 1) if after is None else int(after)
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
        if recording.left:
            return recording.say_left()
        if recording.running and not self._continues(recording.by):
            raise ValueError(
                f"'{recording.folder}' is being recorded by another PrecisionDebugger, of another model or with another filter or "
                "dump_torch_api: stop() that one first, or give another dump_path"
            )
        recording.by = self
        if recording.running:
            self.step()
            if recording.running:
                return
        elif recording.closed and recording.session is not None:
            # stop() closed the file; a new recording begins from step 1 in a new file
            recording.session, recording.step, recording.entries, recording.operator_calls = None, 1, {}, 0
        unknown = sorted(step for step in self.steps if step < 1)
        if unknown:
            say(f"there is no step {', '.join(map(str, unknown))}: steps are counted from 1")
        recording.running, recording.paused = True, False
        recording.live = Live(self.triggers, self.after_firing) if self.triggers else None
        if recording.live:
            recording.live.watch(self.model)
        if not self._wanted():
            return
        for path, why in compiled.find(self.model):
            say(f"module '{path or type(self.model).__name__}' will not be recorded inside: {why}")
        self._begin()

    def _continues(self, other):
        """Whether this is the same debugger as `other`, constructed again."""
        filters = self.filter, other.filter
        same_filter = filters[0] == filters[1] or all(callable(one) for one in filters)
        return self is other or (self.model is other.model and same_filter and self.dump_torch_api == other.dump_torch_api)

    def step(self):
        """Ends the current step; the next call of the model belongs to the next step."""
        recording = self._recording
        self._end()
        recording.step += 1
        if recording.running and recording.live and recording.live.fired and not recording.live.left:
            self._close()
        if recording.running and not recording.paused and self._wanted():
            self._begin()

    def stop(self):
        """Ends recording: completes the file, writes its summary, and reports missing tensors."""
        if self._recording.running:
            self._end()
            self._close()
        elif self._recording.by is None and not self._recording.left:
            say(f"NOTHING WAS RECORDED in {self._recording.folder}: stop() came without start()")

    def backend(self, inner="inductor"):
        """For torch.compile(model, backend=...): compiled graphs record, too, while this debugger records with dump_torch_api.

        inner  what compiles them: "inductor", "decomposed" (its graphs, run as they are), "eager" (undecomposed), or a function (graph, inputs) -> callable
        """
        from . import backend

        if not self.dump_torch_api:
            raise ValueError("compiled code is recorded by operators: PrecisionDebugger needs dump_torch_api=True")
        self._compiled = True
        return backend.make(self, inner)

    def pause(self):
        """Removes the hooks until resume(); the model runs as without a debugger."""
        recording = self._recording
        if not recording.running or recording.paused:
            return
        recording.paused = True
        self._unhook(report=False)
        if recording.live:
            recording.live.unwatch()

    def resume(self):
        """Continues after pause(), in the same step."""
        recording = self._recording
        if not recording.running or not recording.paused:
            return
        recording.paused = False
        if recording.live:
            recording.live.watch(self.model)
        if self._wanted():
            self._begin(again=True)

    def observe(self, **values):
        """Passes values to the triggers, which judge them at the end of the step: `observe(loss=loss)`."""
        if self._recording.live:
            self._recording.live.observe(values)

    def fire(self, why="it was asked for"):
        """Fires at the end of the step, like a trigger."""
        if self._recording.live:
            self._recording.live.ask(why)

    # Steps ------------------------------------------------------------------------------------------------------

    def _begin(self, again=False):
        live = self._recording.live
        self._recording.open(self.keep_last if live and not live.fired else 0, self.ring_bytes)
        self._hook(again)

    def _end(self):
        """Ends a step: records gradients and asks the triggers."""
        recording, live = self._recording, self._recording.live
        if recording.watch is not None and not recording.has_gradients:
            self._gradients()
        self._unhook()
        if live is None or not recording.running:
            return
        if live.fired:
            live.left -= 1
            return
        why = live.end_of_step()
        ring = recording.session if self.keep_last else None
        if ring is not None:
            kept = ring.steps()
            recording.entries = {step: calls for step, calls in recording.entries.items() if step in kept}
        if why is not None:
            live.fired, live.left = why, live.after_firing
            written = f"; steps {', '.join(map(str, ring.steps()))} are written" if ring is not None else ""
            following = f"; {live.left} more will be recorded" if live.left else ""
            say(f"step {recording.step}: {why}{written}{following}")
            if ring is not None:
                ring.write()

    def _close(self):
        recording = self._recording
        recording.running, live = False, recording.live
        if live:
            live.unwatch()
        if live and not live.fired:
            say(f"no trigger fired in {recording.step} steps; nothing was written in {recording.folder}")
            for trigger in live.triggers:
                unused = getattr(trigger, "unused", lambda: None)()
                if unused:
                    say(unused)
        _finish(recording, None if live else self._nothing())

    # What is recorded -------------------------------------------------------------------------------------------

    def _wanted(self):
        recording = self._recording
        if recording.live and not (recording.live.left if recording.live.fired else self.keep_last):
            return False
        return (not self.ranks or recording.global_rank in self.ranks) and (
            not self.steps or recording.step in self.steps
        )

    def _nothing(self):
        """The text for a dump that captured nothing; None if this rank was not to record."""
        recording = self._recording
        if self.ranks and recording.global_rank not in self.ranks:
            size = world_size()
            if size is None or recording.global_rank > 0 or any(rank < size for rank in self.ranks):
                return None  # another rank was requested, which reports itself
            return f"rank {recording.global_rank} is not among the ranks {sorted(self.ranks)}, and there are only {size}"
        traced = compiled.traced()
        if traced:
            return f"{traced} traced the model, and traced code runs no hooks"
        if self.steps and max(self.steps) < 1:
            ran = f"the steps 1 to {recording.step}" if recording.step > 1 else "step 1 alone"
            return f"steps are counted from 1, and the steps {sorted(self.steps)} were asked for; this recording had {ran}"
        if self.steps and not any(1 <= step <= recording.step for step in self.steps):
            return f"only {amount(recording.step, 'step')} ran, and the steps {sorted(self.steps)} were asked for"
        return "no hook fired: was the model called between start() and stop(), and not compiled or captured in a graph?"

    def _modules(self):
        """[(path, module)] of the modules that the filter accepts."""
        modules = list(self.model.named_modules())
        if self.filter is None:
            return modules
        if callable(self.filter):
            return [(path, module) for path, module in modules if self.filter(path, module)]
        return [(path, module) for path, module in modules if any(fnmatch.fnmatchcase(path, pattern) for pattern in self.filter)]

    def _hook(self, again=False):
        recording = self._recording
        if not again:
            recording.calls, recording.fired, recording.has_gradients = None, set(), False
        recording.handles.append(register_optimizer_step_pre_hook(self._before_optimizer))
        recording.compiled, put = self._compiled, self._recorder_of_gradients()
        recording.calls = Calls(lambda: Shares(put, self._failed), recording.calls)
        modules = self._modules()
        if not modules:
            say(f"no module has a path that the filter takes: {self.filter}")
        recording.watch = Watch(modules, self)
        recording.settings.update((path, settings(module)) for path, module in modules)
        recording.watched = dict(modules)
        recording.parameters = {(path, name): tensor for path, module in modules for name, tensor in held(module) if isinstance(tensor, torch.nn.Parameter)}
        self._prepare({id(tensor): tensor for _, module in modules for _, tensor in held(module)}.values())
        if self.dump_torch_api:
            recording.operators = OperatorRecorder(recording.session, lambda: recording.step, file=recording.session.path.name)
            recording.operators.index = recording.operator_calls
            if not recording.compiled:
                recording.operators.begin(backward=True)

    def _prepare(self, tensors):
        """Does work that the hooks then need not do inside the step: copies of the parameters, memory for other copies."""
        session, size = self._recording.session, 0
        for tensor in tensors:
            if torch.nn.parameter.is_lazy(tensor):
                continue
            session.prepare(tensor)
            size += tensor.nbytes
        if size >= _LARGE_MODEL:
            session.reserve()

    def _unhook(self, report=True):
        recording = self._recording
        if recording.watch is not None:
            recording.watch.remove()
        for handle in recording.handles:
            handle.remove()
        if recording.session is not None:
            recording.session.drop_prepared()
        recording.end_operators()
        if recording.watch is not None and recording.fired and report:
            self._report_silent()
        recording.watch, recording.handles, recording.watched, recording.parameters = None, [], {}, {}

    def _report_silent(self):
        """Modules whose hook never fired although a module around them ran, and whose own submodules did not fire."""
        recording = self._recording
        silent = [
            path
            for path, module in self._modules()
            if path not in recording.fired and next(module.children(), None) is None
        ]
        traced = compiled.traced()
        if silent:
            shown = ", ".join(silent[:5]) + (", …" if len(silent) > 5 else "")
            why = f"; {traced} traced the model" if traced else ""
            say(
                f"step {recording.step}: {len(recording.fired)} modules were recorded; the hooks of {len(silent)} leaf "
                f"modules never fired (unused, or run by compiled or fused code{why}): {shown}"
            )

    # Called by hooks.py, around every call of a watched module.

    def before(self, path, module, args, kwargs):
        recording = self._recording
        if recording.watch is None:
            return recording.say_left()
        if compiled.tracing():
            return
        here, call = recording.calls.here(), recording.calls.number(path)
        recording.fired.add(path)
        made = recording.settings[path]
        if _CALLED not in made:
            made[_CALLED] = "".join(user_frames(1))
        prefix, begun = self._prefix(path, module, call), None
        try:
            with recording.untraced():
                inputs = [*leaves(args), *leaves(kwargs)]
                for name, tensor in held(module):
                    own = recording.parameters.get((path, name), tensor) if is_given(tensor) else tensor
                    self._put(f"{prefix}.forward_params.{name}", own)
                    if own is not tensor:
                        inputs.append((f"parameters.{name}", tensor))
                        self._put_outside(here.stack, path, name, tensor)
                for name, tensor in inputs:
                    self._put(f"{prefix}.forward_input.{name}", tensor)
                if torch.is_grad_enabled() and not compiled.transforming():
                    begun = here.shares.enter(inputs, f"{prefix}.backward_grad_input")
        except Exception as error:
            self._failed(f"{prefix}.forward_input", error)
        if not here.stack and recording.operators is not None:
            here.mode = recording.operators.enter_thread()
        here.stack.append((path, call, begun))

    def _put_outside(self, stack, path, name, tensor):
        """Notes a tensor that a call received for a parameter, for each call around it that began after the tensor was made."""
        number = tensor.grad_fn._sequence_nr()
        for outer, call, begun in stack:
            if begun is not None and number < begun.begin:
                below = path[len(outer) + 1 :] if outer else path
                self._put(f"{self._prefix(outer, self._recording.watched[outer], call)}.forward_input.parameters.{below}.{name}", tensor)

    def after(self, path, module, output):
        recording = self._recording
        if recording.watch is None or compiled.tracing():
            return
        here = recording.calls.here()
        at = next((i for i in reversed(range(len(here.stack))) if here.stack[i][0] == path), None)
        if at is None:
            return
        _, call, begun = here.stack[at]
        del here.stack[at:]  # and calls inside it that an exception left open
        if not here.stack and here.mode is not None:
            here.mode = here.mode.leave()
        prefix = self._prefix(path, module, call)
        try:
            with recording.untraced():
                outputs = [("0", output)] if isinstance(output, torch.Tensor) else list(leaves(output))
                for name, tensor in outputs:
                    self._put(f"{prefix}.forward_output.{name}", tensor, True)
                if begun is not None:
                    outer = here.stack[-1][2] if here.stack else None
                    given_back = [(f"{prefix}.backward_grad_output.{name}", tensor) for name, tensor in outputs]
                    self._watch_outputs(given_back, here.shares.leave(begun, given_back, outer))
        except Exception as error:
            self._failed(f"{prefix}.forward_output", error)

    def _watch_outputs(self, outputs, but):
        record = self._recorder_of_gradients()
        for name, tensor in outputs:
            if not tensor.requires_grad or name in but:
                continue

            def hook(gradient, name=name):
                record(name, gradient)

            handle = tensor.register_hook(hook)
            if tensor.is_leaf:  # a parameter, or the model's own input: the hook must be removed
                self._recording.handles.append(handle)

    def _recorder_of_gradients(self):
        """record(name, gradient) for the current step; later it does nothing. The gradient is None for an output that
        nothing used, if its operator has others."""
        recording, step = self._recording, self._recording.step

        def record(name, gradient):
            if gradient is None or torch.compiler.is_compiling() or recording.watch is None or recording.step != step:
                return
            try:
                with recording.untraced():
                    self._put(name, gradient, True)
            except Exception as error:
                self._failed(name, error)

        return record

    def _failed(self, name, error):
        """Notes an error of the recorder itself: the model continues."""
        session = self._recording.session
        if session is not None:
            session.skip(name, reason(error))

    def _before_optimizer(self, optimizer, args, kwargs):
        """Records gradients when the first optimizer of the step gets them: afterwards they may be cleared."""
        recording = self._recording
        if recording.has_gradients or recording.watch is None or torch.compiler.is_compiling():
            return
        recording.has_gradients = True
        try:
            with recording.untraced():
                self._gradients()
        except Exception as error:
            self._failed("params_grad", error)

    def _gradients(self):
        """Records the current gradients of the parameters."""
        recording = self._recording
        for path, module in self.model.named_modules():
            if path not in recording.fired and not recording.compiled:
                continue
            prefix = self._prefix(path, module, 0)
            for name, parameter in held(module):
                if parameter.is_leaf and parameter.grad is not None:
                    self._put(f"{prefix}.params_grad.{name}", parameter.grad)

    def _prefix(self, path, module, call):
        scripted = isinstance(module, torch.jit.ScriptModule)
        name = module.original_name if scripted else type(module).__name__
        return f"{path}.{name}.{call}" if path else f"{name}.{call}"

    def _put(self, name, tensor, likely_new=False):
        recording = self._recording
        if compiled.capturing():
            recording.session.skip(name, "a CUDA graph was being captured")
            return
        recording.session.put(recording.step, name, tensor, likely_new)


def _numbers(name, value):
    if value is None:
        return frozenset()
    try:
        return frozenset(int(item) for item in ([value] if isinstance(value, int) else value))
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}, expected a list of whole numbers") from None


def _finish(recording, nothing):
    session, recording.closed = recording.session, True
    entries = [entry for _, calls in sorted(recording.entries.items()) for entry in calls]
    if recording.live and not recording.live.fired:
        entries = []
    if session is not None and entries:
        # The arguments of the recorded operators: `assay compare --first-wrong` and `assay extract` read it.
        write_json(_beside(session.path, "operators"), entries)
    recorded = session is not None and session.close()
    if recorded:
        write_json(_beside(session.path, "modules"), recording.settings)
    elif nothing is not None and (session is None or session.failure is None):
        say(f"NOTHING WAS RECORDED in {recording.folder}: {nothing}")


def _beside(path, what):
    return path.with_name(f"{path.stem}_{what}.json")


@atexit.register
def _finish_all():
    """Completes open recordings when the process ends: xray's example never calls stop()."""
    for recording in _recordings.values():
        if recording.running:
            recording.running = False
            if recording.watch is not None:
                recording.watch.remove()
            for handle in recording.handles:
                handle.remove()
            recording.end_operators()
            if recording.session is not None and not recording.closed:
                _finish(recording, None if recording.live else "no hook fired before the process ended")
