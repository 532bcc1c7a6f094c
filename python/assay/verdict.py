"""The result of assay.check: a truth value, a table of outputs, the worst points, the pattern as text, a way to repeat it."""
import json
import shlex
import sys

from . import kept
from .elements import Spec
from .frameworks import TITLES

POINTS = 5


class CheckFailed(AssertionError):
    """Raised by Verdict.raise_for_status(); `verdict` is the verdict."""

    def __init__(self, verdict):
        super().__init__(str(verdict))
        self.verdict = verdict


class Output:
    """One output on one kind of data."""

    def __init__(self, spec, data, found):
        self.name, self.spec, self.data = found["name"], spec, data
        self.status, self.measure, self.pattern = found["status"], found["measure"], found["pattern"]
        self.elements, self.failures, self.undecided = found["elements"], found["failures"], found["undecided"]
        self.worst_fraction, self.worst = found["worst_fraction"], found["worst"]

    def to_json(self):
        facts = dict(vars(self), type=repr(self.spec), shape=list(self.spec.shape))
        del facts["spec"]
        return facts


class Verdict:
    """True when every output on every kind of data is right.

    status     PASSED, FAILED, MISTRUSTED (the data cannot tell right from wrong), CRASHED, TIMEOUT
    reason     one line, empty when it passed
    outputs    Output per output and kind of data
    pattern    where the wrong elements are, or how the kernel failed, as text
    notes      how it was judged, and the kernel's output
    """

    def __init__(self, name, judge):
        self.name, self.judge = name, judge
        self.status, self.reason, self.pattern = "PASSED", "", ""
        self.outputs, self.notes, self.printed = [], [], ""
        self.seconds = {}
        self.is_unfit = False  # the kernel could not work on the arrays that it got
        self.is_mistyped = False  # a result had another type
        self._evidence, self._folder = None, None

    @property
    def ok(self):
        return self.status == "PASSED"

    def __bool__(self):
        return self.ok

    def told_arrays(self, choice, framework, refused):
        """Notes which arrays the kernel got, and why, if that may matter: after a failure, or if more than one framework was tried."""
        given, choices = f"the kernel was given {TITLES[framework]} arrays", "framework= chooses among numpy, torch, jax"
        if framework != choice.framework:
            self.notes.append(f"{given}, as it cannot work on {TITLES[choice.framework]} ({choice.why}): {refused[0][1]}; {choices}")
        elif not self.ok:
            note = f"{given} ({choice.why}); {choices}"
            others = [f"on {TITLES[name]} it {why}" for name, why in refused[1:]]
            if self.is_unfit:
                self.reason += f"; {note}"
                self.notes += ["; ".join(others)] if others else []
            else:
                self.notes.append("; ".join([note, *others]))

    @property
    def worst(self):
        """The worst points of the first output that is wrong."""
        return next((output.worst for output in self.outputs if output.status != "PASSED"), [])

    def raise_for_status(self):
        """Raises CheckFailed (an AssertionError) unless it passed; returns the verdict."""
        if not self.ok:
            raise CheckFailed(self)
        return self

    @property
    def repro(self):
        """A command that runs the kernel again on the same data; its folder is written at the first use."""
        if self._evidence is None:
            return ""
        if self._folder is None:
            self._folder = kept.folder("check-")
            self._evidence.save(self._folder)
        return shlex.join([sys.executable, str(self._folder / "repro.py")])

    def __str__(self):
        lines = [f"assay.check {self.name}: {self.status}{f' ({self.reason})' if self.reason else ''}"]
        lines += _table(self.outputs)
        if self.pattern and self.pattern not in self.reason:
            lines.append(f"pattern: {self.pattern}")
        for output in self.outputs:
            if output.status != "PASSED":
                lines += [_point(point) for point in output.worst[:POINTS]]
        lines += [note for note in self.notes if note not in self.reason]
        if self.printed:
            lines += ["printed by the kernel:", *("  " + line for line in self.printed.splitlines())]
        if not self.ok and self.repro:
            lines.append(f"repro: {self.repro}")
        return "\n".join(lines)

    def __repr__(self):
        return f"<assay.Verdict {self.name}: {self.status}{f' ({self.reason})' if self.reason else ''}>"

    def to_json(self):
        """The same facts as a JSON text."""
        facts = {key: getattr(self, key) for key in ("name", "status", "reason", "pattern", "judge", "notes", "printed", "seconds")}
        facts.update(ok=self.ok, outputs=[output.to_json() for output in self.outputs], repro="" if self.ok else self.repro)
        return json.dumps(_plain(facts), indent=1)


def _worst(outputs):
    """The worst of several tensors of one kind of data that were judged by the same measure."""
    kept = {}
    for output in outputs:
        like = output.name, output.data, output.measure, output.status
        if like not in kept or (output.failures, output.worst_fraction or 0) > (kept[like].failures, kept[like].worst_fraction or 0):
            kept[like] = output
    return kept.values()


def _table(outputs):
    rows = [("output", "type", "data", "wrong", "of", "error/bound", "judged by", "verdict")]
    for output in _worst(outputs):
        rows.append((output.name, repr(output.spec), output.data, str(output.failures), str(output.elements), _share(output.worst_fraction), output.measure, output.status))
    if len(rows) == 1:
        return []
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def _share(fraction):
    """An error as a share of its bound; an error beyond the bound never reads as 1."""
    text = f"{fraction:.3g}" if fraction else "-"
    return ">1" if text == "1" and fraction > 1 else text


def _point(point):
    index = "[" + ":".join(map(str, point["index"])) + "]"
    got, expected, bound = point["got"], point["expected"], point["bound"]
    return f"  {index:<16} expected {_number(expected)} got {_number(got)} error {_number(point['error'])} bound {_number(bound)}"


def _number(value):
    return value if isinstance(value, str) else f"{value:.9g}"


def _plain(value):
    """JSON has no infinities and NaNs: they are text."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return repr(value) if isinstance(value, Spec) else value
