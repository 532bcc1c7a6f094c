"""One dump file being written: opens the C++ writer late, counts what was recorded and what was not, and says so at the end.

The writer is asynchronous with back-pressure: `put` costs a hash of the bytes, and a copy where the file does not have them
yet; writing takes the time that the model leaves, and closing waits for it.
"""
import collections
import pathlib
import sys

import torch

from .. import __version__
from .tensors import PLAIN, Unrecordable, stored


def say(text):
    """Warnings go to standard error at once: a dump that silently lacks something is the worst failure."""
    print(f"assay.torch: {text}", file=sys.stderr, flush=True)


class Session:
    """Writes one HDF5 file. `put` never raises for a tensor that can't be recorded: it counts the reason."""

    def __init__(self, path, summary=True):
        self.path, self.summary = pathlib.Path(path), summary
        self.recorded = 0
        self.skipped = collections.Counter()
        self.failure = None
        self._writer = None
        self._pool = None
        self._lent = collections.deque()  # (number, tensor) that the writer may still read

    def prepare(self, tensor):
        """Copies a tensor that the next step probably records, so that its `put` only needs to hash it."""
        if self.failure is not None or tensor.device.type != "cpu":
            return
        try:
            data, dtype, shape, _ = stored(tensor)
            size = data.nbytes
            self.pool().prepare(dtype, shape, data.data_ptr() if size else 0, size)
        except (Unrecordable, OSError, ValueError, RuntimeError):
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

    def put(self, step, name, tensor, likely_new=False):
        """Records a tensor as /step/name. Returns whether it was recorded. `likely_new` (no earlier tensor is equal) saves time."""
        if self.failure is not None:
            return False
        try:
            data, dtype, shape, placements = stored(tensor)
        except Unrecordable as reason:
            self.skipped[str(reason)] += 1
            return False
        try:
            self._write(step, name, data, dtype, shape, placements, tensor, likely_new)
        except (OSError, ValueError, RuntimeError) as error:
            # A full disk ends the recording, never the model.
            self.failure = error
            say(f"RECORDING STOPPED at /{step}/{name}: {error}; {self.recorded} tensors before it are kept")
            return False
        self.recorded += 1
        return True

    def _write(self, step, name, data, dtype, shape, placements, tensor, likely_new):
        writer = self._writer
        if writer is None:
            from .. import _assay

            about = [("tool", f"assay {__version__}"), ("torch", str(torch.__version__)), ("device", str(tensor.device))]
            writer = self._writer = _assay.DumpWriter(str(self.path), about, self.summary, self.pool())
        size = data.nbytes
        address = data.data_ptr() if size else 0
        attributes = [("placements", placements)] if placements else []
        # A tensor that `stored` made (from another device or layout) belongs to nobody else: the writer reads it in place.
        lent = size > 0 and type(tensor) in PLAIN and address != tensor.data_ptr()
        number = writer.put(f"/{step}/{name}", dtype, shape, address, size, attributes, lent, likely_new)
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
        for reason, count in self.skipped.items():
            say(f"{count} tensors were not recorded: {reason}")
        return self.recorded > 0

