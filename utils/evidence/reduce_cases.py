#!/usr/bin/env python3
"""Reduces faults of the example engine inside whole programs by `assay reduce`: a row per case.

usage: reduce_cases.py [--build DIR] [--only REGEX] [--twice] [--kills N] [--json FILE]

A case holds when the smallest test has at most 3 operations and 64 elements (in all inputs together), and `assay test`
fails on the faulty engine with it and passes without the fault. --twice makes each test again and compares the bytes;
--kills N kills N further runs of every tenth case (of all, with --only) at random moments, resumes each, and compares too.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "test" / "programs"
CASES = [
    *(("transformer_block", fault) for fault in (
        "drop_k", "double_k", "edge_m", "edge_n", "edge_k", "stale", "every_16th", "previous_row", "unwritten", "acc_bf16",
        "tf32", "f16", "wrong_batch", "segv", "fails", "garbage")),
    *(("transformer_block_gradients", fault) for fault in ("drop_k", "edge_n", "transposed", "acc_bf16")),
    *(("transformer_block_bf16", fault) for fault in ("edge_k", "truncate")),
    *(("cnn_gradients", fault) for fault in ("drop_k", "edge_m", "padding", "previous_row", "exit")),
    *(("resnet50_inference", fault) for fault in ("drop_k", "padding", "unwritten")),
    *(("gpt2_small_prefill", fault) for fault in ("drop_k", "every_16th")),
    *(("lstm_scan", fault) for fault in ("drop_k", "edge_n", "previous_row", "segv", "hang")),
    *(("mlp_train_step", fault) for fault in ("edge_m", "stale", "abort", "write_after")),
    ("convolution_kinds", "swapped_groups"),
    ("convolution_kinds", "padding"),
    ("batched_dot", "wrong_batch"),
]


def command(assay, engine, program, out, *more):
    words = [assay, "reduce", str(PROGRAMS / f"{program}.mlir"), "--engine", engine, "-o", str(out), "--timeout", "5",
             "--json", str(out) + ".json", "--quiet", *more]
    if not (PROGRAMS / f"{program}.npz").exists():
        words += ["--input", "random"]
    return words


def environment(fault):
    return {**os.environ, "ASSAY_EXAMPLE_FAULT": fault}


def reduced(words, fault):
    start = time.time()
    ran = subprocess.run(words, env=environment(fault), capture_output=True, text=True, timeout=600)
    return ran, time.time() - start


def same(a, b):
    return all(a.with_suffix(end).read_bytes() == b.with_suffix(end).read_bytes() for end in (".mlir", ".npz"))


def killed_and_resumed(words, fault, seconds, times, rng):
    for _ in range(times):
        process = subprocess.Popen(words, env=environment(fault), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=rng.uniform(0, seconds))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if "--resume" not in words:
            words = [*words, "--resume"]
    return reduced(words, fault)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--only", default="")
    parser.add_argument("--twice", action="store_true")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    assay = str(options.build / "bin" / "assay")
    engine = f"plugin:{options.build / 'lib' / 'libassay_example.so'}"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-reduce-"))
    rng, rows, small = random.Random(1), [], 0
    print(f"{'program':28} {'fault':14} {'ops':>4} {'elements':>8} {'trials':>6} {'seconds':>7}  verdict")
    cases = [case for case in CASES if re.search(options.only, " ".join(case))]
    for number, (program, fault) in enumerate(cases):
        out = folder / f"{number}.mlir"
        words = command(assay, engine, program, out)
        ran, seconds = reduced(words, fault)
        row = {"program": program, "fault": fault, "seconds": seconds, "ops": 0, "elements": 0, "trials": 0}
        problems = []
        if ran.returncode != 0:
            problems.append(f"exit {ran.returncode}: {ran.stderr.strip()[-100:]}")
        else:
            facts = json.loads(pathlib.Path(str(out) + ".json").read_text())
            row.update(ops=facts["tests"][0]["operations"], elements=facts["tests"][0]["elements"], trials=facts["trials"])
            test = [assay, "test", str(out), "--engine", engine, "--max-seconds", "2" if fault == "hang" else "30"]
            if subprocess.run(test, env=environment(fault), capture_output=True).returncode != 1:
                problems.append("passes with the fault")
            if subprocess.run(test, env=environment(""), capture_output=True).returncode != 0:
                problems.append("fails without it")
            if row["ops"] > 3 or row["elements"] > 64:
                problems.append("not small")
            if seconds > 60:
                problems.append("slow")
            if options.twice:
                again = folder / f"{number}_again.mlir"
                reduced(command(assay, engine, program, again), fault)
                for end in (".mlir", ".npz"):  # the text contains the name of its data
                    path = again.with_suffix(end)
                    path.write_bytes(path.read_bytes().replace(f"{number}_again.".encode(), f"{number}.".encode()))
                if not same(out, again):
                    problems.append("another result the second time")
            if options.kills and (options.only or number % 10 == 0):
                keep = folder / "kept"
                keep.mkdir(exist_ok=True)
                for end in (".mlir", ".npz"):
                    shutil.copy(out.with_suffix(end), keep / f"kept{end}")
                killed_and_resumed(words, fault, seconds, options.kills, rng)
                if not same(out, keep / "kept.mlir"):
                    problems.append("another result after kills")
        row["verdict"] = "; ".join(problems) or "ok"
        small += not problems
        rows.append(row)
        print(f"{program:28} {fault:14} {row['ops']:4} {row['elements']:8} {row['trials']:6} {seconds:7.1f}  {row['verdict']}", flush=True)
    print(f"reduce: {small} of {len(rows)} cases hold")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    shutil.rmtree(folder)
    return 0 if small == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
