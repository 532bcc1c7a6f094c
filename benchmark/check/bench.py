"""Measures the cost of `assay.check`: the first call of a process, later calls on a thousand elements, calls on large tensors.

usage: ./dev bench check [--rounds N] [--json FILE]

Each first call runs in a new Python, which imports the framework before the clock starts (the import in the kernel's worker process counts). For
large tensors, the whole check (two kinds of data, the kernel run twice on each, truth, bound, comparison, guard pages) is compared with the parts
that every check needs: both fills, and for each of them one run of the kernel and one of the reference. The two alternate. The reference's run is
`assay.run` of the same program; the judge itself computes in f64, with a bound for every element.
"""
import argparse
import pathlib
import subprocess
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import samples  # noqa: E402

import assay  # noqa: E402

FIRST = {
    "numpy": "import numpy as np; kernel, reference, inputs = np.matmul, 'matmul 20x20:20x25', ()",
    "jax": "import jax, jax.numpy as jnp; kernel = reference = jnp.dot; inputs = (assay.f32[20, 20], assay.f32[20, 25])",
    "torch": "import torch; kernel = reference = torch.matmul; inputs = (assay.f32[20, 20], assay.f32[20, 25])",
}
CLOCKED = """
import assay, sys, time
{}
times = []
for _ in range(6):
    start = time.perf_counter()
    verdict = assay.check(kernel, reference, *inputs, framework={!r})
    times.append(time.perf_counter() - start)
assert verdict, verdict
print(times[0], min(times[1:]))
"""


def first_calls(name):
    """(seconds of the first call, seconds of a later one) in a new process."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", CLOCKED.format(FIRST[name], name)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"bench check: {name}: {done.stderr}")
    return [float(word) for word in done.stdout.split()]


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


ADD = """func.func @main(%a: tensor<2048x2048xf32>, %b: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = stablehlo.add %a, %b : tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}"""
SOFTMAX = """func.func @main(%x: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<2048x2048xf32>, tensor<f32>) -> tensor<2048xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<2048xf32>) -> tensor<2048x2048xf32>
  %d = stablehlo.subtract %x, %mb : tensor<2048x2048xf32>
  %e = stablehlo.exponential %d : tensor<2048x2048xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2048x2048xf32>, tensor<f32>) -> tensor<2048xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<2048xf32>) -> tensor<2048x2048xf32>
  %r = stablehlo.divide %e, %sb : tensor<2048x2048xf32>
  return %r : tensor<2048x2048xf32>
}"""
MATMUL = """func.func @main(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}"""
LARGE = {"add 4 Mi": (np.add, ADD), "softmax 4 Mi": (softmax, SOFTMAX), "matmul 1024": (np.matmul, MATMUL)}


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def floor(kernel, text, judge, program):
    """Seconds of the parts that every check needs."""
    total = 0
    for kind in ("exact", "normal"):
        seconds, data = timed(lambda: judge.fill(kind, 1))
        inputs = [np.frombuffer(one, np.float32).reshape(shape) for one, (_, shape) in zip(data, program.inputs)]
        total += seconds + timed(lambda: kernel(*inputs))[0] + timed(lambda: assay.run(text, *inputs))[0]
    return total


def large(name, rounds):
    from assay._assay import Judge, Program

    kernel, text = LARGE[name]
    program = Program.parse(text, "program.mlir")
    judge = Judge(program, "bound", 0, 0)
    specs = [assay.f32[tuple(shape)] for _, shape in program.inputs]
    seconds = samples.Samples("floor")
    for turn in range(rounds + 1):
        taken, verdict = timed(lambda: assay.check(kernel, text, *specs, framework="numpy", fill=("exact", "normal")))
        assert verdict, verdict
        least = floor(kernel, text, judge, program)
        if turn:  # the first turn warms up
            seconds.add(taken, floor=least)
    return seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    cases, ratios = [], []
    for name in FIRST:
        first, later = zip(*(first_calls(name) for _ in range(3)))
        cases.append({"case": name, "first_s": first, "later_s": later})
        print(f"{name:6} first call {min(first):.2f} s, later ones {min(later) * 1e3:.1f} ms (20x20 by 20x25)", flush=True)
    for name in LARGE:
        seconds = large(name, options.rounds)
        ratio = seconds.against("floor")
        ratios.append(ratio.median)
        cases.append({"case": name, "s": seconds.json()})
        print(f"{name:13} {seconds.least():.3f} s, fills + kernel + reference {seconds.least('floor'):.3f} s: {1 / ratio.median:.2f} times as long", flush=True)
    samples.closing("check", "fills + kernel + reference", ratios)
    samples.write(options.json, "check", cases)


if __name__ == "__main__":
    main()
