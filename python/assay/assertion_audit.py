"""`pytest --assay-audit`: repeats every numeric assertion that a suite reaches, and that holds, on wrong outputs
(the C++ judge makes them from the expected one). The suite's own outcome does not change.

An assertion is a place in a file. It cannot fail if all its calls accept every wrong output (except a NaN); it is weak
if some fault is accepted in every call.
"""
import functools
import importlib.util
import pathlib
import sys
import threading

from . import arrays
from .auditing import accepted
from .elements import count

# module, function: (actual, expected, ...) in this order.
WRAPPED = [
    ("numpy.testing", "assert_allclose"),
    ("numpy.testing", "assert_array_almost_equal"),
    ("numpy.testing", "assert_array_equal"),
    ("numpy", "allclose"),
    ("numpy", "array_equal"),
    ("torch.testing", "assert_close"),
    ("torch", "allclose"),
    ("torch", "equal"),
    ("jax.numpy", "allclose"),
    ("jax.numpy", "array_equal"),
]
AT_MOST = 1 << 20  # elements: larger calls are counted, not repeated


class Assertion:
    def __init__(self, place, function):
        self.place, self.function = place, function
        self.calls, self.tried, self.passed = 0, {}, {}

    def add(self, answers):
        self.calls += 1
        for name, answer in answers.items():
            self.tried[name] = self.tried.get(name, 0) + 1
            self.passed[name] = self.passed.get(name, 0) + answer

    @property
    def unseen(self):
        """Faults that no call rejects."""
        return [name for name, count in self.tried.items() if self.passed[name] == count]

    @property
    def cannot_fail(self):
        """Whether no call rejects a wrong number; it may reject a NaN."""
        return bool(self.tried) and set(self.tried) - {"nan_element"} <= set(self.unseen)


class AssertionAudit:
    def __init__(self):
        self.assertions, self.originals, self.skipped = {}, [], 0
        self.busy = threading.local()

    def install(self):
        """Replaces the functions by wrappers; modules that are not installed are skipped."""
        for module_name, name in WRAPPED:
            if importlib.util.find_spec(module_name.split(".")[0]) is None:
                continue
            module = importlib.import_module(module_name)
            original = getattr(module, name, None)
            if original is not None:
                self.originals.append((module, name, original))
                setattr(module, name, self.wrap(original, f"{module_name}.{name}"))

    def remove(self):
        for module, name, original in self.originals:
            setattr(module, name, original)
        self.originals = []

    def wrap(self, original, title):
        @functools.wraps(original)
        def wrapped(*values, **keywords):
            answer = original(*values, **keywords)  # raises as without the wrapper
            if not getattr(self.busy, "now", False) and (answer is None or bool(answer)):
                self.busy.now = True
                try:
                    self.ask(original, title, values, keywords, sys._getframe(1))
                finally:
                    self.busy.now = False
            return answer

        return wrapped

    def ask(self, original, title, values, keywords, frame):
        """Repeats the call on wrong outputs; counts calls that cannot be repeated."""
        names = ("actual", "desired", "expected", "input", "other", "a", "b", "x", "y", "a1", "a2")
        named = [key for key in names if key in keywords]
        pair = (list(values) + [keywords[key] for key in named])[:2]
        place = f"{_short(frame.f_code.co_filename)}:{frame.f_lineno}"
        try:
            answers = self.answers(original, pair, values, keywords, named)
        except (TypeError, ValueError, RuntimeError, ImportError, MemoryError):
            answers = None
        if not answers:
            self.skipped += 1
            return
        self.assertions.setdefault((place, title), Assertion(place, title)).add(answers)

    def answers(self, original, pair, values, keywords, named):
        actual, expected = (self.array(one) for one in pair)
        kind = arrays.framework_of(pair[0]) or "numpy"
        if arrays.shape_of(actual) != arrays.shape_of(expected):
            expected = actual  # one of them is broadcast
        if count(arrays.shape_of(expected)) > AT_MOST:
            return None
        from ._assay import wrong_outputs

        data = arrays.host_bytes(expected)
        answers = {}
        for name, got, due in wrong_outputs(arrays.dtype_of(expected), list(arrays.shape_of(expected)), data.ctypes.data):
            if name == "nan_swallowed":  # needs an expected value other than the test's
                continue
            wrong = arrays.of_bytes(got[2], got[0], got[1], kind)
            if values:
                answers[name] = accepted(original, wrong, *values[1:], **keywords)
            else:
                answers[name] = accepted(original, **{**keywords, named[0]: wrong})
        return answers

    @staticmethod
    def array(value):
        import numpy

        return value if arrays.framework_of(value) == "torch" else numpy.asarray(value)

    def report(self):
        """The closing table, then one line."""
        found = sorted(self.assertions.values(), key=lambda one: (not one.cannot_fail, -len(one.unseen), one.place))
        weak = [one for one in found if one.unseen]
        lines = []
        if weak:
            wide = max(len(one.place) for one in weak)
            for one in weak:
                what = "CANNOT FAIL for any number" if one.cannot_fail else f"lets pass: {', '.join(one.unseen)}"
                lines.append(f"{one.place:<{wide}}  {one.function}  {one.calls} calls  {len(one.unseen)} of {len(one.tried)} faults accepted  {what}")
        stuck = sum(one.cannot_fail for one in found)
        others = f", {self.skipped} calls not audited" if self.skipped else ""
        lines.append(f"assay audit: {len(found)} assertions, {stuck} cannot fail, {len(weak) - stuck} let some fault pass{others}")
        return lines


def _short(path):
    try:
        return str(pathlib.Path(path).relative_to(pathlib.Path.cwd()))
    except ValueError:
        return path
