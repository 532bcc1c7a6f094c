"""One dump file being written: opens the C++ writer late, counts what was recorded and what was not, and says so at the end.

The writer is asynchronous with back-pressure, so `put` costs a copy and a hash in the background; closing waits for it.
"""
import collections
import pathlib
import sys

import torch

from .. import __version__
from .tensors import Unrecordable, stored


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

    def put(self, step, name, tensor):
        """Records a tensor as /step/name. Returns whether it was recorded."""
        if self.failure is not None:
            return False
        try:
            data, dtype, shape, placements = stored(tensor)
        except Unrecordable as reason:
            self.skipped[str(reason)] += 1
            return False
        try:
            self._write(step, name, data, dtype, shape, placements, tensor.device)
        except (OSError, ValueError, RuntimeError) as error:
            # A full disk ends the recording, never the model.
            self.failure = error
            say(f"RECORDING STOPPED at /{step}/{name}: {error}; {self.recorded} tensors before it are kept")
            return False
        self.recorded += 1
        return True

    def _write(self, step, name, data, dtype, shape, placements, device):
        if self._writer is None:
            from .. import _assay

            about = [("tool", f"assay {__version__}"), ("torch", str(torch.__version__)), ("device", str(device))]
            self._writer = _assay.DumpWriter(str(self.path), about, self.summary)
        size = data.numel() * data.element_size()
        attributes = [("placements", placements)] if placements else []
        self._writer.put(f"/{step}/{name}", dtype, list(shape), data.data_ptr() if size else 0, size, attributes)

    def close(self):
        """Completes the file and writes FILE_summary.csv beside it. Returns whether anything was recorded."""
        writer, self._writer = self._writer, None
        if writer is not None:
            try:
                writer.close()
            except (OSError, ValueError, RuntimeError) as error:
                if self.failure is None:
                    say(f"the recording is not complete: {error}")
                self.failure = error
        for reason, count in self.skipped.items():
            say(f"{count} tensors were not recorded: {reason}")
        return self.recorded > 0
