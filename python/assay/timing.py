"""`assay.time`: times kernels alternately, on fresh inputs, so that the timed runs are the judged ones.

    report = assay.time({"mine": my_matmul, "torch": torch.matmul}, assay.f32[512, 512], assay.f32[512, 512],
                        reference="matmul 512x512:512x512")
    print(report)        medians, ratios to the first kernel with intervals, and findings

Each kernel has its own worker process. Every run gets new numbers in its inputs and outputs full of NaN, with the
caches emptied; devices are synchronised. A run chosen at random, the last one, and every run whose output equals that of an
earlier one are judged. The time of a kernel for which something was found does not count.
"""
import json
import math
import random
import statistics

import numpy

from . import arrays, shipping
from .checking import Question, prepared
from .elements import Spec, item_size
from .kernel_process import CONTENTS, KernelProcess, Layout
from .words import amount, no_further, rule_named

NARROW = 0.05  # an interval of this width, as a share of the ratio, ends the timing
_fair = random.SystemRandom()


class Ratio:
    """How long a kernel takes as a multiple of the first one's time: median of the pairs and a 95 % interval."""

    def __init__(self, pairs):
        ordered = sorted(pairs)
        self.pairs, self.median = len(ordered), statistics.median(ordered)
        reach = int(0.98 * math.sqrt(len(ordered))) + 1  # ranks around the median: 1.96 deviations of a fair coin
        middle = len(ordered) // 2
        self.low, self.high = ordered[max(middle - reach, 0)], ordered[min(middle + reach, len(ordered) - 1)]

    @property
    def is_noisy(self):
        return self.high - self.low > NARROW * self.median

    def __repr__(self):
        return f"{self.median:.3f} [{self.low:.3f}, {self.high:.3f}]{' noisy' if self.is_noisy else ''}"


class TimingReport:
    """seconds: median by kernel; ratios: Ratio by kernel; findings by kernel; judged: runs judged."""

    def __init__(self, names):
        self.names, self.samples = names, {name: [] for name in names}
        self.findings, self.judged = {}, {name: 0 for name in names}

    @property
    def ok(self):
        return not self.findings

    def __bool__(self):
        return self.ok

    @property
    def seconds(self):
        return {name: statistics.median(one) for name, one in self.samples.items() if one}

    @property
    def ratios(self):
        first = self.samples[self.names[0]]
        return {name: Ratio([b / a for a, b in zip(first, self.samples[name])]) for name in self.names if self.samples[name]}

    def find(self, name, text):
        self.findings.setdefault(name, text)

    def __str__(self):
        rows = [("kernel", "median", "of the first", "judged", "")]
        ratios = self.ratios
        for name in self.names:
            time = f"{1e3 * self.seconds[name]:.4f} ms" if name in self.seconds else "-"
            rows.append((name, time, repr(ratios[name]) if name in ratios else "-", str(self.judged[name]), self._word(name)))
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)

    def _word(self, name):
        return f"DOES NOT COUNT: {self.findings[name]}" if name in self.findings else ""

    def to_json(self):
        ratios = {name: {"median": one.median, "low": one.low, "high": one.high, "pairs": one.pairs, "noisy": one.is_noisy} for name, one in self.ratios.items()}
        return json.dumps({"ok": self.ok, "seconds": self.seconds, "ratios": ratios, "findings": self.findings, "judged": self.judged, "samples": self.samples}, indent=1)


def time(kernels, *inputs, reference=None, pairs=30, max_pairs=100, seed=1, timeout=60.0, keywords=None, framework=None, device=None, rule="bound", **_further):
    """Times kernels alternately; the others are compared with the first.

    kernels            a callable, or a dictionary of callables by name
    reference, inputs  as for `assay.check`; given arrays are rolled by one element per run
    pairs, max_pairs   at least `pairs` runs of each; more until the intervals are narrow
    """
    no_further("assay.time", _further)
    if reference is None:
        raise TypeError("assay.time() needs reference=...: a time counts only where the results are right; the other arguments are inputs")
    named = dict(kernels) if isinstance(kernels, dict) else {getattr(kernels, "__name__", "kernel"): kernels}
    if not named or not all(map(callable, named.values())):
        raise ValueError("assay.time takes a callable, or a dictionary of callables by name")
    if not 2 <= pairs <= max_pairs:
        raise ValueError(f"pairs={pairs} and max_pairs={max_pairs}: at least 2, and no more than max_pairs")
    rule_named(rule)
    report = TimingReport(list(named))
    bench = Bench(named, inputs, keywords or {}, framework, device, reference, rule, timeout, report)
    chosen = {name: _fair.randrange(1, pairs) for name in named}
    done = 0
    while done < pairs or (done < max_pairs and any(one.is_noisy for one in report.ratios.values())):
        data = bench.data(seed + done, done)
        for name in list(named)[:: 1 if done % 2 else -1]:  # alternately, each as often first as last
            bench.run(name, data, must_judge=chosen[name] == done)
        done += 1
        if report.findings.keys() == named.keys():
            break
    bench.close(data)
    return report


