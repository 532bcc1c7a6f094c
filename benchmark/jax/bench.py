"""JAX on the plugin: `./dev bench jax [MODEL ...]` (by default resnet50, gpt2_prefill_128).

Compares the dispatch of a jitted x + 1 on Assay's device with JAX's processor backend, in one process, alternately. Then compares jitted models of
`./dev bench program` with `assay run --engine native` of the same program and inputs, on two threads each, alternately. Prints the medians of their
times, and the median of the ratios of neighbouring turns, which depends less on other work of the machine."""

import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

THREADS, TURNS, CALLS = 2, 5, 5


def dispatch():
    """Prints the microseconds per call on both devices."""
    import jax

    times = {}
    functions = {}
    for platform in ("cpu", "assay"):
        x = jax.device_put(1.0, jax.devices(platform)[0])
        functions[platform] = (jax.jit(lambda x: x + 1), x)
        functions[platform][0](x).block_until_ready()
    for _ in range(40):
        for platform, (function, x) in functions.items():
            start = time.perf_counter()
            for _ in range(200):
                function(x).block_until_ready()
            times.setdefault(platform, []).append((time.perf_counter() - start) / 200 * 1e6)
    cpu, ours = (statistics.median(times[platform]) for platform in ("cpu", "assay"))
    print(f"dispatch of x + 1: {ours:.1f} us on the plugin, {cpu:.1f} us on the processor backend, {ours - cpu:+.1f} us")


def side(model, folder):
    """Writes the program and its inputs; then runs a turn for each line that it reads: the median of several calls in ms."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "program"))
    import jax
    import numpy as np
    from models import MODELS

    function, inputs, _ = MODELS[model].jax()
    jitted = jax.jit(function, keep_unused=True)
    leaves = jax.tree_util.tree_leaves(inputs)
    (folder / "program.mlir").write_text(jitted.lower(*inputs).as_text())
    np.savez(folder / "data.npz", **{f"in{i}": np.asarray(leaf) for i, leaf in enumerate(leaves)})
    inputs = jax.tree_util.tree_map(lambda leaf: jax.device_put(leaf), inputs)
    jax.block_until_ready(jitted(*inputs))
    print("ready", flush=True)
    for _ in sys.stdin:
        jax.block_until_ready(jitted(*inputs))
        taken = []
        for _ in range(CALLS):
            start = time.perf_counter()
            jax.block_until_ready(jitted(*inputs))
            taken.append((time.perf_counter() - start) * 1e3)
        print(statistics.median(taken), flush=True)


def child(*words):
    environment = {**os.environ, "JAX_PLATFORMS": "assay", "ASSAY_THREADS": str(THREADS)}
    return subprocess.Popen([sys.executable, __file__, *map(str, words)], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def native(folder):
    from assay import program

    words = ["run", folder / "program.mlir", "--input", folder / "data.npz", "--engine", "native", "--threads", THREADS, "--repeat", CALLS + 1, "--quiet"]
    run = subprocess.run([program.find(), *map(str, words)], capture_output=True, text=True, check=True)
    return float(re.search(r"median ([\d.]+) ms", run.stdout + run.stderr)[1])


def compared(model):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        process = child("--side", model, folder)
        assert process.stdout.readline() == "ready\n"
        ours, theirs = [], []
        for _ in range(TURNS):
            process.stdin.write("turn\n")
            process.stdin.flush()
            ours.append(float(process.stdout.readline()))
            theirs.append(native(folder))
        process.stdin.close()
        process.wait()
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    print(f"| {model} | {statistics.median(ours):.1f} | {statistics.median(theirs):.1f} | {ratio:.2f} |", flush=True)


def main(models):
    process = child("--dispatch")
    print(process.communicate()[0], end="", flush=True)
    print("| model | plugin, ms | assay run, ms | ratio |\n|---|---|---|---|")
    for model in models or ["resnet50", "gpt2_prefill_128"]:
        compared(model)


if __name__ == "__main__":
    if sys.argv[1:] == ["--dispatch"]:
        dispatch()
    elif sys.argv[1:2] == ["--side"]:
        side(sys.argv[2], pathlib.Path(sys.argv[3]))
    else:
        main(sys.argv[1:])
