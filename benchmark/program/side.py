"""One side of a case in a separate process, bound to a number of cores.

usage: side.py export MODEL FORM DIR        writes program.mlir and data.npz (in0, ..., out0, ... of the framework itself); FORM may also be
                                            "assay": PyTorch's form, exported by assay.torch.export
       side.py PEER MODEL FORM THREADS DIR  prints "ready", then runs a turn for each line that it reads and prints its median in ms

A peer is peers/PEER.py with `prepare(model, form, threads, folder) -> (call, results)`: call() runs the program to its end, results are
NumPy arrays from one run, which are compared with the framework's own in data.npz.
"""
import os
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
CALLS = 8


def export(model, form, folder):
    import numpy as np
    from models import MODELS
    if form == "assay":
        from torch_rows import export_by_assay
        return export_by_assay(MODELS[model].torch, folder)
    if form == "torch":
        from torch_rows import export as torch_export
        text, inputs, outputs = torch_export(MODELS[model].torch)
    else:
        from peers import XLA
        text, inputs, outputs = XLA.export(MODELS[model].jax)
    (folder / "program.mlir").write_text(text)
    np.savez(folder / "data.npz", **{f"in{i}": value for i, value in enumerate(inputs)}, **{f"out{i}": value for i, value in enumerate(outputs)})


def differs(results, folder):
    """What is wrong with a peer's results, or None. This only checks that the peer computes the same function."""
    import numpy as np
    with np.load(folder / "data.npz") as data:
        for i, result in enumerate(results):
            wanted = data[f"out{i}"]
            worst = float(np.abs(result.reshape(wanted.shape) - wanted).max()) if wanted.size else 0
            if not worst <= 1e-2 * float(np.abs(wanted).max()):
                return f"result {i} is off by {worst:.1e}"
    return ""


def turn(call):
    """The median of eight calls in ms, after a call to warm up, which brings its data into the caches, as for our side."""
    call()
    times = []
    for _ in range(CALLS):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def main():
    if sys.argv[1] == "export":
        return export(sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4]))
    peer, model, form, threads, folder = sys.argv[1:]
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(threads)])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the output of libraries must not mix with the answers
    call, results = getattr(__import__("peers", fromlist=[peer]), peer).prepare(model, form, int(threads), pathlib.Path(folder))
    wrong = differs(results, pathlib.Path(folder)) if results else ""
    print(f"wrong: {wrong}" if wrong else "ready", file=out, flush=True)
    for _ in sys.stdin:
        print(turn(call), file=out, flush=True)


if __name__ == "__main__":
    main()
