"""Convolutions in the native engine beside oneDNN as PyTorch calls it.

usage: ./dev bench conv [--json FILE] [--only=PART_OF_A_NAME] [--direction=forward|data|weights] [--layout=last|first]
                        [--dtype=f32|bf16|u8s8] [--threads=1|2] [--rounds=N]

The layers of layers.py (ResNet-50, VGG-19, MobileNet, ConvNeXt, ResNeXt, dilated, 1-D audio, 3-D U-Net) in f32 (or bf16, or bytes
with sums of 32 bits, forward only), forward, gradient of the data and of the weights, channels last (NHWC, as JAX writes them) and first (NCHW). Ours are StableHLO programs in this
process (`assay.load`), the peer's are aten's convolution and convolution_backward on the same numbers; the results are
compared before anything is timed. Sides take turns of about three milliseconds; a sample is a turn's time for one call, on one
thread that of the processor; on two a turn begins with a rest, until the other side's idle threads have gone to sleep. The limit is
the machine's measured rate of f32 multiply-adds on that many threads (`assay doctor`), whatever the type.

Unfair: PyTorch picks its library for itself (oneDNN nearly everywhere, its own loops for some depthwise and 3-D gradients),
and both pay their Python call: about 5 us there, 30 us here. Bytes: its filter is packed ahead,
its results are f32 and may be of another layout, ours are 32-bit integers.
"""
import argparse
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import samples  # noqa: E402

GREATEST_DIFFERENCE = {"f32": 2e-5, "bf16": 1e-2, "u8s8": 1e-9}  # of the greatest value: sums of up to 25,000 products

IDLE_SECONDS = 0.03  # OpenMP's threads look for work that long after a side's turn, on cores that the other side's want


def turn(call, repeats, threads):
    """Milliseconds of a call: on one thread by the processor's time, which other programs on the machine do not lengthen by taking it away; on
    two after a rest and a call that counts nothing."""
    if threads > 1:
        time.sleep(IDLE_SECONDS)
        call()
    clock = time.process_time if threads == 1 else time.perf_counter
    start = clock()
    for _ in range(repeats):
        call()
    return (clock() - start) / repeats * 1e3


def measure(case, threads, rounds):
    """The samples of both sides in ms, or what is wrong."""
    import assay
    import torch
    torch.set_num_threads(threads)
    text, arguments = case.program()
    program, theirs = assay.load(text, engine="native", threads=threads), case.torch_call()
    ours = lambda: program(*arguments)
    difference = case.difference(ours(), theirs())
    if not difference < GREATEST_DIFFERENCE[case.dtype]:
        return None, f"results differ by {difference:.1e} of the greatest value"
    repeats = [max(1, min(500, int(3 / max(1e-3, turn(side, 2, threads))))) for side in (ours, theirs)]
    ms = samples.Samples("oneDNN")
    for _ in range(rounds):
        ms.add(turn(ours, repeats[0], threads), oneDNN=turn(theirs, repeats[1], threads))
    return ms, ""


def main():
    parser = argparse.ArgumentParser(description="Convolutions beside oneDNN.")
    parser.add_argument("--json")
    parser.add_argument("--only", default="")
    parser.add_argument("--direction")
    parser.add_argument("--layout")
    parser.add_argument("--dtype", default="f32")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--rounds", type=int, default=9)
    options, _ = parser.parse_known_args()
    import layers
    rows, ratios, shares, wrong = [], {}, [], 0
    print(f"{'layer':25} {'direction':9} {'channels':8} {'threads':>7} {'oneDNN ms':>10} {'ours ms':>9} {'of limit':>9}   ratio")
    counts = [options.threads] if options.threads else [1, 2] if len(os.sched_getaffinity(0)) > 1 else [1]
    peaks = {threads: samples.peak_gflops(threads) for threads in counts}
    for threads in counts:
        for layer in layers.LAYERS:
            for direction in [options.direction] if options.direction else layers.DIRECTIONS[: 1 if options.dtype == "u8s8" else 3]:
                for layout in [options.layout] if options.layout else layers.LAYOUTS:
                    if options.only not in layer.name:
                        continue
                    ms, reason = measure(layers.Case(layer, direction, layout, options.dtype), threads, options.rounds)
                    words = f"{layer.name:25} {direction:9} {layout:8} {threads:7}"
                    if reason:
                        print(f"{words} WRONG: {reason}", flush=True)
                        wrong += 1
                        continue
                    ratio, share = ms.against("oneDNN"), layer.flops / ms.least() * 1e-6 / peaks[threads]
                    ratios.setdefault((direction, layout), []).append(ratio.median)
                    shares.append(share)
                    rows.append(dict(layer=layer.name, dtype=options.dtype, direction=direction, layout=layout, threads=threads, share=share, ms=ms.json()))
                    print(f"{words} {ms.least('oneDNN'):10.3f} {ms.least():9.3f} {100 * share:8.0f}%   {ratio}", flush=True)
    for (direction, layout), some in ratios.items():
        samples.closing("conv", f"oneDNN, {direction}, channels {layout}", some)
    if ratios:
        samples.closing("conv", "oneDNN in PyTorch", [one for some in ratios.values() for one in some], sum(shares) / len(shares))
    samples.write(options.json, "conv", rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
