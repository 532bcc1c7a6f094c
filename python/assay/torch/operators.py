"""begin_dump and end_dump: traces operator calls below autograd, as the dispatcher sees them.

Between the two, every operator call becomes an entry of `xray_debug/proc_PID/dump.json` (what a unit test needs: names,
shapes, types, strides, ranges, scalars, the place in the user's code) and, with X_DUMP_NUM, tensors in
`xray_debug/proc_PID/dump/operators.h5`. A traced call is named by its number and namespace: `00004-aten`.

X_DEBUG is a set of bits:
  0x002  operator names, arguments' shapes and types
  0x004  each call also printed to standard error
  0x100  the range (minimum, maximum) of each tensor
X_DEDUP keeps one entry per operator, shapes, types, strides and scalars; `count` is the number of calls that it stands for.
X_DUMP_NUM saves that many randomly chosen tensor arguments of each kept call, and its outputs; 0 saves none.
"""
import atexit
import math
import os
import pathlib
import random
import sys
import threading

import torch
from torch.utils._pytree import tree_leaves
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode, _get_current_dispatch_mode_stack

from .. import forked
from .frames import user_frames
from .placement import ranks
from .session import Session, say, write_json
from .tensors import localize, reason

NAMES, PRINT, RANGE = 0x002, 0x004, 0x100
DEFAULT_DEBUG = NAMES | RANGE
_ALL = 1 << 30


class _Pauses(threading.local):
    count = 0


class _Untraced:
    """The context in which the calling thread's operators are those of the recorder itself."""

    def __init__(self):
        self.pauses = _Pauses()

    def __enter__(self):
        self.pauses.count += 1

    def __exit__(self, *_):
        self.pauses.count -= 1


class _Mode(TorchDispatchMode):
    def leave(self):
        """Removes the mode from this thread's stack; below other modes it stays and passes calls through."""
        if _get_current_dispatch_mode() is self:
            self.__exit__(None, None, None)


class OperatorRecorder(_Mode):
    """Appends an entry to `entries` for each call and writes its tensors into the session's file.

    A dispatch mode applies to one thread: begin() enters it in the calling thread, enter_thread() temporarily in another. Each thread's
    calls are in order; the numbers of all threads' calls differ.
    """

    def __init__(self, session, step=lambda: 1, debug=DEFAULT_DEBUG, dedup=False, dump_num=_ALL, file=None):
        super().__init__()
        self.session, self.step, self.file = session, step, file
        self.debug, self.dedup, self.dump_num = debug, dedup, dump_num
        self.entries, self.seen, self.index = [], {}, 0
        self.untraced, self.ended = _Untraced(), False
        self.left = None  # in a forked child: the folder of its parent's trace, until the notice is printed
        self._lock, self._thread = threading.Lock(), None

    @property
    def paused(self):
        return self.untraced.pauses.count

    def begin(self, backward=False):
        """Records the calling thread; with `backward` also the backward passes that other threads start."""
        self.ended, self._thread = False, threading.get_ident()
        if backward:
            _watch_backward(self)
        self.__enter__()

    def end(self):
        self.ended = True
        _unwatch_backward(self)
        if self._thread is not None:
            self.leave()

    def enter_thread(self):
        """Records the calling thread until .leave() of the returned object; None if it is recorded already, or nothing is recorded."""
        if self.ended or self._thread in (None, threading.get_ident()):
            return None
        if any(getattr(mode, "recorder", mode) is self for mode in _get_current_dispatch_mode_stack()):
            return None  # a backward pass that another thread started
        return _Elsewhere(self).__enter__()

    def _say_left(self):
        if self.left is not None:
            path, self.left = self.left, None
            forked.say_left(path)

    def _number(self):
        with self._lock:
            index, self.index = self.index, self.index + 1
        return index

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if self.paused or self.ended or not self.debug & NAMES:
            self._say_left()
            return func(*args, **kwargs)
        index = self._number()
        entry = self._guarded(index, func, self._begin, args, kwargs)
        result = func(*args, **kwargs)
        if entry is not None:
            self._guarded(index, func, self._end, entry, args, kwargs, result)
        return result

    def add(self, func, args, kwargs, result, stack):
        """A call that was made elsewhere, with its results."""
        index = self._number()
        entry = self._guarded(index, func, self._begin, args, kwargs)
        if entry is not None:
            self._guarded(index, func, self._end, entry, args, kwargs, result)
            entry["stack"] = stack

    def _guarded(self, index, func, work, *values):
        """The recorder's part of a call; its errors are noted, and the call continues."""
        try:
            return work(index, func, *values)
        except Exception as error:
            is_nested = any(isinstance(one, torch.Tensor) and one.is_nested for one in tree_leaves(values))
            why = "an argument or result is a nested tensor" if is_nested else reason(error)
            self.session.skip(f"{index:05d} {func}", why)
            return None

    def _begin(self, index, func, args, kwargs):
        """The call's entry with its arguments; None for a repetition."""
        if self.dedup:
            earlier = self.seen.get(_key(func, args, kwargs))
            if earlier is not None:
                earlier["count"] += 1
                return None
        entry = {"name": f"{index:05d}-{func.namespace}", "op_name": str(func)}
        describe = _Describer(self, entry, "forward_input", self._choose(index, args, kwargs))
        entry["args"] = [describe(value, str(i)) for i, value in enumerate(args)]
        entry["kwargs"] = {name: describe(value, name) for name, value in kwargs.items()}
        return entry

    def _end(self, index, func, entry, args, kwargs, result):
        # A collective returns before its tensors are complete; their values are recorded with the next operator that reads them.
        complete = self.dump_num and func.namespace != "c10d"
        describe = _Describer(self, entry, "forward_output", _All() if complete else ())
        outputs = result if isinstance(result, (tuple, list)) else [result]
        entry["outputs"] = [describe(value, str(i)) for i, value in enumerate(outputs)]
        entry["stack"] = user_frames()
        entry["count"] = 1
        self.entries.append(entry)
        if self.dedup:
            self.seen[_key(func, args, kwargs)] = entry
        if self.debug & PRINT:
            print(f"{entry['name']} {entry['op_name']} {_outline(args)}", file=sys.stderr)

    def _choose(self, index, args, kwargs):
        """The names of the tensor arguments to save: all, or `dump_num` of them at random (seeded by the call's number)."""
        if self.dump_num == 0:
            return ()
        names = [name for name, _ in _tensors(list(enumerate(args)) + list(kwargs.items()))]
        if len(names) <= self.dump_num:
            return names
        return random.Random(index).sample(names, self.dump_num)


