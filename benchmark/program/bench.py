"""Whole programs in the native engine beside XLA's CPU compiler.

usage: ./dev bench program [--json FILE] [--only=NAME] [--rounds=N]

Each program (models.py) is exported by JAX and run by both on the same inputs, on one thread and on two. A child process
per number of threads is bound to that many cores; in it XLA's calls and ours (`assay run --repeat`, which keeps its plan,
its kernels and its packed weights as XLA keeps its compiled program) take turns, and each side counts its smallest time.
Our result is judged against XLA's by the rule `dtype` before anything is timed. The limit is the machine's measured rate
of f32 multiply-adds on that many threads (`assay doctor`).
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time


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
        ours, theirs = [], []
        for _ in range(arguments.rounds):
            out = subprocess.run(base + ["--repeat", "8"], capture_output=True, text=True, check=True).stdout
            ours.append(float(re.search(r"time: min ([0-9.]+) ms", out).group(1)))
            for _ in range(8):
                start = time.perf_counter()
                jax.block_until_ready(compiled(*inputs))
                theirs.append((time.perf_counter() - start) * 1e3)
    print(json.dumps(dict(ours=ours, theirs=theirs, flops=flops)))


def peak_gflops(threads):
    """The measured rate of f32 multiply-adds, GFLOP/s."""
    out = subprocess.run(["assay", "doctor"], capture_output=True, text=True).stdout
    for line in out.splitlines():
        found = re.match(r"measured\s+f32 multiply-add, (\d+) threads?\s+([0-9.]+) GFLOP/s", line)
        if found and int(found.group(1)) == threads:
            return float(found.group(2))
    return None


def main():
    parser = argparse.ArgumentParser(description="Whole programs beside XLA's CPU compiler.")
    parser.add_argument("--json")
    parser.add_argument("--only")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    arguments, _ = parser.parse_known_args()
    from models import MODELS
    if arguments.child:
        return child(arguments)
    names = [arguments.only] if arguments.only else list(MODELS)
    rows = []
    print(f"{'program':26} {'threads':>7} {'XLA ms':>9} {'ours ms':>9} {'ratio':>7} {'of limit':>9}")
    for name in names:
        for threads in [1, 2] if len(os.sched_getaffinity(0)) > 1 else [1]:
            command = [sys.executable, __file__, "--child", str(threads), "--only", name, "--rounds", str(arguments.rounds)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"bench program: {name} on {threads} threads: {done.stderr}")
            row = json.loads(done.stdout.splitlines()[-1])
            ours, theirs = min(row["ours"]), min(row["theirs"])
            peak = peak_gflops(threads)
            row.update(program=name, threads=threads, ratio=theirs / ours,
                       limit=row["flops"] / ours * 1e-6 / peak if peak else math.nan)
            rows.append(row)
            print(f"{name:26} {threads:7} {theirs:9.1f} {ours:9.1f} {theirs / ours:6.2f}x {100 * row['limit']:8.0f}%", flush=True)
    geomean = math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows))
    print(f"bench program: {geomean:.2f}x XLA (geomean of {len(rows)} cases, worst {min(r['ratio'] for r in rows):.2f}), "
          f"{100 * sum(r['limit'] for r in rows) / len(rows):.0f}% of limit")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(dict(bench="program", geomean=geomean, cases=rows), file, indent=1)


if __name__ == "__main__":
    main()
