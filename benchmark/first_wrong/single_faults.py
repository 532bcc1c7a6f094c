"""Tests whether `assay compare --first-wrong` names single faults of single operators, on fourteen kinds of models and other devices.

usage: ./dev bench first_wrong --single [--model NAME] [--faults N] [--full] [--json FILE]

Each model trains one step (loss and gradients) under PrecisionDebugger(dump_torch_api=True): once as the bench, once on each
other device without a fault (`none`, and no Fail by replay), and once for each fault on one of the devices. A fault is one
wrong kernel (wrong_kernels.py): of one operator inside a module, between modules, or in the backward pass, or of an operator
in all of its calls. It counts as named if the first line of the list is the call whose result was changed; for
a kernel that is wrong everywhere, if it is the first such call and the findings together cover the others.
Models marked "held out" had not run when the limits were chosen (but the operators that they use were known).
"""
import dataclasses
import importlib
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "examples" / "vit"), str(ROOT / "examples" / "models"), str(pathlib.Path(__file__).parent)]
import wrong_kernels  # noqa: E402

from assay.torch import PrecisionDebugger  # noqa: E402

FILE = "globalrank-0_localrank-0.h5"
HELD_OUT = ("diffusion", "llama", "vae", "audio", "clip", "mixer")
BATCHED = {"vit": {"images": (13, 9, 11, 15)}, "gpt": {"texts": 4, "tokens": 12}, "resnet": {"images": 4}}
MODELS = ("vit", "gpt", "resnet", "unet", "lstm", "encdec", "moe", *HELD_OUT, "graph")
# Operators that compute nothing, or that do not return a single tensor.
PASSIVE = "view permute transpose expand slice select unbind split detach alias clone copy _to_copy empty zero arange full ones scalar cat stack fill t. unsqueeze squeeze index_put unsafe_split split_with_sizes"


class Device:
    """Another machine on which the model runs."""

    def __init__(self, name, dtypes=None):
        self.name, self.dtypes = name, dtypes

    def flags(self):
        return ["--accumulation", "bf16"] if self.name == "bf16 sums" else []

    def replaced(self):
        names = ("aten.mm.default", "aten.addmm.default", "aten.bmm.default")
        return dict.fromkeys(names, wrong_kernels.bf16_sums) if self.name == "bf16 sums" else {}

    def prepare(self, model, inputs):
        if self.name == "channels_last":
            model = model.to(memory_format=torch.channels_last)
            inputs = [x.contiguous(memory_format=torch.channels_last) if x.dim() == 4 else x for x in inputs]
        return model, inputs

    def __enter__(self):
        self.threads, self.onednn = torch.get_num_threads(), torch.backends.mkldnn.flags(enabled=self.name != "oneDNN off")
        torch.set_num_threads(1 if self.name == "one thread" else self.threads)
        self.onednn.__enter__()

    def __exit__(self, *_):
        self.onednn.__exit__(None, None, None)
        torch.set_num_threads(self.threads)


def devices(model, inputs):
    yield Device("one thread")
    yield Device("oneDNN off")
    if any(p.dim() == 4 for p in model.parameters()):
        yield Device("channels_last")
    if any(p.dtype is torch.bfloat16 for p in model.parameters()):
        yield Device("bf16 sums")


def loss(output):
    outputs = [output] if isinstance(output, torch.Tensor) else output
    return sum(y.float().square().mean() for y in outputs)


