"""The evidence of a failed check: a folder with the program, the data, the results, and a script that repeats it.

    repro.py        runs the kernel again on in.npz and prints the verdict
    reference.mlir  the program; `assay run reference.mlir --input in.npz --expect got.npz --rule bound` judges got.npz
    in.npz, got.npz the program's arguments in0, in1, …; the kernel's results out0, out1, …
    kernel.pickle   the callable
"""
import json
import os
import sys

import numpy

from . import arrays, shipping
from .elements import Spec, numpy_dtype, placed

_SCRIPT = '''"""Runs a kernel again on the data on which assay.check found it wrong; prints the verdict. Exit code 1: still wrong."""
import pathlib
import sys

sys.path[:0] = {path!r}
import assay.evidence

sys.exit(assay.evidence.again(pathlib.Path(__file__).parent))
'''


class Evidence:
    def __init__(self, question, expected, outputs, kind, data, results, rule, timeout, exact_division=False, not_kept=()):
        self.question, self.expected, self.outputs = question, expected, outputs
        self.kind, self.data, self.results, self.rule, self.timeout = kind, data, results, rule, timeout
        self.exact_division, self.not_kept = exact_division, list(not_kept)

    def save(self, folder):
        question = self.question
        (folder / "repro.py").write_text(_SCRIPT.format(path=[os.path.abspath(place) for place in sys.path]))
        settings = {
            "rule": self.rule, "timeout": self.timeout, "framework": question.framework, "device": question.device,
            "into": question.into, "alias": question.alias, "layout": question.layout, "exact_division": self.exact_division,
            "data": self.kind, "special": self.not_kept,
            "specs": [[spec.dtype, spec.shape] for spec in question.specs],
        }  # fmt: skip
        (folder / "check.json").write_text(json.dumps(settings, indent=1) + "\n")
        reference = None
        if self.expected.program:
            (folder / "reference.mlir").write_text(self.expected.program.text)
        else:
            reference = self.expected.eager
        (folder / "kernel.pickle").write_bytes(shipping.dumps((question.kernel, question.arguments, question.keywords)))
        if reference is not None:
            (folder / "note.txt").write_text(self.expected.weaker + "\n")
        if self.data is not None:
            types = self.expected.inputs or [(spec.dtype, spec.shape) for spec in question.specs]
            numpy.savez(folder / "in.npz", **members("in", [Spec(*one) for one in types], self.data))
            slots = [slot if isinstance(slot, int) else -1 for slot in self.expected.slots]
            (folder / "slots.json").write_text(json.dumps(slots) + "\n")
        if self.results is not None:
            numpy.savez(folder / "got.npz", **members("out", self.outputs, self.results))


def members(prefix, specs, data):
    """Arrays for a .npz file; types that the format lacks are stored as integers of the same width, as `assay run` reads them."""
    members = {}
    for i, (spec, values) in enumerate(zip(specs, data)):
        try:
            kind = numpy.dtype(spec.dtype)
        except TypeError:
            kind = numpy.dtype(f"u{numpy_dtype(spec.dtype).itemsize}")
        members[f"{prefix}{i}"] = numpy.frombuffer(values.tobytes(), kind).reshape(spec.shape)
    return members


def again(folder):
    """Repeats a saved check; returns the exit code."""
    from .checking import check

    settings = json.loads((folder / "check.json").read_text())
    if not (folder / "reference.mlir").exists():
        print("assay: the reference is not a program (note.txt says why): run the check itself again", file=sys.stderr)
        return 2
    kernel, arguments, keywords = shipping.loads((folder / "kernel.pickle").read_bytes())
    tensors = [Spec(dtype, shape) for dtype, shape in settings["specs"]]
    fixed = {}
    if (folder / "in.npz").exists():
        data, slots = numpy.load(folder / "in.npz"), json.loads((folder / "slots.json").read_text())
        for place, slot in enumerate(slots):
            if slot >= 0:
                tensors[slot] = _typed(data[f"in{place}"], settings["specs"][slot][0])
            else:
                fixed[place] = arrays.host_bytes(data[f"in{place}"])
    options = {name: settings[name] for name in ("rule", "timeout", "framework", "device", "into", "alias", "layout", "exact_division", "special") if name in settings}
    verdict = check(kernel, folder / "reference.mlir", *placed(arguments, tensors), keywords=keywords, _fixed=fixed, _data=settings.get("data"), **options)
    print(verdict)
    return 0 if verdict else 1


def _typed(array, dtype):
    return array if array.dtype.name == dtype else array.view(numpy_dtype(dtype))
