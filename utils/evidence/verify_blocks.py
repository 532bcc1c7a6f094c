#!/usr/bin/env python3
"""Low precision in `assay verify`: faults of block scales are found, and a correct engine never fails.

usage: verify_blocks.py [--build DIR] [--count N] [--seed S] [--only REGEX]

First, each fault of the example plugin (examples/plugin, plain C) that concerns block scales, zero points by groups, 4-bit
elements or narrow results runs on its problem by the default command, which must say FAILED; the same problem without the fault
must pass. Then N problems drawn by seed (types of 8 bits and fewer, MX, NVFP4, grouped weights; odd and even sizes) run without
faults: none may fail. Exit code 1 otherwise.
"""
import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

MX = "--dt=f4_e2m1:f4_e2m1:f32 --attr-scales=src:per_tensor:e8m0:1x32+wei:per_tensor:e8m0:32x1"
NVFP4 = "--dt=f4_e2m1:f4_e2m1:bf16 --attr-scales=src:per_tensor:f8_e4m3:1x16+src:common:0.5+wei:per_tensor:f8_e4m3:16x1+wei:common:0.25"
GROUPED = "--dt=bf16:u4:bf16 --attr-scales=wei:per_ocic:f16:64x1 --attr-zero-points=wei:per_ocic:u4:64x1"
SIZES = "32x256:256x48"
FAULTS = [  # name, what it does, words
    ("block_next", "each block has the scale of the next one", f"{MX} {SIZES}"),
    ("block_first", "the first block's scale serves for all", f"{MX} {SIZES}"),
    ("block_double", "blocks are taken for twice as long", f"{MX} {SIZES}"),
    ("block_offset", "blocks begin one element early", f"{MX} {SIZES}"),
    ("block_column", "a scale comes from the next row or column", f"{MX} {SIZES}"),
    ("block_last", "the last block has no scale", f"{MX} {SIZES}"),
    ("block_ignored", "the source's block scales are left out", f"{MX} {SIZES}"),
    ("scale_exponent", "the bias of the scales' exponent is off by one", f"{MX} {SIZES}"),
    ("scale_twice", "the weights' scales are applied twice", f"{MX} {SIZES}"),
    ("scale_mantissa", "scales keep their exponent alone", f"{NVFP4} {SIZES}"),
    ("global_ignored", "the scale of the whole tensor is left out", f"{NVFP4} {SIZES}"),
    ("zp_block", "each group has the zero point of the next one", f"{GROUPED} {SIZES}"),
    ("zp_after_scale", "zero points are subtracted after the scales", f"{GROUPED} {SIZES}"),
    ("nibble_swapped", "the two elements of a byte change places", f"{GROUPED} {SIZES}"),
    ("wrap", "a 4-bit integer wraps around where it should saturate", f"--dt=s8:s4:s4 {SIZES}"),
    ("truncate", "an 8-bit float is truncated, not rounded", f"--dt=f8_e4m3:f8_e4m3:f8_e4m3 {SIZES}"),
    ("stochastic_nearest", "results are rounded to nearest, not at random", f"--dt=bf16 --attr-rounding-mode=dst:stochastic {SIZES}"),
    ("stochastic_biased", "too few results are rounded up", f"--dt=bf16 --attr-rounding-mode=dst:stochastic {SIZES}"),
    ("stochastic_even", "the share of results rounded up does not follow what is cut off", "--dt=f16 --attr-rounding-mode=dst:stochastic 96x256:256x96"),
    ("drop_k", "one k is left out of an MX product", f"{MX} {SIZES}"),
    ("acc_bf16", "sums of an MX product are kept in bf16", f"{MX} {SIZES}"),
]
DEPTHS = (32, 64, 96, 128, 256, 1024)
ROWS = (1, 2, 7, 16, 33, 64)
FLOATS = ("f8_e4m3", "f8_e5m2", "f4_e2m1", "f6_e2m3", "f6_e3m2", "f8_e3m4", "f8_e4m3fnuz", "f8_e5m2fnuz", "f8_e4m3b11fnuz", "f8_e4m3_ieee")
SCALES = ("f32", "bf16", "f16", "e8m0", "f8_e4m3", "f8_e5m2")