class Bench:
    """The kernels in their processes, and the judge."""

    def __init__(self, kernels, inputs, keywords, framework, device, reference, rule, timeout, report):
        self.timeout, self.report, self.lanes = timeout, report, {}
        for name, kernel in kernels.items():
            question = Question(kernel, inputs, keywords, framework, device, reference=reference)
            self.expected, self.judge = prepared(reference, question, rule, 0, 0.0, "")
            if self.expected.program is None:
                raise ValueError(f"no timing without a program to judge by: {self.expected.weaker}")
            self.question = question
            self.lanes[name] = Lane(question, [Spec(dtype, shape) for dtype, shape in self.expected.outputs])

    def data(self, seed, turn):
        """Dense bytes of every argument of the program, new ones each time."""
        made = [numpy.frombuffer(one, numpy.uint8) for one in self.judge.fill("normal", seed)]
        for place, slot in enumerate(self.expected.slots):
            if not isinstance(slot, int):
                made[place] = slot
            elif not isinstance(self.question.given[slot], Spec):
                width = item_size(self.question.specs[slot].dtype)
                made[place] = numpy.roll(arrays.host_bytes(self.question.given[slot]).reshape(-1, width), turn, axis=0).reshape(-1)
        return made

    def run(self, name, data, must_judge):
        if name in self.report.findings:
            return
        lane = self.lanes[name]
        own = {slot: values for slot, values in zip(self.expected.slots, data) if isinstance(slot, int)}
        ended, text = lane.run([own[i] for i in range(len(own))], self.timeout)
        if ended != "ok":
            return self.report.find(name, text)
        facts = json.loads(text)
        self.report.samples[name].append(facts["seconds"])
        if facts["late"]:
            self.report.find(name, f"{facts['late']} changed after the call had returned")
        elif facts["threads_left"]:
            self.report.find(name, f"left {amount(facts['threads_left'], 'thread')} running")
        elif lane.repeats() or must_judge:
            self.judged(name, data)
        return None

    def judged(self, name, data):
        self.report.judged[name] += 1
        self.judge.prepare([one.ctypes.data for one in data])
        found = self.judge.judge([one.ctypes.data for one in self.lanes[name].last], "a timed run's")
        if found["status"] != "PASSED":
            wrong = next((row for row in found["results"] if row["status"] != "PASSED"), None)
            how = f": {wrong['name']}: {wrong['pattern']}" if wrong else ""
            self.report.find(name, f"a timed run is wrong ({found['reason']}{how})")

    def close(self, data):
        """Judges the last run of each kernel, and compares its output once more."""
        for name, lane in self.lanes.items():
            if name in self.report.findings:
                continue
            self.judged(name, data)
            own = {slot: values for slot, values in zip(self.expected.slots, data) if isinstance(slot, int)}
            ended, text = lane.run([own[i] for i in range(len(own))], self.timeout)
            late = json.loads(text)["late"] if ended == "ok" else None
            if late:
                self.report.find(name, f"{late} changed after the call had returned")
                continue
            ended, text = lane.process.watch_memory(self.timeout)
            if ended != "ok":
                self.report.find(name, text)
        self.judge.release()


class Lane:
    """One kernel in its own process."""

    def __init__(self, question, outputs):
        self.process = KernelProcess()
        self.layouts = [Layout(f"in{i}", spec.dtype, spec.shape) for i, spec in enumerate(question.specs)]
        self.layouts += [Layout(f"out{i}", spec.dtype, spec.shape, is_output=True) for i, spec in enumerate(outputs)]
        self.shipped = shipping.dumps((question.kernel, question.arguments, question.keywords))
        self.question, self.others = question, list(question.choice.others)
        self.start(question.framework)
        self.last, self.before, self.runs = None, None, 0

    def start(self, framework):
        ended, text = self.process.create(self.shipped, self.layouts, framework, self.question.device, timed=True, chosen=self.question.choice)
        if ended != "ok":
            raise ValueError(text)
        self.process.place(False)

    def run(self, inputs, timeout):
        self.process.write_inputs(inputs)
        self.process.fill_outputs(CONTENTS[self.runs % 2])
        self.runs += 1
        ended, text, _ = self.process.run(timeout, dirty=False)
        if ended == "unsupported" and self.others:  # the kernel cannot work on these arrays
            self.start(self.others.pop(0))
            return self.run(inputs, timeout)
        self.others = []
        self.before, self.last = self.last, [numpy.array(one) for one in self.process.outputs()]
        return ended, text

    def repeats(self):
        """Whether an output has the bits of the previous run, which had other inputs."""
        return self.before is not None and any(numpy.array_equal(a, b) for a, b in zip(self.before, self.last))
