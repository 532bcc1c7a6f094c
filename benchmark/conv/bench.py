"""Compares convolutions in the native engine with oneDNN: as PyTorch calls it, and the installed one through its own interface.

usage: ./dev bench conv [--json FILE] [--only=PART_OF_A_NAME] [--direction=forward|data|weights] [--layout=last|first]
                        [--dtype=f32|bf16|u8s8] [--threads=1|2] [--rounds=N]

The layers of layers.py (ResNet-50, VGG-19, MobileNet, ConvNeXt, ResNeXt, dilated, 1-D audio, 3-D U-Net) in f32 (or bf16, or bytes
with sums of 32 bits, forward only): forward, gradient of the data and of the weights, channels last (NHWC, as JAX writes them) and first
(NCHW). Ours are StableHLO programs in this process (`assay.load`), PyTorch's are aten's convolution and convolution_backward on the same
numbers; oneDNN's own primitives (Debian's 2.6) run in a separate process (onednn.py, OneDnn.cpp), if that is built. All results
are compared before anything is timed. The sides take turns of about three milliseconds. A sample is the time per call in a turn: on one
thread, processor time; on two, a turn begins with a rest, until the other sides' idle threads have gone to sleep, and an untimed call, because
the other sides' data have replaced this side's in the caches. The ratio is to the best peer of each turn; `best` names the one with the smallest
time. The limit is the machine's measured rate of f32 multiply-adds on that many threads (`assay doctor`), whatever the type.

Differences between the sides: PyTorch chooses its library itself (oneDNN nearly everywhere, its own loops for some depthwise and 3-D gradients).
Both PyTorch and Assay are called from Python, which costs about 5 us there and 30 us here; oneDNN alone is not, writes into the same memory at
each call, and uses the faster of two layouts of the images. Filters are arguments on all sides and brought into the library's preferred order in
each call (all operands begin on a cache line), except for bytes: there both peers' filters are packed beforehand, PyTorch's results are f32 and
may have another layout, ours and oneDNN's are 32-bit integers.
"""
import argparse
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import onednn  # noqa: E402
import samples  # noqa: E402

GREATEST_DIFFERENCE = {"f32": 2e-5, "bf16": 1e-2, "u8s8": 1e-9}  # relative to the greatest value: for sums of up to 25,000 products

IDLE_SECONDS = 0.03  # OpenMP's threads wait actively for this long after a side's turn, on cores that the other side needs


def turn(side, repeats, threads):
    """The milliseconds per call, after an untimed one: on one thread in processor time, which other programs on the machine do not lengthen;
    on two after a rest."""
    if threads > 1:
        time.sleep(IDLE_SECONDS)
    if not callable(side):
        return side.turn(repeats)  # with the same clocks
    side()
    clock = time.process_time if threads == 1 else time.perf_counter
    start = clock()
    for _ in range(repeats):
        side()
    return (clock() - start) / repeats * 1e3


def repeats_of(side, threads):
    """The number of calls that take about three milliseconds, once the side's data are in the caches."""
    repeats = 2
    for _ in range(2):
        repeats = max(1, min(500, int(3 / max(1e-3, turn(side, repeats, threads)))))
    return repeats


def compared(case, results):
    """What is wrong with a peer's result, or None."""
    for name, result in list(results.items())[1:]:
        difference = case.difference(results["ours"], result)
        if not difference < GREATEST_DIFFERENCE[case.dtype]:
            return f"ours and {name} differ by {difference:.1e} of the greatest value"
    return ""


def measure(case, threads, rounds, alone):
    """The samples of all sides in ms, what is wrong, and why oneDNN alone is not among them (its name first; empty if it is)."""
    import assay
    import torch
    torch.set_num_threads(threads)
    text, arguments = case.program()
    program, theirs = assay.load(text, engine="native", threads=threads), case.torch_call()
    sides, absent = {"ours": lambda: program(*arguments), "oneDNN": theirs}, ""
    results = {"ours": sides["ours"](), "oneDNN": case.as_ours(theirs())}
    process = onednn.OneDnn(case, threads) if alone else None
    if process and process.why:
        absent = process.why
    elif process:
        sides[alone], results[alone] = process, process.array()
    wrong = compared(case, results)
    ms = samples.Samples("best", *list(sides)[1:])
    if not wrong:
        repeats = {name: repeats_of(side, threads) for name, side in sides.items()}
        for _ in range(rounds):
            times = {name: turn(side, repeats[name], threads) for name, side in sides.items()}
            ours = times.pop("ours")
            ms.add(ours, best=min(times.values()), **times)
    if process:
        process.end()
    return ms, wrong, absent


def cases(options, counts):
    """(case, threads) for the requested cases."""
    import layers
    directions = [options.direction] if options.direction else layers.DIRECTIONS[: 1 if options.dtype == "u8s8" else 3]
    for threads in counts:
        for layer in layers.LAYERS:
            for direction in directions if options.only in layer.name else []:
                for layout in [options.layout] if options.layout else layers.LAYOUTS:
                    yield layers.Case(layer, direction, layout, options.dtype), direction, layout, threads


def close(ratios, shares):
    for (direction, layout), some in ratios.items():
        samples.closing("conv", f"best peer, {direction}, channels {layout}", some)
    if ratios:
        samples.closing("conv", "best peer", [one for some in ratios.values() for one in some], sum(shares) / len(shares))


def main():
    parser = argparse.ArgumentParser(description="Convolutions against oneDNN.")
    parser.add_argument("--json")
    parser.add_argument("--only", default="")
    parser.add_argument("--direction")
    parser.add_argument("--layout")
    parser.add_argument("--dtype", default="f32")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--rounds", type=int, default=9)
    options, _ = parser.parse_known_args()
    rows, ratios, shares, wrong = [], {}, [], 0
    alone = onednn.version()
    print(f"oneDNN: in PyTorch; {f'{alone}: alone' if alone else 'alone: not built here (Debian: libdnnl-dev)'}")
    print(f"{'layer':25} {'direction':9} {'channels':8} {'threads':>7} {'best':10} {'best ms':>10} {'ours ms':>9} {'of limit':>9}   ratio")
    counts = [options.threads] if options.threads else [1, 2] if len(os.sched_getaffinity(0)) > 1 else [1]
    peaks = {threads: samples.peak_gflops(threads) for threads in counts}
    for case, direction, layout, threads in cases(options, counts):
        layer = case.layer
        ms, reason, absent = measure(case, threads, options.rounds, alone)
        words = f"{layer.name:25} {direction:9} {layout:8} {threads:7}"
        if reason:
            print(f"{words} WRONG: {reason}", flush=True)
            wrong += 1
            continue
        ratio, share = ms.against("best"), layer.flops / ms.least() * 1e-6 / peaks[threads]
        ratios.setdefault((direction, layout), []).append(ratio.median)
        shares.append(share)
        rows.append(dict(layer=layer.name, dtype=options.dtype, direction=direction, layout=layout, threads=threads, share=share, ms=ms.json()))
        best = min(list(ms.peers)[1:], key=ms.least)
        print(f"{words} {best:10} {ms.least('best'):10.3f} {ms.least():9.3f} {100 * share:8.0f}%   {ratio}", flush=True)
        if absent:
            print(f"    without {absent}", flush=True)
    close(ratios, shares)
    samples.write(options.json, "conv", rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