def drawn(r):
    """The words of one problem that the example plugin supports."""
    m, k, n = r.choice(ROWS), r.choice(DEPTHS), r.choice(ROWS)
    kind, attributes, zero = r.random(), [], ""
    narrow = r.choice(FLOATS)
    if kind < 0.3:
        types = [narrow, r.choice(FLOATS), r.choice(("f32", "bf16", "f16", narrow))]
    elif kind < 0.5:
        types = [r.choice(("f4_e2m1", "f8_e4m3", "f8_e5m2"))] * 2 + [r.choice(("f32", "bf16", "f16", "f8_e4m3", "f4_e2m1"))]
        attributes = ["src:per_tensor:e8m0:1x32", r.choice(("wei:per_tensor:e8m0:32x1", "wei:per_tensor:e8m0:32x32"))]
    elif kind < 0.65:
        types = ["f4_e2m1", "f4_e2m1", r.choice(("f32", "bf16", "f8_e4m3"))]
        attributes = ["src:per_tensor:f8_e4m3:1x16", "wei:per_tensor:f8_e4m3:16x1", *r.choice(((), ("src:common:0.5", "wei:common:0.25")))]
    elif kind < 0.9:
        wei = r.choice(("s4", "u4", "s8", "s2", "u2"))
        types = [r.choice(("f32", "bf16", "f16", "s8")), wei, r.choice(("f32", "bf16", "f16"))]
        group = r.choice((16, 32))
        attributes = [f"wei:per_ocic:{r.choice(SCALES)}:{group}x1"]
        if r.random() < 0.5:
            zero = f" --attr-zero-points=wei:per_ocic:{r.choice(('s8', wei))}:{group}x1"
    else:
        types = [r.choice(("s4", "u4", "s8")), "s4", r.choice(("s4", "u4", "s8", "s32", "f32"))]
    if any(one.endswith("32x32") for one in attributes):
        n = 64
    words = f"--matmul --dt={':'.join(types)}" + (f" --attr-scales={'+'.join(attributes)}" if attributes else "") + zero
    for name in ("stag", "wtag", "dtag"):
        if r.random() < 0.3:
            words += f" --{name}={r.choice(('ab', 'ba'))}"
    if r.random() < 0.2:
        words += " --bia-dt=f32 --bia_mask=2"
    if r.random() < 0.2:
        words += " --attr-post-ops=relu"
    if r.random() < 0.15:
        words += " --attr-rounding-mode=dst:stochastic"
    return f"{words} {m}x{k}:{k}x{n}"


def verify(build, words, fault=""):
    command = [f"{build}/bin/assay", "verify", f"--engine=plugin:{build}/lib/libassay_example.so", "--matmul", *words.split()]
    ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "ASSAY_EXAMPLE_FAULT": fault})
    status = re.search(r"^0:(\w+)", ran.stdout, re.M)
    return status.group(1) if status else "NONE", ran.stdout + ran.stderr


def clean(options):
    r = random.Random(options.seed)
    with tempfile.NamedTemporaryFile("w", suffix=".batch") as batch:
        for _ in range(options.count):
            batch.write(f"--reset --engine=plugin:{options.build}/lib/libassay_example.so {drawn(r)}\n")
        batch.flush()
        ran = subprocess.run([f"{options.build}/bin/assay", "verify", "--matmul", f"--batch={batch.name}"], capture_output=True, text=True)
    reasons = collections.Counter()
    for line in ran.stdout.splitlines():
        status = re.match(r"\d+:(\w+)(?: \(([^)]*)\))?", line)
        if status and status.group(1) not in ("PASSED", "SKIPPED"):
            print(line)
        if status and status.group(1) == "SKIPPED":
            reasons[status.group(2)] += 1
    closing = next((line for line in ran.stdout.splitlines() if line.startswith("tests:")), ran.stderr)
    for reason, times in reasons.items():
        print(f"skipped {times}: {reason}")
    print(f"clean: {closing}")
    return bool(re.search(r"unimplemented:0 invalid_arguments:0 failed:0 crashed:0 timeout:0", closing))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="faults whose name matches")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    caught, alarms, chosen = 0, 0, [row for row in FAULTS if re.search(options.only, row[0])]
    for name, what, words in chosen:
        faulty, said = verify(options.build, words, name)
        right, _ = verify(options.build, words)
        pattern = re.search(r"are wrong: (.*)", said)
        print(f"{name:15} {faulty:8} (without it {right})  {what}; the report: {pattern.group(1) if pattern else said[:200]}", flush=True)
        caught += faulty == "FAILED"
        alarms += right != "PASSED"
    print(f"faults: {caught} of {len(chosen)} caught, {alarms} problems without fault did not pass")
    held = caught == len(chosen) and not alarms
    if options.count:
        held &= clean(options)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
