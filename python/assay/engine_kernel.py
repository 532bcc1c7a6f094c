"""One of Assay's engines as a kernel: `assay.check(None, reference, …, engine="native")` runs the reference's program on it."""
import pathlib
import subprocess
import tempfile

import numpy

from . import program
from .elements import Spec, numpy_dtype
from .evidence import members


class EngineKernel:
    """Takes the program's arguments, returns its results as `assay run --engine` saves them."""

    def __init__(self, engine, text, outputs):
        self.engine, self.text, self.outputs = engine, text, outputs
        self.program = program.find()
        self.__name__ = engine

    def __call__(self, *inputs):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "program.mlir").write_text(self.text)
            specs = [Spec(one.dtype.name, one.shape) for one in inputs]
            numpy.savez(place / "in.npz", **members("in", specs, [numpy.ascontiguousarray(one).reshape(-1).view(numpy.uint8) for one in inputs]))
            words = [self.program, "run", "program.mlir", "--engine", self.engine, "--output", "out.npz", "--quiet"]
            done = subprocess.run([*words, *(["--input", "in.npz"] if inputs else [])], cwd=place, capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(done.stderr.strip() or f"assay run ended with code {done.returncode}")
            saved = numpy.load(place / "out.npz")
            made = [saved[f"out{i}"] for i in range(len(self.outputs))]
            return [one if one.dtype.name == dtype else one.view(numpy_dtype(dtype)) for one, (dtype, _) in zip(made, self.outputs)]
