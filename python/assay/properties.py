"""Properties that need no reference: two runs of a kernel must have equal bits, whatever it computes.

    deterministic            the same bits in every run
    output_independent       … whatever an output held before
    alignment_independent    … wherever the tensors are
    batch_invariant          the same bits for a row, whatever batch it is in (of one, of half)
    nan_local                a NaN or an infinity in one row changes no other row
    permutation_equivariant  rows in another order lead to the results in that order
    scale_equivariant        floats times 8 lead to results times 8, exactly (kernels that are linear in the batched inputs)

A row is an index of the first size of the inputs that `batched` names, and of every result.
"""
import contextlib
import json

import numpy

from . import arrays, shipping
from .elements import Spec, item_size, numpy_dtype
from .kernel_process import CONTENTS, KernelProcess, Layout
from .words import one_of

RUNS = 5


class Broken(Exception):
    """Raised where a property does not hold."""


class Stopped(Exception):
    """Raised, with the reason, where the kernel did not run."""

    def __init__(self, status, text, is_unfit=False):
        super().__init__(text)
        self.status, self.is_unfit = status, is_unfit


def known(names):
    """The properties' functions by name. Raises ValueError."""
    names = (names,) if isinstance(names, str) else tuple(names)
    for name in names:
        one_of("property", name, PROPERTIES)
    return names


def examine(question, names, verdict, timeout, seed, batched):
    """Notes the first property that does not hold in the verdict."""
    runner = Runner(question, timeout, seed, batched)
    for name in names:
        try:
            PROPERTIES[name](runner)
            verdict.notes.append(f"{name} holds")
            continue
        except Broken as broken:
            verdict.status, verdict.pattern = "FAILED", f"not {name}: {broken}"
        except Stopped as stopped:
            if runner.widens():  # the kernel may need all inputs cut alike
                with contextlib.suppress(Stopped, Broken):
                    PROPERTIES[name](runner)
                    verdict.notes.append(f"{name} holds where the inputs {', '.join(map(str, runner.batched))} have the rows (batched=)")
                    continue
            verdict.status, verdict.pattern, verdict.is_unfit = stopped.status, str(stopped), stopped.is_unfit
        verdict.reason = verdict.pattern
        return


class Runner:
    """Runs the kernel on variants of one set of inputs."""

    def __init__(self, question, timeout, seed, batched):
        self.question, self.timeout, self.batched = question, timeout, tuple(batched)
        self.process = KernelProcess.for_kernel(question.kernel)
        self.shipped = shipping.dumps((question.kernel, question.arguments, question.keywords))
        for index in self.batched:
            if not (0 <= index < len(question.specs)) or not question.specs[index].shape:
                raise ValueError(f"batched names input {index}; there are {len(question.specs)}, each with a first size")
        self.data = [self.fill(i, one, seed) for i, one in enumerate(question.given)]
        self.rows = question.specs[self.batched[0]].shape[0] if self.batched else 0

    def widens(self):
        """Takes all inputs with as many rows as the first of `batched` for such; False where no other input has."""
        others = tuple(i for i, spec in enumerate(self.question.specs) if self.batched and spec.shape and spec.shape[0] == self.rows)
        before, self.batched = self.batched, self.batched + tuple(i for i in others if i not in self.batched)
        return before != self.batched

    @staticmethod
    def fill(index, given, seed):
        if not isinstance(given, Spec):
            return numpy.array(arrays.host_bytes(given)).view(_stored(arrays.dtype_of(given))).reshape(arrays.shape_of(given))
        from ._assay import Judge, Program

        from .reference import identity_text

        filler = Judge(Program.parse(identity_text([given]), "inputs.mlir"), "dtype", 0, 1)
        data = filler.fill("normal", seed * 1000 + index)[0]
        return numpy.frombuffer(data, _stored(given.dtype)).reshape(given.shape)

    def run(self, data, at_end=True, held="marks"):
        """The results on these inputs, as arrays of raw elements."""
        question = self.question
        inputs = [Layout(f"in{i}", spec.dtype, one.shape) for i, (spec, one) in enumerate(zip(question.specs, data))]
        outputs = [Layout(f"out{i}", dtype, shape, is_output=True) for i, (dtype, shape) in enumerate(self.types(inputs, data))]
        self.start([*inputs, *outputs], False)
        self.process.place(at_end)
        self.write(data)
        self.process.fill_outputs(held)
        self.once()
        kinds = ((one.dtype, one.shape) for one in outputs)
        return [numpy.array(raw).view(_stored(dtype)).reshape(shape) for raw, (dtype, shape) in zip(self.process.outputs(), kinds)]

    def types(self, inputs, data):
        """Element types and sizes of the results, from an ordinary run."""
        if self.question.into:
            raise ValueError("the properties of a kernel that writes into given arrays need a reference for their sizes")
        self.start(inputs, True)
        self.process.place(True)
        self.write(data)
        found = json.loads(self.once())["outputs"]
        for one in found:
            if isinstance(one, str):
                raise Stopped("FAILED", f"the kernel returned {one}, expected arrays")
        return [(dtype, tuple(shape)) for dtype, shape in found]

    def start(self, layouts, discover):
        question = self.question
        ended, text = self.process.create(self.shipped, layouts, question.framework, question.device, False, True, discover=discover, chosen=question.choice)
        if ended == "invalid":
            raise ValueError(text)
        self.check(ended, text)

    def write(self, data):
        self.process.write_inputs([numpy.ascontiguousarray(one).reshape(-1).view(numpy.uint8) for one in data])

    def once(self):
        ended, text, _ = self.process.run(self.timeout)
        self.check(ended, text)
        return text

    @staticmethod
    def check(ended, text):
        if ended != "ok":
            raise Stopped({"crashed": "CRASHED", "timeout": "TIMEOUT"}.get(ended, "FAILED"), text, ended == "unsupported")

    def changed(self, change):
        """The inputs, the batched ones changed."""
        return [change(one, self.question.specs[i].dtype) if i in self.batched else one for i, one in enumerate(self.data)]


