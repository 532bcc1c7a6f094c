"""Measures the cost of recording: an eager step of the vision transformer without and with PrecisionDebugger, alternately.

usage: ./dev bench record [--blocks N] [--rounds N] [--json FILE]

Two cases: one recorded step, and three in a row whose parameters do not change. The dump is written to memory (/dev/shm), so that the
disk does not matter. A step is the model's own call. The work of recording outside of it is listed separately: start() prepares
copies of the parameters, stop() waits until the file is complete and writes its summary. `--blocks N` of full width (default
4); the limit is the step without hooks. The spread of the step without hooks shows rounds that another program disturbed.
A third case only watches: triggers for NaN and for a jump of an observed value, without recording; step() is part of its step.
"""
import argparse
import dataclasses
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "vit"))
import vit  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import samples  # noqa: E402

from assay.torch import PrecisionDebugger  # noqa: E402


def clock():
    return time.perf_counter(), time.process_time()


def paired(name, plain, recorded, **more):
    """A case in the form of the kept runs: the step with hooks is ours, the one without is the peer."""
    both = samples.Samples("without hooks")
    for ours, theirs in zip(recorded, plain):
        both.add(ours, **{"without hooks": theirs})
    return {"case": name, "s": both.json(), **more}


class Case:
    """Per round, `steps` recorded steps in one file, and as many plain ones."""

    def __init__(self, steps):
        self.steps = steps
        self.samples = {name: [] for name in ("plain", "recorded", "start", "between", "stop", "plain_cpu", "recorded_cpu")}
        self.file_bytes = 0

    def _add(self, name, begin, end, cpu=None):
        self.samples[name].append(end[0] - begin[0])
        if cpu:
            self.samples[cpu].append(end[1] - begin[1])

    def round(self, model, inputs, folder):
        for _ in range(self.steps):
            begin = clock()
            model(*inputs)
            self._add("plain", begin, clock(), "plain_cpu")
        debugger = PrecisionDebugger(dump_path=str(folder), step=list(range(1, self.steps + 1)), model=model)
        begin = clock()
        debugger.start()
        self._add("start", begin, clock())
        for step in range(self.steps):
            if step > 0:
                begin = clock()
                debugger.step()
                self._add("between", begin, clock())
            begin = clock()
            model(*inputs)
            self._add("recorded", begin, clock(), "recorded_cpu")
        begin = clock()
        debugger.stop()
        self._add("stop", begin, clock())
        self.file_bytes = sum(path.stat().st_size for path in folder.glob("*.h5"))
        shutil.rmtree(folder)

    def report(self):
        middle = {name: statistics.median(times) * 1e3 for name, times in self.samples.items() if times}
        plain, recorded = middle["plain"], middle["recorded"]
        ratio = samples.Ratio([with_hooks / without for without, with_hooks in zip(self.samples["plain"], self.samples["recorded"])])
        between = f", between steps {middle['between']:.1f}" if "between" in middle else ""
        print(
            f"{self.steps} step{'s' * (self.steps > 1)}: without hooks {plain:.1f} ms "
            f"({min(self.samples['plain']) * 1e3:.1f} to {max(self.samples['plain']) * 1e3:.1f}), with hooks {recorded:.1f} ms: "
            f"{100 * (ratio.median - 1):+.1f} % [{100 * (ratio.low - 1):+.1f}, {100 * (ratio.high - 1):+.1f}]; processor time {100 * (middle['recorded_cpu'] / middle['plain_cpu'] - 1):+.1f} %"
        )
        print(
            f"  outside of the step: start {middle['start']:.1f} ms{between}, stop {middle['stop']:.1f} ms; "
            f"file {self.file_bytes / 1e6:.0f} MB"
        )
        return 1 / ratio.median

    def json(self):
        times = {f"{name}_s": some for name, some in self.samples.items() if some and name not in ("plain", "recorded")}
        return paired(f"{self.steps} recorded step{'s' * (self.steps > 1)}", self.samples["plain"], self.samples["recorded"], **times)


class Triggers:
    """Steps that triggers watch, and as many plain ones, alternately."""

    def __init__(self, pairs):
        self.pairs, self.samples = pairs, {name: [] for name in ("plain", "watched", "plain_cpu", "watched_cpu")}

    def round(self, model, inputs, folder):
        debugger = PrecisionDebugger(dump_path=str(folder), model=model, triggers=["nan", "jump"])
        for pair in range(2 * self.pairs):
            watched = pair % 2 == 1
            if pair == 0:
                debugger.start()
                debugger.pause()
            if watched:
                debugger.resume()
            begin = clock()
            result = model(*inputs)
            if watched:
                debugger.observe(loss=result.flatten()[0] if isinstance(result, torch.Tensor) else 0.0)
                debugger.step()
            end = clock()
            if watched:
                debugger.pause()
            name = "watched" if watched else "plain"
            self.samples[name].append(end[0] - begin[0])
            self.samples[f"{name}_cpu"].append(end[1] - begin[1])
        debugger.stop()

    def report(self):
        plain, watched = (statistics.median(self.samples[name]) * 1e3 for name in ("plain", "watched"))
        ratio = self._paired("")
        print(
            f"triggers alone: without {plain:.1f} ms, with {watched:.1f} ms; {100 * (ratio.median - 1):+.1f} % "
            f"[{100 * (ratio.low - 1):+.1f}, {100 * (ratio.high - 1):+.1f}] of {ratio.pairs} pairs, "
            f"processor time {100 * (self._paired('_cpu').median - 1):+.1f} %"
        )

    def json(self):
        return paired("triggers alone", self.samples["plain"], self.samples["watched"])

    def _paired(self, kind):
        return samples.Ratio([watched / plain for watched, plain in zip(self.samples[f"watched{kind}"], self.samples[f"plain{kind}"])])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    options = parser.parse_args()
    config = dataclasses.replace(vit.VitConfig(), blocks=options.blocks)
    model, inputs = vit.build(config), vit.inputs(config)
    folder = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm"))
    cases, triggers = [Case(1), Case(3)], Triggers(5)
    with torch.no_grad():
        model(*inputs)
        for number in range(options.rounds):
            for case in cases:
                case.round(model, inputs, folder / f"{case.steps}-{number}")
            triggers.round(model, inputs, folder / f"triggers-{number}")
    shutil.rmtree(folder)
    ratios = [case.report() for case in cases]
    triggers.report()
    samples.closing("record", "eager PyTorch", ratios, statistics.geometric_mean(ratios))
    samples.write(options.json, "record", [case.json() for case in cases] + [triggers.json()])


if __name__ == "__main__":
    main()
