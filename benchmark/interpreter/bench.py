"""Compares the reference interpreter with the upstream one (inside jaxlib), per element or multiply-add.

usage: ./dev bench interpreter [--json FILE]

Both run the same program text on one thread; here it is the pure reference (--fast-ref off). The upstream interpreter runs in a
child process (it aborts on operations that it lacks), and the constant cost of a call is removed by measuring two sizes; ours is
measured in the same way on sizes that are large enough to time. The two alternate for five rounds; a sample is the difference of
the two sizes in one round. The limit of the elementwise cases is the memory bandwidth that NumPy's copy reaches at the same time.
"""
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import samples  # noqa: E402

CHILD = r"""
import sys, time
import numpy as np
import jaxlib.mlir.ir as ir
from jaxlib.mlir.dialects import stablehlo
from jax._src.interpreters.mlir import make_ir_context
text, repeat = sys.stdin.read(), int(sys.argv[1])
with make_ir_context():
    module = ir.Module.parse(text)
    best = None
    for _ in range(repeat):
        start = time.perf_counter()
        stablehlo.eval_module(module, [])
        elapsed = time.perf_counter() - start
        best = elapsed if best is None else min(best, elapsed)
print(best)
"""


def chain(n, type_):
    lines = [f"%a = stablehlo.iota dim = 0 : tensor<{n}x{type_}>", f"%b = stablehlo.iota dim = 0 : tensor<{n}x{type_}>"]
    previous = "%a"
    for i, op in enumerate(["add", "multiply", "subtract", "maximum"] * 4):
        lines.append(f"%{i} = stablehlo.{op} {previous}, %b : tensor<{n}x{type_}>")
        previous = f"%{i}"
    return lines, f"tensor<{n}x{type_}>", previous, 16 * n


def dot(n, type_):
    t = f"tensor<{n}x{n}x{type_}>"
    return [f"%a = stablehlo.iota dim = 0 : {t}", f"%b = stablehlo.iota dim = 1 : {t}",
            f"%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({t}, {t}) -> {t}"], t, "%0", n ** 3


def convolution(n, type_):
    image, kernel, out = f"tensor<1x{n}x{n}x8x{type_}>", f"tensor<3x3x8x8x{type_}>", f"tensor<1x{n - 2}x{n - 2}x8x{type_}>"
    return [f"%a = stablehlo.iota dim = 1 : {image}", f"%b = stablehlo.iota dim = 0 : {kernel}",
            "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} "
            "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
            f"({image}, {kernel}) -> {out}"], out, "%0", (n - 2) ** 2 * 9 * 64


def reduce_add(n, type_):
    return [f"%a = stablehlo.iota dim = 0 : tensor<{n}x8x{type_}>", f"%i = stablehlo.constant dense<0.0> : tensor<{type_}>",
            f"%0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] : "
            f"(tensor<{n}x8x{type_}>, tensor<{type_}>) -> tensor<8x{type_}>"], f"tensor<8x{type_}>", "%0", 8 * n


def reduce_general(n, type_):
    return [f"%a = stablehlo.iota dim = 0 : tensor<{n}x{type_}>", f"%i = stablehlo.constant dense<0.0> : tensor<{type_}>",
            f"%0 = stablehlo.reduce(%a init: %i) across dimensions = [0] : (tensor<{n}x{type_}>, tensor<{type_}>) -> tensor<{type_}>",
            f" reducer(%x: tensor<{type_}>, %y: tensor<{type_}>) {{",
            f"  %d = stablehlo.subtract %x, %y : tensor<{type_}>", f"  %e = stablehlo.abs %d : tensor<{type_}>",
            f"  %f = stablehlo.maximum %e, %y : tensor<{type_}>", f"  stablehlo.return %f : tensor<{type_}>", "}"], \
        f"tensor<{type_}>", "%0", n


def sort(n, type_):
    t = f"tensor<{n}x{type_}>"
    return [f"%a = stablehlo.iota dim = 0 : {t}", f"%s = stablehlo.sine %a : {t}",
            '%0 = "stablehlo.sort"(%s) ({', f"^bb0(%x: tensor<{type_}>, %y: tensor<{type_}>):",
            f"  %l = stablehlo.compare LT, %x, %y : (tensor<{type_}>, tensor<{type_}>) -> tensor<i1>",
            "  stablehlo.return %l : tensor<i1>", f"}}) {{dimension = 0 : i64, is_stable = true}} : ({t}) -> {t}"], t, "%0", \
        n * math.log2(n)


