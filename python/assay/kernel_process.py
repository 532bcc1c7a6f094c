"""One worker process per thread for kernels under test, kept between checks; it is restarted after a crash, a hang, or
when the source file of a kernel has changed. A problem's tensors are in memory that both sides share.
"""
import base64
import importlib.util
import json
import os
import pathlib
import sys
import threading

from . import arrays, shipping
from .elements import count, item_size, row_major

CONTENTS = ("marks", "garbage", "other", "zeros")  # NaN; finite numbers of both signs; the same with the signs exchanged
START_SECONDS = 120.0  # importing a framework may take long

_local = threading.local()


class Layout:
    """A tensor of a problem: role, element type, sizes, strides in elements."""

    def __init__(self, role, dtype, shape, strides=None, is_output=False):
        self.role, self.dtype, self.shape, self.is_output = role, dtype, tuple(shape), is_output
        self.strides = row_major(shape) if strides is None else tuple(strides)
        self.bytes = count(self.shape) * item_size(dtype)
        self.is_dense = self.strides == row_major(self.shape)

    def words(self):
        return self.role, self.dtype, list(self.shape), list(self.strides), self.is_output


class KernelProcess:
    def __init__(self):
        from ._assay import KernelWorker

        os.environ["ASSAY_PYTHONPATH"] = str(pathlib.Path(__file__).resolve().parents[1])  # where the worker finds this package
        self.worker = KernelWorker(sys.executable)
        self.sources, self.layouts, self.addresses, self.printed = {}, [], [], ""

    @staticmethod
    def for_kernel(kernel):
        """The process of this thread; a new one if a source file of the kernel has changed since it was read."""
        process = getattr(_local, "process", None)
        sources = dict(shipping.source_files(kernel))
        if process is None or any(process.sources.get(path, time) != time for path, time in sources.items()):
            process = _local.process = KernelProcess()
        process.sources.update(sources)
        return process

    def prepare(self, framework):
        """Starts the process, which imports the framework while this one makes a program of the reference."""
        os.environ["ASSAY_PRELOAD"] = framework or ""
        self.worker.prepare()

    def create(self, shipped, layouts, framework, device=None, into=False, alias=False, file=None, discover=False, timed=False, chosen=None):
        """Sends a callable and describes its tensors. Returns (how it ended, text)."""
        self.layouts = layouts
        settings = {
            "callable": base64.b64encode(shipped).decode(),
            "file": file,
            "framework": framework,
            "device": device,
            "into": into,
            "alias": alias,
            "discover": discover,
            "timed": timed,
            "tells_unfit": chosen is not None,
            "path": [folder or os.getcwd() for folder in sys.path],
        }
        ended, text, _, self.printed = self.worker.create("callable", json.dumps(settings), [one.words() for one in layouts], START_SECONDS)
        return ended, text

    def place(self, at_end, slack=0):
        """Places the tensors next to a guard page; `slack` elements stay free in front of it."""
        self.addresses = self.worker.place(at_end, slack)

    def write_inputs(self, data):
        """Dense bytes of each input, in their order."""
        for layout, address, values in zip(self.layouts, self.addresses, data):
            arrays.write_elements(address, layout.dtype, layout.shape, layout.strides, values)

    def fill_outputs(self, how="marks"):
        """Fills the outputs and the rest of their pages before a run with one of CONTENTS."""
        self.worker.fill_outputs(how)

    def run(self, timeout, dirty=True):
        """Runs it: (how it ended, text, seconds). `dirty`: heap and stack are filled like the outputs. `printed`: output that bypassed Python."""
        ended, text, seconds, self.printed = self.worker.run(timeout, dirty)
        return ended, text, seconds

    def watch_memory(self, timeout):
        """Makes further calls on the same data: (how they ended, text). A kernel whose memory grows with each call has failed."""
        (ended, text, _, self.printed), grown = self.worker.watch_memory(timeout)
        return ("failed", f"the kernel's memory grows by {_size(grown)} in each call") if ended == "ok" and grown else (ended, text)

    def outputs(self):
        """Dense bytes of each output: views of the shared memory."""
        places = zip(self.layouts, self.addresses)
        return [arrays.at_address(address, layout.bytes) for layout, address in places if layout.is_output]

    def written_outside(self):
        """The role of an output outside of which the kernel has written, or None."""
        index = self.worker.written_outside()
        return self.layouts[index].role if index >= 0 else None


def _size(count):
    """A number of bytes in a suitable unit."""
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.{0 if unit == 'bytes' else 1}f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def missing_extension():
    """Why the extension module cannot be used here, or None."""
    if importlib.util.find_spec("assay._assay") is None:
        return "the extension module assay._assay is not built (./dev build) or not installed"
    return None
