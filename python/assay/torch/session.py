"""One dump file being written: opens the C++ writer late, counts what was recorded and what was not, and says so at the end.

The writer is asynchronous with back-pressure, so `put` costs a copy and a hash in the background; closing waits for it.
"""
import collections
import pathlib
import sys

from .. import program
from .tensors import Unrecordable, stored


def say(text):
    """Warnings go to standard error at once: a dump that silently lacks something is the worst failure."""
    print(f"assay.torch: {text}", file=sys.stderr, flush=True)


class Session:
    """Writes one HDF5 file. `put` never raises for a tensor that can't be recorded: it counts the reason."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.recorded = 0
        self.skipped = collections.Counter()
        self._writer = None

    def put(self, step, name, tensor):
        """Records a tensor as /step/name. Returns whether it was recorded."""
        try:
            data, dtype, shape, placements = stored(tensor)
        except Unrecordable as reason:
            self.skipped[str(reason)] += 1
            return False
        if self._writer is None:
            from .. import _assay

            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = _assay.DumpWriter(str(self.path))
        size = data.numel() * data.element_size()
        self._writer.put(str(step), name, dtype, list(shape), data.data_ptr() if size else 0, size, placements)
        self.recorded += 1
        return True

    def close(self):
        """Waits for the file to be complete. Returns whether a file exists."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        for reason, count in self.skipped.items():
            say(f"{count} tensors were not recorded: {reason}")
        return self.recorded > 0

    def summarise(self):
        """Writes FILE_summary.csv beside the file by `assay summary`."""
        out = self.path.with_name(self.path.stem + "_summary.csv")
        try:
            if program.call("summary", self.path, out, "--quiet") != 0:
                say(f"`assay summary {self.path}` failed: no {out.name}")
        except OSError as error:
            say(f"no {out.name}: {error}")