class _Elsewhere(_Mode):
    """The recorder in a thread other than the one in which it began."""

    def __init__(self, recorder):
        super().__init__()
        self.recorder = recorder

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return self.recorder.__torch_dispatch__(func, types, args, kwargs)


_backward = []  # recorders that also see the backward passes of other threads
_run_backward = torch.autograd._engine_run_backward  # what torch.autograd.backward and grad call


def _recorded_backward(*args, **kwargs):
    modes = [recorder.enter_thread() for recorder in list(_backward)]
    try:
        return _run_backward(*args, **kwargs)
    finally:
        for mode in reversed(modes):
            if mode is not None:
                mode.leave()


def _watch_backward(recorder):
    _backward.append(recorder)
    torch.autograd._engine_run_backward = _recorded_backward


def _unwatch_backward(recorder):
    if recorder in _backward:
        _backward.remove(recorder)
    if not _backward and torch.autograd._engine_run_backward is _recorded_backward:
        torch.autograd._engine_run_backward = _run_backward


class _All:
    def __contains__(self, _):
        return True


class _Describer:
    """Turns an argument into its JSON form; tensors that were chosen are also recorded."""

    def __init__(self, recorder, entry, kind, chosen):
        self.recorder, self.kind, self.chosen = recorder, kind, chosen
        self.prefix = f"{entry['name']}.{entry['op_name'].replace('.', '-')}.0.{kind}"

    def __call__(self, value, name):
        if isinstance(value, torch.Tensor):
            return self._tensor(value, name)
        if isinstance(value, (list, tuple)):
            return [self(item, f"{name}.{i}") for i, item in enumerate(value)]
        if isinstance(value, dict):
            return {str(key): self(item, f"{name}.{key}") for key, item in value.items()}
        return plain(value)

    def _tensor(self, tensor, name):
        local, placement = localize(tensor)
        record = {
            "shape": list(local.shape),
            "dtype": str(local.dtype),
            "stride": list(local.stride()) if local.layout is torch.strided else None,
            "device": str(local.device),
            "min": None,
            "max": None,
            "file": None,
        }
        if placement:
            record["placement"] = placement
        if self.recorder.debug & RANGE:
            record["min"], record["max"] = _range(local)
        if name in self.chosen:
            step, key = self.recorder.step(), f"{self.prefix}.{name}"
            if self.recorder.session.put(step, key, tensor) and self.recorder.file:
                record["file"] = f"{self.recorder.file}:/{step}/{key}"
        return record


def _tensors(items, prefix=""):
    for key, value in items:
        name = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(value, torch.Tensor):
            yield name, value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(enumerate(value), name)


def _key(func, args, kwargs):
    return str(func), repr(_outline(args)), repr(_outline(kwargs))


def _outline(value):
    """The key of de-duplication: shapes, types and strides of tensors, values of everything else."""
    if isinstance(value, torch.Tensor):
        stride = tuple(value.stride()) if value.layout is torch.strided else ()
        return (str(value.dtype).removeprefix("torch."), tuple(value.shape), stride)
    if isinstance(value, (list, tuple)):
        return [_outline(item) for item in value]
    if isinstance(value, dict):
        return {key: _outline(item) for key, item in value.items()}
    return value


