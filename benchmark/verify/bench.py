#!/usr/bin/env python3
"""`./dev bench verify`: what a verdict costs. ResNet-50's convolutions (20 shapes) and a transformer's products, oneDNN under test.

Per case: wall time of `assay verify` with oneDNN as fast reference too (--trust=onednn), the time for the fills and for the runs of the
engine under test out of the same run, and the wall time with --fast-ref=off (only where it is bearable: --full for all). `of limit` is 5 x
(fill + one run of the engine per fill) over the wall time. The peer is the pure reference.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(arguments):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        start = time.perf_counter()
        result = subprocess.run([f"{ROOT}/build/release/bin/assay", "verify", "--quiet", f"--json={file.name}", *arguments],
                                capture_output=True, text=True)
        wall = time.perf_counter() - start
        facts = json.load(open(file.name))
    bad = [p for p in facts["problems"] if p["status"] not in ("PASSED", "SKIPPED")]
    if bad:
        sys.exit(f"bench verify: {bad[0]['status']}: {bad[0]['repro']}\n{result.stdout[-2000:]}")
    return wall, facts["seconds"], facts["counts"]["passed"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json")
    parser.add_argument("--full", action="store_true", help="the pure reference in every case (minutes)")
    parser.add_argument("--mb", type=int, nargs="*", default=[2, 50])
    options = parser.parse_args()
    inputs = f"{ROOT}/inputs"
    cases = [(f"resnet50 {dt} mb{mb}", ["--conv", "--dir=FWD_D", f"--dt={dt}", f"--mb={mb}", f"--batch={inputs}/conv/shapes_resnet_50"],
              dt == "bf16" or mb == 2) for mb in options.mb for dt in ("f32", "bf16")]
    cases += [(f"matmul {dt}", ["--matmul", f"--dt={dt}", f"--batch={inputs}/matmul/shapes_llm"], True) for dt in ("f32", "bf16")]
    print(f"{'case':20} {'problems':>8} {'wall s':>8} {'fill':>7} {'engine':>7} {'expected':>8} {'compare':>8} {'create':>7} "
          f"{'of fill+run':>11} {'pure s':>8} {'gain':>6}")
    ratios, fractions, rows = [], [], []
    for name, words, pure in cases:
        wall, seconds, passed = run(["--trust=onednn", *words])
        floor = seconds.get("fill", 0) + seconds.get("execute", 0)
        slow = run(["--fast-ref=off", *words])[0] if pure or options.full else None
        fractions.append(5 * floor / wall)
        if slow:
            ratios.append(slow / wall)
        rows.append({"case": name, "wall_s": wall, "pure_s": slow, "passed": passed, "seconds": seconds})
        print(f"{name:20} {passed:8} {wall:8.2f} {seconds.get('fill', 0):7.2f} {seconds.get('execute', 0):7.2f} {seconds.get('expected', 0):8.2f} "
              f"{seconds.get('compare', 0):8.2f} {seconds.get('create', 0):7.2f} {wall / floor:10.2f}x " +
              (f"{slow:8.2f} {slow / wall:5.1f}x" if slow else f"{'-':>8} {'-':>6}"), flush=True)
    geomean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"bench verify: {geomean:.2f}x reference (geomean of {len(ratios)} cases, worst {min(ratios):.2f}), {100 * min(1, min(fractions)):.0f}% of limit")
    if options.json:
        with open(options.json, "w") as out:
            json.dump({"cases": rows, "geomean": geomean}, out, indent=2)


if __name__ == "__main__":
    main()
