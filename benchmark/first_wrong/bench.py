"""Tests whether `assay compare --first-wrong` names the faulty module, on models of full size, and how long it takes.

usage: ./dev bench first_wrong [--model NAME] [--fault NAME] [--small] [--seeds N] [--json FILE]
       ./dev bench first_wrong --single [--model NAME] [--faults N] [--full] [--json FILE]      (single_faults.py)
       ./dev bench first_wrong --drawn [--seed N] [--models N] [--only NAME] [--json FILE]      (drawn.py)

Models: the vision transformer of examples/vit (27 blocks, width 1152, fp16, 260 tokens), the language model and the residual network of
examples/models. Each is recorded once unmodified (bench). Then it is recorded as another device would run it (the last bit of 15 % of
the elements of every leaf's output flipped): without a fault, N times with other bits (no Fail, `first wrong: none`), and once with
each of its faults, which must be named first. The recordings are written to memory (/dev/shm) and deleted after they are judged.
"""
import argparse
import copy
import importlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "examples" / "vit"), str(ROOT / "examples" / "models")]
import drawn  # noqa: E402
import faults as vit_faults  # noqa: E402
import vit  # noqa: E402

from assay.torch import PrecisionDebugger  # noqa: E402

FILE = "globalrank-0_localrank-0.h5"


def models(small):
    yield "vit", vit, vit.SMALL if small else vit.VitConfig(), vit_faults.FAULTS
    for name in ("gpt", "resnet"):
        module = importlib.import_module(name)
        yield name, module, module.SMALL if small else module.FULL, module.FAULTS


def record(folder, model, inputs):
    with torch.no_grad(), PrecisionDebugger(dump_path=str(folder), step=[1], model=model):
        model(*inputs)
    return folder / FILE


def judge(target, bench):
    begin = time.perf_counter()
    ran = subprocess.run(["assay", "compare", target, bench, "--first-wrong", "--json", "-"], capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    if ran.returncode not in (0, 1):
        sys.exit(f"assay compare failed: {ran.stderr}")
    result = json.loads(ran.stdout)
    return result, result["first_wrong"], seconds


def run_case(model, inputs, folder, bench, fault, change, seed):
    """(named, expected, Fails, seconds of recording, seconds of judging, evidence, margin)."""
    begin = time.perf_counter()
    target = copy.deepcopy(model)
    expected = "none"
    if fault:
        expected, inject = change
        inject(target.get_submodule(expected))
    vit_faults.other_rounding(target, seed=seed)
    path = record(folder / "target", target, inputs)
    recording = time.perf_counter() - begin
    result, first, judging = judge(path, bench)
    shutil.rmtree(folder / "target")
    top = first["suspects"][0] if first["suspects"] else None
    failed = result["failed"]
    margin = first["largest_growth"] if top is None else top["score"]
    return first["first_wrong"] or "none", expected, failed, recording, judging, top["evidence"] if top else "", margin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model")
    parser.add_argument("--fault")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--json")
    parser.add_argument("--single", action="store_true", help="single wrong kernels in fourteen models, on other devices")
    parser.add_argument("--faults", type=int, help="of --single (24) and --drawn (8): faults for each model")
    parser.add_argument("--full", action="store_true", help="of --single: models of full size")
    parser.add_argument("--drawn", action="store_true", help="models, faults and differences drawn by --seed from lists, in both modes")
    drawn.add_options(parser)
    options = parser.parse_args()
    options.faults = options.faults or (8 if options.drawn else 24)
    if options.drawn:
        return drawn.main(options)
    if options.single:
        import single_faults

        return single_faults.main(options)
    rows, right, total = [], 0, 0
    for name, module, config, faults in models(options.small):
        if options.model not in (None, name):
            continue
        folder = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm"))
        try:
            model, inputs = module.build(config), module.inputs(config)
            bench = record(folder / "bench", model, inputs)
            cases = [(None, None, 2 + i) for i in range(options.seeds)] + [(f, faults[f], 2) for f in faults]
            for fault, change, seed in cases:
                if options.fault not in (None, fault):
                    continue
                row = run_case(model, inputs, folder, bench, fault, change, seed)
                named, expected, failed, recording, judging, evidence, margin = row
                holds = named == expected and (fault is not None or failed == 0)
                right, total = right + holds, total + 1
                rows.append([name, fault, *row])
                print(f"{name:7} {fault or f'rounding, seed {seed}':26} {'named' if holds else 'WRONG':6} {named:24} "
                      f"{evidence:10} growth {margin:8.3g} of limit, {failed:4} Fail; recorded {recording:4.1f} s, "
                      f"judged {judging:4.1f} s" + ("" if holds else f"; expected {expected}"), flush=True)
        finally:
            shutil.rmtree(folder)
    slowest = max(row[6] for row in rows) if rows else 0
    print(f"bench first_wrong: {right} of {total} cases named right; slowest judgement {slowest:.1f} s")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
    return 0 if right == total else 1


if __name__ == "__main__":
    sys.exit(main())
