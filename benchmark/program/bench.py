"""Whole programs in the native engine beside XLA's CPU compiler.

usage: ./dev bench program [--json FILE] [--only=NAME] [--rounds=N]

Each program (models.py) is exported by JAX and run by both on the same inputs, on one thread and on two. A child process
per number of threads is bound to that many cores; in it XLA's calls and ours (`assay run --repeat`, which keeps its plan,
its kernels and its packed weights as XLA keeps its compiled program) take turns, eight calls each a round; a sample is the
median of a round. XLA gets its arguments as arrays of its own, ours are read from a file before the clock starts. Our result is judged against XLA's by the rule `dtype` before anything is timed. The limit is the machine's measured rate
of f32 multiply-adds on that many threads (`assay doctor`).
"""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def child(arguments):
    threads = arguments.child
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    os.environ["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen={str(threads > 1).lower()} intra_op_parallelism_threads={threads}"
    import jax
    import numpy as np
    from models import MODELS

    function, inputs, flops = MODELS[arguments.only]()
    inputs = jax.tree_util.tree_map(jax.device_put, inputs)
    compiled = jax.jit(function).lower(*inputs)
    kept = sorted(compiled._lowering.compile_args["kept_var_idx"])
    text, compiled = compiled.as_text(), compiled.compile()
    results = jax.tree_util.tree_leaves(compiled(*inputs))
    with tempfile.TemporaryDirectory() as folder:
        program, data = os.path.join(folder, "program.mlir"), os.path.join(folder, "data.npz")
        with open(program, "w") as file:
            file.write(text)
        flat = jax.tree_util.tree_leaves(inputs)
        np.savez(data, **{f"out{i}": np.asarray(result) for i, result in enumerate(results)},
                 **{f"in{i}": np.asarray(flat[k]) for i, k in enumerate(kept)})
        base = ["assay", "run", program, "--engine", "native", "--input", data, "--threads", str(threads)]
        judged = subprocess.run(base + ["--expect", data], capture_output=True, text=True)
        if judged.returncode != 0:
            sys.exit(f"the results differ:\n{judged.stdout}{judged.stderr}")
        rounds = []
        for _ in range(arguments.rounds):
            out = subprocess.run(base + ["--repeat", "8"], capture_output=True, text=True, check=True).stdout
            rounds.append((float(re.search(r"time: .* median ([0-9.]+) ms", out).group(1)), median_ms(lambda: jax.block_until_ready(compiled(*inputs)))))
    print(json.dumps(dict(rounds=rounds, flops=flops)))


def median_ms(call):
    """Of eight calls, after one that counts nothing: it finds its data in the caches as ours does."""
    call()
    times = []
    for _ in range(8):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description="Whole programs beside XLA's CPU compiler.")
    parser.add_argument("--json")
    parser.add_argument("--only")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    arguments, _ = parser.parse_known_args()
    from models import MODELS
    if arguments.child:
        return child(arguments)
    import samples
    names = [arguments.only] if arguments.only else list(MODELS)
    rows, ratios, shares = [], [], []
    print(f"{'program':26} {'threads':>7} {'XLA ms':>9} {'ours ms':>9} {'of limit':>9}   ratio")
    for name in names:
        for threads in [1, 2] if len(os.sched_getaffinity(0)) > 1 else [1]:
            command = [sys.executable, __file__, "--child", str(threads), "--only", name, "--rounds", str(arguments.rounds)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"bench program: {name} on {threads} threads: {done.stderr}")
            row = json.loads(done.stdout.splitlines()[-1])
            ms = samples.Samples("XLA")
            for ours, theirs in row["rounds"]:
                ms.add(ours, XLA=theirs)
            peak, ratio = samples.peak_gflops(threads), ms.against("XLA")
            share = row["flops"] / ms.least() * 1e-6 / peak if peak else math.nan
            ratios.append(ratio.median)
            shares.append(share)
            rows.append(dict(program=name, threads=threads, share=share, ms=ms.json()))
            print(f"{name:26} {threads:7} {ms.least('XLA'):9.1f} {ms.least():9.1f} {100 * share:8.0f}%   {ratio}", flush=True)
    samples.closing("program", "XLA", ratios, sum(shares) / len(shares))
    samples.write(arguments.json, "program", rows)


if __name__ == "__main__":
    main()
