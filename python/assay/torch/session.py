"""One dump file being written: opens the C++ writer late, counts what was recorded, names what was not, and says so at the end.

The writer is asynchronous with back-pressure: `put` costs a hash of the bytes, and a copy where the file does not have them
yet; writing takes the time that the model leaves, and closing waits for it.
"""
import collections
import pathlib
import sys

import torch

from .. import __version__
from .tensors import PLAIN, Unrecordable, reason, stored

_SHOWN = 3  # names in a line of the closing summary


def say(text):
    """Warnings go to standard error at once: a dump that silently lacks something is the worst failure."""
    print(f"assay.torch: {text}", file=sys.stderr, flush=True)


class Session:
    """Writes one HDF5 file. `put` never raises for a tensor that can't be recorded: it notes the reason."""

    def __init__(self, path, summary=True):
        self.path, self.summary = pathlib.Path(path), summary
        self.recorded = 0
        self.skipped = {}  # reason -> names
        self.failure = None
        self._names = set()
        self._writer = None
        self._pool = None
        self._lent = collections.deque()  # (number, tensor) that the writer may still read

    def prepare(self, tensor):
        """Copies a tensor that the next step probably records, so that its `put` only needs to hash it."""
        if self.failure is not None or tensor.device.type != "cpu":
            return
        try:
            data, address, dtype, shape, _ = stored(tensor)
            self.pool().prepare(dtype, shape, address, data.nbytes)
        except (Unrecordable, OSError, TypeError, ValueError, RuntimeError):
            pass  # `put` meets the same reason and reports it

    def reserve(self, size=64 << 20):
        """Makes memory ready for the copies that the next step makes."""
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
        if self.failure is not None:
            return False
        path = f"/{step}/{name.replace('/', '|')}"  # one flat group per step
        if path in self._names:
            return self.skip(name, "its name is taken in this step (a second backward pass?)")
        try:
            content = stored(tensor)
        except Unrecordable as why:
            return self.skip(name, str(why))
        return self.put_content(step, name, tensor, content, likely_new)

    def put_content(self, step, name, tensor, content, likely_new=False):
        """The same for a tensor whose content, as `stored` gives it, is known."""
        if self.failure is not None:
            return False
        path = f"/{step}/{name.replace('/', '|')}"
        try:
            self._open(tensor)
            self._write(path, *content, tensor, likely_new)
        except (OSError, RuntimeError) as error:
            # A full disk ends the recording, never the model.
            self.failure = error
            say(f"RECORDING STOPPED at {path}: {error}; {self.recorded} tensors before it are kept")
            return False
        except (TypeError, ValueError) as error:
            return self.skip(name, reason(error))
        self._names.add(path)
        self.recorded += 1
        return True

    def _open(self, tensor):
        if self._writer is not None:
            return
        from .. import _assay

        about = [("tool", f"assay {__version__}"), ("torch", str(torch.__version__)), ("device", str(tensor.device))]
        try:
            self._writer = _assay.DumpWriter(str(self.path), about, self.summary, self.pool())
        except ValueError as error:  # no such folder, another recorder
            raise RuntimeError(str(error)) from None

    def _write(self, path, data, address, dtype, shape, placement, tensor, likely_new):
        writer, size = self._writer, data.nbytes
        attributes = [("placement", placement)] if placement else []
        # A tensor that `stored` made (from another device or layout) belongs to nobody else: the writer reads it in place.
        lent = size > 0 and type(tensor) in PLAIN and address != tensor.data_ptr()
        number = writer.put(path, dtype, shape, address, size, attributes, lent, likely_new)
        if lent:
            self._lent.append((number, data))
        if self._lent:
            finished = writer.finished
            while self._lent and self._lent[0][0] <= finished:
                self._lent.popleft()

    def close(self):
        """Completes the file and writes FILE_summary.csv beside it. Returns whether anything was recorded."""
        writer, self._writer = self._writer, None
        self.drop_prepared()
        if writer is not None:
            try:
                writer.close()
            except (OSError, ValueError, RuntimeError) as error:
                if self.failure is None:
                    say(f"the recording is not complete: {error}")
                self.failure = error
        self._lent.clear()
        self._pool = None
        for why, names in self.skipped.items():
            shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
            say(f"not recorded: {len(names)} ({shown}): {why}")
        return self.recorded > 0