class Subject:
    """A model with its bench recording."""

    def __init__(self, name, full, folder):
        self.module, self.folder = importlib.import_module(name), pathlib.Path(folder)
        config = self.module.FULL if full and hasattr(self.module, "FULL") else self.module.SMALL
        self.config = dataclasses.replace(config, **BATCHED.get(name, {})) if not full else config
        self.seen, _, self.forward = self.record("bench", Device("bench"))

    def record(self, name, device, **fault):
        """(recorded calls, numbers of the changed ones, how many of them are forward)."""
        model, inputs = self.module.build(self.config), self.module.inputs(self.config)
        model.requires_grad_(True)
        model, inputs = device.prepare(model, inputs)
        debugger = PrecisionDebugger(dump_path=str(self.folder / name), step=[1], model=model, dump_torch_api=True)
        with device, wrong_kernels.Kernels(debugger, replaced=device.replaced(), **fault) as kernels, debugger:
            value = loss(model(*inputs))
            forward = len(kernels.seen)
            value.backward()
        return kernels.seen, kernels.hit, forward

    def judge(self, device):
        words = ["assay", "compare", self.folder / "target" / FILE, self.folder / "bench" / FILE, "--first-wrong", *device.flags(), "--json", "-"]
        ran = subprocess.run(words, capture_output=True, text=True)
        if ran.returncode not in (0, 1):
            sys.exit(f"assay compare failed: {ran.stderr}")
        shutil.rmtree(self.folder / "target")
        return json.loads(ran.stdout)["first_wrong"]

    def devices(self):
        return list(devices(self.module.build(self.config), ()))

    def candidates(self, level):
        """The numbers of the calls that compute something, at a level."""
        def computes(number, name):
            base = name.removeprefix("aten.")
            return not any(base.startswith(word) for word in PASSIVE.split())

        for number, name, path, leaf in self.seen:
            if not computes(number, name):
                continue
            here = "backward" if number >= self.forward else "operator" if leaf else "between"
            if here == level:
                yield number, name


def plan(subject, count, seed):
    """[(level, operator, call or None for all, damage)]: levels and damages alternate, calls are drawn at random."""
    draw, hows = random.Random(seed), list(wrong_kernels.DAMAGE)
    draw.shuffle(hows)
    levels = ["operator", "between", "backward", "operator", "backward", "all"]
    faults = []
    for i in range(count):
        level = levels[i % len(levels)]
        found = list(subject.candidates("operator" if level == "all" else level)) or list(subject.candidates("operator"))
        number, name = draw.choice(found)
        faults.append((level, name, None if level == "all" else number, hows[i % len(hows)]))
    return faults


def is_named(result, hit):
    suspects = result["suspects"]
    if not suspects or not hit or suspects[0]["module"] != f"{hit[0]:05d}-aten":
        return False
    return len(hit) == 1 or sum(s["alike"] for s in suspects) >= 0.9 * len(hit)


def run_model(name, count, full, say=print):
    """[(model, device, level, operator, damage, holds, what was named)]."""
    rows = []
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        subject = Subject(name, full, folder)
        kinds = subject.devices()
        for device in kinds:
            subject.record("target", device)
            named = subject.judge(device)
            rows.append((name, device.name, "no fault", "", "", named["first_wrong"] is None, named["first_wrong"] or "none"))
            say(rows[-1], *(s["reason"] for s in named["suspects"][:2]))
        for i, (level, operator, number, how) in enumerate(plan(subject, count, name)):
            device = ([Device("same")] + kinds)[i % (len(kinds) + 1)]
            wrong = (lambda n, op: op == operator) if number is None else (lambda n, op: n == number)
            _, hit, _ = subject.record("target", device, wrong=wrong, how=how, at=17 * i + 5)
            named = subject.judge(device)
            if not hit:
                say((name, device.name, level, operator, how, "changes nothing: left out"))
                continue
            rows.append((name, device.name, level, operator, how, is_named(named, hit), named["first_wrong"] or "none"))
            say(rows[-1], "" if rows[-1][5] else f"expected {hit[0]:05d}-aten of {len(hit)}; {named['suspects'][:2]}")
    return rows


def main(options):
    rows = []
    for name in MODELS:
        if options.model in (None, name):
            rows += run_model(name, options.faults, options.full, lambda *words: print(*words, flush=True))
    print(f"\n{'model':10} {'held out':8} {'pairs without fault':>20} {'faults named first':>20}")
    for name in MODELS:
        mine = [row for row in rows if row[0] == name]
        clean, faulty = [r[5] for r in mine if r[2] == "no fault"], [r[5] for r in mine if r[2] != "no fault"]
        if mine:
            print(f"{name:10} {'yes' if name in HELD_OUT else 'no':8} {f'{sum(clean)} of {len(clean)} none':>20} {f'{sum(faulty)} of {len(faulty)}':>20}")
    right = sum(row[5] for row in rows)
    print(f"bench first_wrong --single: {right} of {len(rows)} hold")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
    return 0 if right == len(rows) else 1
