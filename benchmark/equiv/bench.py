"""Compares `assay equiv` with the reference runs of both programs: `./dev bench equiv`.

The programs are a chain of 1,000 operations (sums, products, tanhs, reductions, broadcasts) on tensors of several sizes, and the same chain with the
operands of every sum swapped. Then runs `assay passes` on a folder of 150 passes, each of which swaps the operands of some more sums of that
chain. Times are medians of whole processes."""

import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from assay import program

OPERATIONS, PASSES = 1000, 150


def chain(rows, columns, swapped):
    """The chain, with the operands of sums swapped in the first `swapped` operations."""
    full, row = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>"
    lines = ["%half = stablehlo.constant dense<0.5> : " + full, "%zero = stablehlo.constant dense<0.0> : tensor<f32>"]
    last, before = "%x", "%y"
    for i in range(OPERATIONS):
        name, a, b = f"%v{i}", last, before
        if i % 10 == 3:
            lines.append(f"{name} = stablehlo.tanh {a} : {full}")
        elif i % 10 == 7:
            lines.append(f"%s{i} = stablehlo.reduce({a} init: %zero) applies stablehlo.add across dimensions = [1] : ({full}, tensor<f32>) -> {row}")
            lines.append(f"{name} = stablehlo.broadcast_in_dim %s{i}, dims = [0] : ({row}) -> {full}")
        elif i % 2:
            lines.append(f"{name} = stablehlo.multiply {a}, %half : {full}")
        else:
            lines.append(f"{name} = stablehlo.add {b if i < swapped else a}, {a if i < swapped else b} : {full}")
        before, last = last, name
    body = "\n  ".join(lines)
    return f"func.func @main(%x: {full}, %y: {full}) -> {full} {{\n  {body}\n  return {last} : {full}\n}}\n"


def seconds(*words, times=3):
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run = subprocess.run([program.find(), *map(str, words)], capture_output=True, text=True)
        taken.append(time.perf_counter() - start)
    assert run.returncode == 0, run.stdout[-300:] + run.stderr[-300:]
    return statistics.median(taken)


def main():
    print("| elements | two runs, s | equiv, s | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        a, b = Path(folder) / "a.mlir", Path(folder) / "b.mlir"
        for rows, columns in ((4, 8), (32, 32), (128, 128)):
            a.write_text(chain(rows, columns, 0))
            b.write_text(chain(rows, columns, OPERATIONS))
            runs = sum(seconds("run", path, "--input", "random", "--fast-ref=off", "--quiet") for path in (a, b))
            asked = seconds("equiv", a, b, "--quiet")
            print(f"| {rows * columns} | {runs:.2f} | {asked:.2f} | {asked / runs:.1f} |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for i in range(PASSES + 1):
            (Path(folder) / f"{i}_pass.mlir").write_text(chain(32, 32, OPERATIONS * i // PASSES))
        taken = seconds("passes", folder, "--jobs", "2", "--quiet", times=1)
        print(f"a folder of {PASSES} passes over {OPERATIONS} operations of {32 * 32} elements: {taken:.1f} s")


if __name__ == "__main__":
    main()
