#!/usr/bin/env python3
"""False alarms of `assay verify`: many random problems on a correct engine must all pass.

Draws problems that the example plugin supports (products in any batch and format, forward convolutions; f32, bf16, s8, u8; bias, scales, zero points,
post-ops; small and odd sizes), writes them as a batch file and runs it with the default command. Prints the closing line, the number of problems that
each judge decided, and every problem that did not pass. Exit code 1 when one was invalid, failed, crashed or timed out. MISTRUSTED (measured low
power: very few, tiny or saturated results) is counted separately.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

SIZES = (1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 48, 63, 64, 65, 100, 128)


def matmul(r):
    m, n = r.choice(SIZES), r.choice(SIZES)
    k = r.choice(SIZES + (256, 1000, 4096))
    words = ["--matmul"]
    if r.random() < 0.2:
        b = r.choice((2, 3))
        text = f"{r.choice((1, b))}x{m}x{k}:{b}x{k}x{n}"
        tags = ("abc", "acb")
    else:
        text, tags = f"{m}x{k}:{k}x{n}", ("ab", "ba")
    for name in ("stag", "wtag", "dtag"):
        if r.random() < 0.3:
            words.append(f"--{name}={r.choice(tags)}")
    return words, text, len(tags[0])


def conv(r):
    g = r.choice((1, 1, 1, 2, 3))
    ic, oc = g * r.choice((1, 2, 5, 8, 16)), g * r.choice((1, 2, 5, 8, 16))
    kh, kw = r.choice((1, 2, 3)), r.choice((1, 3))
    sh, dh = r.choice((1, 1, 2)), r.choice((0, 0, 1))
    ph, pw = r.randrange(kh), r.randrange(kw)
    ih, iw = r.choice((5, 7, 12)), r.choice((5, 8, 13))
    oh, ow = (ih + 2 * ph - (kh - 1) * (dh + 1) - 1) // sh + 1, (iw + 2 * pw - (kw - 1) * (dh + 1) - 1) // sh + 1
    text = f"g{g}mb{r.choice((1, 2, 3))}ic{ic}ih{ih}iw{iw}oc{oc}oh{oh}ow{ow}kh{kh}kw{kw}sh{sh}sw{sh}ph{ph}pw{pw}dh{dh}dw{dh}"
    words = ["--conv", "--dir=FWD_D"]
    for name in ("stag", "dtag"):
        if r.random() < 0.3:
            words.append(f"--{name}={r.choice(('abcd', 'acdb'))}")
    return words, text, 4


def attributes(r, integers, rank, is_conv):
    words, extra = [], []
    if r.random() < 0.4:
        words.append("--bia-dt=f32")
        if is_conv:
            words.append("--dir=FWD_B")
        else:
            words.append(f"--bia_mask={1 << (rank - 1)}")
    scales = [s for s in ("src:common:0.25", "wei:common:0.5", "dst:common:4") if r.random() < 0.2]
    if scales:
        words.append("--attr-scales=" + "+".join(scales))
    if integers and r.random() < 0.4:
        words.append("--attr-zero-points=" + "+".join(r.sample(["src:common:3", "dst:common:2"], r.choice((1, 2)))))
    for op, chance in (("sum:0.5", 0.15), ("relu", 0.2), ("linear:2:1", 0.1), ("add:f32", 0.1), ("tanh", 0.1), ("exp", 0.05)):
        if r.random() < chance and not (integers and op in ("exp", "tanh")):
            extra.append(op)
    if extra:
        words.append("--attr-post-ops=" + "+".join(extra))
    return words


def problems(count, seed):
    r = random.Random(seed)
    for _ in range(count):
        is_conv = r.random() < 0.3
        words, text, rank = (conv if is_conv else matmul)(r)
        types = r.choice(("f32", "f32", "bf16", "bf16:bf16:f32", "s8", "u8:s8:s8", "u8:s8:u8", "s8:s8:f32", "u8:s8:s32"))
        integers = types[0] in "su"
        yield " ".join(["--reset", *words, f"--dt={types}", *attributes(r, integers, rank, is_conv), text])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", default="plugin:{build}/lib/libassay_example.so")
    parser.add_argument("--knobs", default="", help="words for every problem, e.g. --trust=native")
    options = parser.parse_args()
    engine = options.engine.format(build=os.path.abspath(options.build))
    with tempfile.NamedTemporaryFile("w", suffix=".batch") as batch:
        for line in problems(options.count, options.seed):
            batch.write(line.replace("--reset", f"--reset --engine={engine} {options.knobs} --json={batch.name}.json") + "\n")
        batch.flush()
        result = subprocess.run([f"{options.build}/bin/assay", "verify", "--matmul", f"--batch={batch.name}", f"--json={batch.name}.json"],
                                capture_output=True, text=True)
        judges = collections.Counter(p.get("judge") for p in json.load(open(batch.name + ".json"))["problems"])
        os.remove(batch.name + ".json")
    closing, reasons = "", {}
    for line in result.stdout.splitlines():
        if status := re.match(r"\d+:(\w+)(?: \(([^)]*)\))?", line):
            if status.group(1) not in ("PASSED", "SKIPPED"):
                print(line)
            if status.group(1) == "SKIPPED":
                reasons[status.group(2)] = reasons.get(status.group(2), 0) + 1
        elif line.startswith("tests:"):
            closing = line
        elif line.startswith("  ") and "data, judged by" in line:
            print(line)
    for reason, times in reasons.items():
        print(f"skipped {times}: {reason}")
    print("judged by: " + "; ".join(f"{judge} {times}" for judge, times in judges.most_common() if judge))
    print(closing or result.stderr)
    return 0 if re.search(r"invalid_arguments:0 failed:0 crashed:0 timeout:0", closing) else 1


if __name__ == "__main__":
    sys.exit(main())
