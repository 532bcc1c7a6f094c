"""The triggers of PrecisionDebugger(triggers=...): at the end of a step each returns why it fires, or None.

A trigger may have `output(name, tensor)`, called with the model's outputs, and `tensor(step, name, content)`, called with every
tensor that is recorded. `step(observed)` gets the values passed to observe() since the last step, as floats, and returns the
reason to fire, or None.
"""
import collections
import fnmatch
import math
import pathlib
import statistics

import torch


class NotFinite:
    """Fires on a NaN or Inf in the model's outputs or in an observed value; with `modules` (patterns of paths; "*" for all) also
    in the outputs of those modules, which costs a pass over each."""

    def __init__(self, modules=()):
        self.modules = [modules] if isinstance(modules, str) else list(modules)
        self._found = None

    def output(self, name, tensor):
        if self._found is None and _countable(tensor) and not bool(torch.isfinite(tensor).all()):
            self._found = f"'{name}' has a NaN or Inf"

    def step(self, observed):
        for name, value in observed.items():
            if self._found is None and not math.isfinite(value):
                self._found = f"{name} is {value}"
        found, self._found = self._found, None
        return found


class Jump:
    """Fires on an observed value that differs from the median of the last `window` ones by more than `factor` times their usual
    distance from it."""

    def __init__(self, name="loss", factor=10.0, window=32, least=8):
        self.name, self.factor, self.least = name, factor, least
        self._last = collections.deque(maxlen=window)

    def step(self, observed):
        value = observed.get(self.name)
        if value is None:
            return None
        why = self._judge(value) if len(self._last) >= self.least else None
        if why is None:
            self._last.append(value)
        return why

    def _judge(self, value):
        middle = statistics.median(self._last)
        usual = max(statistics.median(abs(x - middle) for x in self._last), 1e-3 * abs(middle))
        if abs(value - middle) <= self.factor * usual:
            return None
        return f"{self.name} jumps to {value:.6g}; the {len(self._last)} steps before it stay around {middle:.6g}"


class Against:
    """Fires on a recorded tensor that breaks `rule` (any of docs/rules.md) against a stored dump's tensor of the same step and
    name."""

    def __init__(self, bench, rule="dtype", names="*.forward_output.*"):
        from .. import _assay

        self.bench, self.names = pathlib.Path(bench), names
        self._stored = _assay.StoredBench(str(self.bench), rule)
        self._found, self._seen = None, 0

    def tensor(self, step, name, content):
        path = f"/{step}/{name}"
        if self._found is not None or not fnmatch.fnmatchcase(name, self.names) or path not in self._stored:
            return
        _, address, dtype, shape, _ = content
        self._seen += 1
        why = self._stored.judge(path, dtype, list(shape), address)
        if why:
            self._found = f"'{name}' beside {self.bench.name}: {why}"

    def step(self, observed):
        found, self._found = self._found, None
        return found

    def unused(self):
        return None if self._seen else f"{self.bench} has none of the recorded tensors under '{self.names}'"


def triggers_of(given):
    """A list of triggers; "nan" and "jump" stand for triggers with default settings."""
    known = {"nan": NotFinite, "jump": Jump}
    result = []
    for item in [given] if isinstance(given, str) or hasattr(given, "step") else given or []:
        if isinstance(item, str) and item not in known:
            raise ValueError(f"trigger {item!r}, expected \"nan\", \"jump\" or an object of assay.torch.triggers")
        item = known[item]() if isinstance(item, str) else item
        if not callable(getattr(item, "step", None)):
            raise TypeError(f"trigger {item!r} has no step(observed)")
        result.append(item)
    return result


def _countable(tensor):
    return (tensor.is_floating_point() or tensor.is_complex()) and tensor.device.type != "meta" and tensor.layout is torch.strided