def same(first, second, what):
    """Raises Broken where bits differ."""
    from ._assay import pattern

    for i, (a, b) in enumerate(zip(first, second)):
        if a.shape != b.shape:
            raise Broken(f"out{i} has the shape {b.shape} {what}, and {a.shape} before")
        raw = (numpy.ascontiguousarray(one).reshape(-1).view(numpy.uint8).reshape(a.size, -1) for one in (a, b))
        wrong = numpy.flatnonzero(numpy.not_equal(*raw).any(axis=1)) if a.size else numpy.zeros(0, int)
        if wrong.size:
            where = pattern(list(a.shape), wrong.tolist()) if a.shape else "its element"
            raise Broken(f"{wrong.size} of {a.size} elements of out{i} have other bits {what}: {where}")


def deterministic(runner):
    first = runner.run(runner.data)
    for run in range(1, RUNS):
        same(first, runner.run(runner.data), f"in run {run + 1}")


def output_independent(runner):
    first = runner.run(runner.data)
    for held in CONTENTS[1:]:
        words = "zeros" if held == "zeros" else "finite numbers"
        same(first, runner.run(runner.data, held=held), f"when the output held {words}")


def alignment_independent(runner):
    same(runner.run(runner.data), runner.run(runner.data, at_end=False), "at other addresses")


def batch_invariant(runner):
    whole = runner.run(runner.data)
    for rows in {1, max(runner.rows // 2, 1)}:
        for start in {0, max(runner.rows - rows, 0)}:
            part = runner.run(runner.changed(lambda one, _: one[start : start + rows]))
            same([one[start : start + rows] for one in whole], part, f"in a batch of {rows} from row {start}")


def nan_local(runner):
    row = runner.rows // 2

    def others(results):
        return [numpy.delete(one, row, 0) for one in results]

    plain = others(runner.run(runner.data))
    for value, words in ((numpy.nan, "NaN"), (numpy.inf, "infinity")):

        def poisoned(one, dtype, value=value):
            if not dtype.startswith(("float", "bfloat")):
                return one
            one = numpy.array(one)
            one[row] = numpy.array(value).astype(numpy_dtype(dtype)).view(one.dtype)
            return one

        same(plain, others(runner.run(runner.changed(poisoned))), f"when row {row} holds {words}")


def permutation_equivariant(runner):
    order = numpy.arange(runner.rows)[::-1]
    turned = runner.run(runner.changed(lambda one, _: one[order]))
    same(runner.run(runner.data), [one[order] for one in turned], "when the rows come in reverse")


def scale_equivariant(runner):
    def scaled(one, dtype):
        if not dtype.startswith(("float", "bfloat")):
            return one
        kind = numpy_dtype(dtype)
        return (one.view(kind) * kind.type(8)).astype(kind).view(one.dtype)

    plain, large = runner.run(runner.data), runner.run(runner.changed(scaled))
    kinds = [one.dtype for one in runner.process.layouts if one.is_output]
    same([scaled(one, dtype) for one, dtype in zip(plain, kinds)], large, "when the inputs are 8 times as large")


def _stored(dtype):
    """A type of NumPy with the bits of one element."""
    return numpy.dtype({1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "V16"}[item_size(dtype)])


PROPERTIES = {
    function.__name__: function
    for function in (deterministic, output_independent, alignment_independent, batch_invariant, nan_local, permutation_equivariant, scale_equivariant)
}