def plain(value):
    """The JSON form of a scalar argument; what JSON lacks is an object with one key that names the kind."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, torch.SymInt)):
        return int(value)
    if isinstance(value, (float, torch.SymFloat)):
        value = float(value)
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, complex):
        return {"complex": [plain(value.real), plain(value.imag)]}
    for kind, name in ((torch.dtype, "dtype"), (torch.layout, "layout"), (torch.memory_format, "memory_format")):
        if isinstance(value, kind):
            return {name: str(value)}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    return {"object": type(value).__name__}


def _range(tensor):
    """(minimum, maximum) as JSON numbers, or None if the tensor has no order or no elements."""
    if tensor.numel() == 0 or tensor.is_complex() or tensor.device.type == "meta" or tensor.layout is not torch.strided:
        return None, None
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    if tensor.dtype is torch.bool:
        tensor = tensor.to(torch.uint8)
    elif tensor.is_floating_point() and tensor.element_size() < 4:
        tensor = tensor.float()
    try:
        low, high = (bound.item() for bound in torch.aminmax(tensor.detach()))
    except (RuntimeError, NotImplementedError):
        return None, None
    return _plain_number(low), _plain_number(high)


def _plain_number(value):
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)


# The trace of this process that is open or, after end_dump(clear_context=False), can continue.
_context = {"recorder": None, "folder": None, "active": False, "finished": 0, "left": False}


def begin_dump(X_DEBUG=None, X_DEDUP=None, X_DUMP_NUM=None):
    """Starts tracing operator calls. Arguments not given come from the environment variables of the same names."""
    if _context["active"]:
        raise RuntimeError("begin_dump was called twice without end_dump")
    debug = _setting("X_DEBUG", X_DEBUG, DEFAULT_DEBUG)
    if debug & ~(NAMES | PRINT | RANGE):
        raise ValueError(f"X_DEBUG is {debug:#x}; the known bits are 0x2 names, 0x4 print, 0x100 range")
    dedup = bool(_setting("X_DEDUP", X_DEDUP, False))
    dump_num = _setting("X_DUMP_NUM", X_DUMP_NUM, 0)
    if dump_num < 0:
        raise ValueError(f"X_DUMP_NUM is {dump_num}, expected 0 (no tensors) or more")
    recorder = _context["recorder"]
    if recorder is None:
        count, rank = _context["finished"], ranks()[0]
        name = f"proc_{os.getpid()}" + (f"_{count}" if count else "")
        folder = pathlib.Path("xray_debug").absolute() / name
        (folder / "dump").mkdir(parents=True, exist_ok=True)
        session = Session(folder / "dump" / "operators.h5", summary=False)
        recorder = OperatorRecorder(session, file="dump/operators.h5")
        _context.update(recorder=recorder, folder=folder, rank=rank)
    recorder.debug, recorder.dedup, recorder.dump_num = debug, dedup, dump_num
    _context["active"] = True
    recorder.begin()


def end_dump(clear_context=True):
    """Stops tracing and writes dump.json. clear_context=False lets the next begin_dump continue the same trace."""
    if _context["left"] and not _context["active"]:
        _context["left"] = False  # in a forked child, begin_dump was the parent's
        return
    if not _context["active"]:
        raise RuntimeError("end_dump without begin_dump")
    _context["active"] = False
    _context["recorder"].end()
    _write_json()
    if clear_context:
        _close()


def _setting(name, value, default):
    """The argument, else the environment variable, else the default; whole numbers in any base, or a truth value."""
    value = os.environ.get(name, default) if value is None else value
    if isinstance(value, (bool, int)):
        return value
    text = str(value).strip().lower()
    if text in ("true", "on", "yes"):
        return True
    if text in ("false", "off", "no", ""):
        return False
    try:
        return int(text, 0)
    except ValueError:
        raise ValueError(f"{name} is {value!r}, expected a whole number such as 0x102, or True or False") from None


def _write_json():
    recorder, folder = _context["recorder"], _context["folder"]
    if not recorder.entries:
        say(f"NOTHING WAS RECORDED in {folder}: no operator ran between begin_dump and end_dump (or compiled code ran them)")
    write_json(folder / "dump.json", recorder.entries)


def _close():
    recorder = _context["recorder"]
    recorder.session.close()
    _context.update(recorder=None, folder=None, finished=_context["finished"] + 1)


@atexit.register
def _finish():
    """Completes a trace that was never ended."""
    if _context["recorder"] is None:
        return
    if _context["active"]:
        _context["active"] = False
        _context["recorder"].end()
        _write_json()
    _close()


def _leave_to_parent():
    """In a forked child: the trace is the parent's."""
    recorder = _context["recorder"]
    if recorder is None:
        return
    if _context["active"]:
        recorder.ended, recorder.left = True, _context["folder"]
    _context.update(recorder=None, folder=None, left=_context["active"], active=False)


os.register_at_fork(after_in_child=_leave_to_parent)
