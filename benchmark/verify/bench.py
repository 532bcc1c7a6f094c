#!/usr/bin/env python3
"""`./dev bench verify`: the cost of a verdict. ResNet-50's convolutions (20 shapes) and a transformer's products, oneDNN under test.

Per case, the best of three runs of `assay verify` with oneDNN as fast reference too (--trust=onednn): wall time of the whole
program, its parts (fill, engine under test, expected sums, comparison, creation), and the bar: wall time over
(fill + run of the engine under test). A problem runs exact and normal data, so both are counted twice; `of one` counts them once. The peer
is the pure reference (--fast-ref=off), which alternates with the fast side three times: for mb 50 on every fourth shape.
The first rows are the speed of the fills (bench_verify_fill).
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, f"{ROOT}/benchmark")
import samples  # noqa: E402

BAR = 5


def run(arguments, rounds=1):
    """The best wall time of `rounds`, with its parts, and the number of problems that passed."""
    best = None
    for _ in range(rounds):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            start = time.perf_counter()
            result = subprocess.run([f"{ROOT}/build/release/bin/assay", "verify", "--quiet", f"--json={file.name}", "--fill=exact,normal", *arguments],
                                    capture_output=True, text=True)
            wall = time.perf_counter() - start
            facts = json.load(open(file.name))
        bad = [p for p in facts["problems"] if p["status"] not in ("PASSED", "SKIPPED")]
        if bad:
            sys.exit(f"bench verify: {bad[0]['status']}: {bad[0]['repro']}\n{result.stdout[-2000:]}")
        if best is None or wall < best[0]:
            best = (wall, facts["seconds"], facts["counts"]["passed"])
    return best


def subset(path, every):
    """Every `every`-th problem of a batch file, as words."""
    lines = [line.strip() for line in open(path) if line.strip() and not line.startswith("#")]
    return lines[::every]


def fills():
    print("fill speed, G elements/s:", end="")
    lines = subprocess.run([f"{ROOT}/build/release/bin/bench_verify_fill"], capture_output=True, text=True).stdout.split("\n")
    speeds = {}
    for line in filter(None, lines):
        _, dtype, kind, speed = line.split()
        speeds[f"{dtype} {kind}"] = float(speed)
    print("".join(f"  {name} {speed:.2f}" for name, speed in speeds.items()))
    return speeds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--full", action="store_true", help="the pure reference on all shapes of mb 50 (minutes)")
    parser.add_argument("--mb", type=int, nargs="*", default=[2, 50])
    options = parser.parse_args()
    speeds = fills()
    resnet, products = f"{ROOT}/inputs/conv/shapes_resnet_50", f"{ROOT}/inputs/matmul/shapes_llm"
    cases = [(f"resnet50 {dt} mb{mb}", ["--conv", "--dir=FWD_D", f"--dt={dt}", f"--mb={mb}"], resnet, 4 if mb > 8 and not options.full else 1)
             for mb in options.mb for dt in ("f32", "bf16")]
    cases += [(f"matmul {dt}", ["--matmul", f"--dt={dt}"], products, 1) for dt in ("f32", "bf16")]
    print(f"{'case':20} {'problems':>8} {'wall s':>8} {'fill':>7} {'engine':>7} {'expected':>8} {'compare':>8} {'create':>7} "
          f"{'of fill+run':>11} {'of one':>7} {'pure s':>8} {'fast s':>7} {'gain':>6}")
    gains, large, fractions, rows = [], [], [], []
    for name, words, batch, every in cases:
        wall, seconds, passed = run(["--trust=onednn", *words, f"--batch={batch}"], rounds=3)
        problems = subset(batch, every)
        turns = samples.Samples("reference")
        for _ in range(3):
            turns.add(run(["--trust=onednn", *words, *problems])[0], reference=run(["--fast-ref=off", *words, *problems])[0])
        gain = turns.against("reference")
        floor = seconds.get("fill", 0) + seconds.get("execute", 0)
        fractions.append(BAR * floor / wall)
        gains.append(gain.median)
        if "mb50" in name:
            large.append(gain.median)
        rows.append({"case": name, "wall_s": wall, "s": turns.json(), "compared": len(problems), "passed": passed, "seconds": seconds})
        print(f"{name:20} {passed:8} {wall:8.2f} {seconds.get('fill', 0):7.2f} {seconds.get('execute', 0):7.2f} {seconds.get('expected', 0):8.2f} "
              f"{seconds.get('compare', 0):8.2f} {seconds.get('create', 0):7.2f} {wall / floor:10.2f}x {2 * wall / floor:6.2f}x "
              f"{turns.least('reference'):8.2f} {turns.least():7.2f} {gain.median:5.1f}x [{gain.low:.1f}, {gain.high:.1f}]" + (f"  (on {len(problems)} shapes)" if every > 1 else ""), flush=True)
    if large:
        print(f"bar at mb 50: gain {min(large):.1f}x at least, 10x wanted; wall time over fill + run: {BAR / min(fractions):.2f}x at most, {BAR}x allowed")
    samples.closing("verify", "reference", gains, min(1, min(fractions)))
    samples.write(options.json, "verify", rows, fill_gigaelements=speeds)


if __name__ == "__main__":
    main()
