"""oneDNN through its own interface: a process that runs OneDnn.cpp, the program bench_conv_onednn, which is built if oneDNN is installed."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np

PROGRAM = "bench_conv_onednn"


def version():
    """"oneDNN 2.6", or None if the program was not built."""
    if not shutil.which(PROGRAM):
        return ""
    return subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout.strip()


class OneDnn:
    """A case in its own process; `why`: why it is left out."""

    def __init__(self, case, threads):
        one, self.folder = case.layer, tempfile.TemporaryDirectory()
        self.case, self.result = case, pathlib.Path(self.folder.name) / "result.bin"
        for name, array in (("image", case.image), ("filter", self.outputs_first(case.filter)), ("gradient", case.gradient)):
            (pathlib.Path(self.folder.name) / f"{name}.bin").write_bytes(array.tobytes())
        numbers = one.batch, one.inputs, one.outputs, one.groups, one.kernel, one.stride, one.pad, one.dilation, *one.size
        words = case.direction, case.dtype, "last" if case.last else "first", threads, self.folder.name, *numbers
        cores = sorted(os.sched_getaffinity(0))[:threads]
        self.process = subprocess.Popen(["taskset", "-c", ",".join(map(str, cores)), PROGRAM, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "OMP_NUM_THREADS": str(threads)})
        said = self.process.stdout.readline().strip()
        self.why = "" if said == "ready" else said or "ended without a word"

    def outputs_first(self, filter):
        return np.moveaxis(filter, -1, 0) if self.case.last else filter

    def array(self):
        """Its result in our order of dimensions."""
        case, one = self.case, self.case.layer
        dtype = np.int32 if case.dtype == "u8s8" else case.image.dtype
        flat = np.frombuffer(self.result.read_bytes(), dtype).astype(np.float32)
        if case.direction == "weights":
            filter = self.outputs_first(case.filter)
            return np.moveaxis(flat.reshape(filter.shape), 0, -1) if case.last else flat.reshape(filter.shape)
        return flat.reshape(case.image.shape if case.direction == "data" else (one.batch, *case.placed(one.result_size, one.outputs)))

    def turn(self, repeats):
        self.process.stdin.write(f"{repeats}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()
