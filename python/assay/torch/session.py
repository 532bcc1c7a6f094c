"""One dump file being written: opens the C++ writer late, counts recorded tensors, and names the others at the end.

The writer is asynchronous with back-pressure: `put` costs a hash of the bytes, and a copy if the file does not have them
yet; writing uses time that the model leaves idle, and closing waits for it.
"""
import collections
import json
import pathlib
import sys
import threading

import torch

from .. import __version__, forked
from .tensors import PLAIN, Unrecordable, reason, stored

_ESCAPED = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}  # names may have characters that a terminal interprets
_SHOWN = 3  # names in a line of the closing summary


def say(text):
    """Prints a warning to standard error at once: a dump that silently lacks something is the worst failure."""
    sys.stderr.write(f"assay.torch: {text.translate(_ESCAPED)}\n")  # one write: ranks share the stream
    sys.stderr.flush()


def write_json(path, entries):
    """Writes the operators' arguments; reports a full disk, and the model continues."""
    pending = path.with_suffix(".new")
    try:
        pending.write_text(json.dumps(entries, indent=1) + "\n")
        pending.replace(path)
    except OSError as error:
        pending.unlink(missing_ok=True)
        say(f"'{path}', what the operators were called with, is not written: {reason(error)}")


def _tensors(count):
    return f"{count or 'no'} tensor{'' if count == 1 else 's'} {'is' if count == 1 else 'are'}"


class Session(forked.Writing):
    """Writes one HDF5 file. `put` never raises for a tensor that can't be recorded: it notes the reason."""

    def __init__(self, path, summary=True):
        self.path, self.summary = pathlib.Path(path), summary
        self.skipped = {}  # reason -> names
        self.failure = None
        self.left = False  # this is a forked child of the process that records
        self._kept = None  # after a failure: the tensors that the file has
        self._names = set()
        self._lock = threading.Lock()  # guards the writer's creation, its failure, and lent tensors
        self._writer = None
        self._pool = None
        self._lent = collections.deque()  # (number, tensor) that the writer may still read

    @property
    def recorded(self):
        """How many tensors the file has, or will have when it is closed."""
        return len(self._names) if self._kept is None else self._kept

    def prepare(self, tensor):
        """Copies a tensor that the next step will probably record, so that its `put` only needs to hash it."""
        if self.failure is not None or tensor.device.type != "cpu":
            return
        try:
            data, address, dtype, shape, _ = stored(tensor)
            self.pool().prepare(dtype, shape, address, data.nbytes)
        except (Unrecordable, OSError, TypeError, ValueError, RuntimeError):
            pass  # `put` will fail for the same reason and report it

    def reserve(self, size=64 << 20):
        """Prepares memory for the copies that the next step makes."""
        self.pool().reserve(size)

    def drop_prepared(self):
        if self._pool is not None:
            self._pool.drop_prepared()

    def pool(self):
        if self._pool is None:
            from .. import _assay

            self._pool = _assay.CopyPool()
        return self._pool

    def skip(self, name, why):
        """Notes that something is not recorded, for the closing summary."""
        self.skipped.setdefault(why, []).append(name)
        return False

    def put(self, step, name, tensor, likely_new=False):
        """Records a tensor as /step/name. Returns whether it was recorded. `likely_new` (no earlier tensor is equal) saves time."""
        if self.failure is not None or self.left:
            return self._ended()
        path = f"/{step}/{name.replace('/', '|')}"  # one flat group per step
        if path in self._names:
            return self.skip(name, "its name is taken in this step (a second backward pass?)")
        try:
            content = stored(tensor)
        except Unrecordable as why:
            return self.skip(name, str(why))
        return self.put_content(step, name, tensor, content, likely_new)

    def put_content(self, step, name, tensor, content, likely_new=False):
        """The same for a tensor whose content, as returned by `stored`, is known."""
        if self.failure is not None or self.left:
            return self._ended()
        path = f"/{step}/{name.replace('/', '|')}"
        try:
            if self._writer is None:
                with self._lock:
                    self._open(tensor)
            self._write(path, *content, tensor, likely_new)
        except (OSError, RuntimeError) as error:
            return self._fail(error)  # a full disk ends the recording, never the model
        except (TypeError, ValueError) as error:
            return self.skip(name, reason(error))
        self._names.add(path)
        return True

    def _fail(self, error, what="RECORDING STOPPED"):
        with self._lock:
            if self.failure is not None:
                return False  # another thread reported it first
            self.failure = error
            self._kept = self._writer.kept if self._writer is not None else 0
        say(f"{what}: {error}; {_tensors(self._kept)} kept")
        return False

    def _ended(self):
        if self.left == "unsaid":
            self.left = "said"
            forked.say_left(self.path)
        return False

    # Called by forked.py.

    def leave_to_parent(self):
        self.left, self._lock = "unsaid", threading.Lock()
        for native in (self._writer, self._pool):
            if native is not None:
                native.leave_to_parent()
        self._writer = self._pool = None

    def _open(self, tensor):
        if self._writer is not None:
            return
        from .. import _assay

        about = [("tool", f"assay {__version__}"), ("torch", str(torch.__version__)), ("device", str(tensor.device))]
        try:
            self._writer = _assay.DumpWriter(str(self.path), about, self.summary, self.pool())
        except ValueError as error:  # no such folder, another recorder
            raise RuntimeError(str(error)) from None
        forked.follow(self)

    def _write(self, path, data, address, dtype, shape, placement, tensor, likely_new):
        writer, size = self._writer, data.nbytes
        attributes = [("placement", placement)] if placement else []
        # A tensor that `stored` made (from another device or layout) has no other owner, so the writer reads it in place.
        lent = size > 0 and type(tensor) in PLAIN and address != tensor.data_ptr()
        number = writer.put(path, dtype, shape, address, size, attributes, lent, likely_new)
        if not lent and not self._lent:
            return
        with self._lock:
            if lent:
                self._lent.append((number, data))
            finished = writer.finished
            while self._lent and self._lent[0][0] <= finished:
                self._lent.popleft()

    def close(self):
        """Completes the file and writes FILE_summary.csv beside it. Returns whether anything was recorded."""
        if self.left:
            return False
        writer = self._writer
        self.drop_prepared()
        if writer is not None:
            try:
                writer.close()
            except (OSError, ValueError, RuntimeError) as error:
                self._fail(error, "the recording is not complete")
        self._writer = None
        forked.unfollow(self)
        self._lent.clear()
        self._pool = None
        for why, names in self.skipped.items():
            shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
            say(f"not recorded: {len(names)} ({shown}): {why}")
        return self.recorded > 0