def scatter(n, type_):
    t = f"tensor<{n}x{type_}>"
    return [f"%a = stablehlo.iota dim = 0 : {t}", f"%k = stablehlo.iota dim = 0 : tensor<{n}x1xi32>",
            f'%0 = "stablehlo.scatter"(%a, %k, %a) ({{', f"^bb0(%x: tensor<{type_}>, %y: tensor<{type_}>):",
            f"  %l = stablehlo.add %x, %y : tensor<{type_}>", f"  stablehlo.return %l : tensor<{type_}>",
            "}) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
            "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : "
            f"({t}, tensor<{n}x1xi32>, {t}) -> {t}"], t, "%0", n


# name, program, type, sizes for upstream, sizes for ours, the ratio that the project requires
CASES = [("elementwise f32", chain, "f32", (500, 2500), (200000, 1000000), 300),
         ("elementwise bf16", chain, "bf16", (500, 2500), (200000, 1000000), 300),
         ("elementwise i32", chain, "i32", (500, 2500), (200000, 1000000), 300),
         ("dot_general f32", dot, "f32", (16, 36), (256, 640), 300),
         ("convolution f32", convolution, "f32", (6, 9), (40, 120), 100),
         ("reduce add f32", reduce_add, "f32", (100, 600), (100000, 500000), 100),
         ("reduce general f32", reduce_general, "f32", (300, 1500), (100000, 500000), 30),
         ("sort f32", sort, "f32", (100, 400), (20000, 100000), 30),
         ("scatter f32", scatter, "f32", (200, 1000), (50000, 250000), 30)]


def program(build, n, type_):
    lines, out, result, work = build(n, type_)
    return f"func.func @main() -> {out} {{\n" + "\n".join(lines) + f"\nreturn {result} : {out}\n}}\n", work


def upstream_seconds(text):
    run = subprocess.run([sys.executable, "-c", CHILD, "3"], input=text, capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        raise RuntimeError("the upstream interpreter failed: " + run.stderr.strip()[-300:])
    return float(run.stdout)


def our_seconds(text):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        run = subprocess.run(["assay", "run", file.name, "--fast-ref", "off", "--threads", "1", "--repeat", "5", "--quiet"],
                             capture_output=True, text=True, timeout=300, check=True)
    return float(re.search(r"time: min ([\d.]+) ms", run.stdout).group(1)) * 1e-3


def copy_bandwidth():
    a = np.ones(4_000_000, np.float32)
    b = np.empty_like(a)
    best = math.inf
    for _ in range(10):
        start = time.perf_counter()
        np.copyto(b, a)
        best = min(best, time.perf_counter() - start)
    return 2 * a.nbytes / best


def per_unit(seconds, sizes, build, type_):
    """Nanoseconds per unit of work: the extra time of the larger of two sizes."""
    works = [program(build, n, type_)[1] for n in sizes]
    return max(1e-4, 1e9 * (seconds[1] - seconds[0]) / (works[1] - works[0]))


def one_round(build, type_, their_sizes, our_sizes):
    """(ours, theirs) in nanoseconds."""
    theirs = [upstream_seconds(program(build, n, type_)[0]) for n in their_sizes]
    ours = [our_seconds(program(build, n, type_)[0]) for n in our_sizes]
    return per_unit(ours, our_sizes, build, type_), per_unit(theirs, their_sizes, build, type_)


def main():
    rows, ratios, limits = [], [], []
    print(f"{'case':22} {'upstream ns':>12} {'ours ns':>9}   ratio (asked)")
    for name, build, type_, their_sizes, our_sizes, asked in CASES:
        ns = samples.Samples("upstream")
        for _ in range(5):
            ours, theirs = one_round(build, type_, their_sizes, our_sizes)
            ns.add(ours, upstream=theirs)
        ratio = ns.against("upstream")
        ratios.append(ratio.median)
        if build is chain:
            width = 2 if type_ == "bf16" else 4
            limits.append(3 * width / copy_bandwidth() * 1e9 / ns.least())
        rows.append(dict(case=name, asked=asked, ns=ns.json()))
        print(f"{name:22} {ns.least('upstream'):12.1f} {ns.least():9.3f}   {ratio.median:.0f}x [{ratio.low:.0f}, {ratio.high:.0f}] ({asked}x)", flush=True)
    samples.closing("interpreter", "upstream", ratios, sum(limits) / len(limits))
    if "--json" in sys.argv:
        samples.write(sys.argv[sys.argv.index("--json") + 1], "interpreter", rows)


if __name__ == "__main__":
    main()
