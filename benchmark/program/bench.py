"""Compares whole programs in the native engine with other compilers.

usage: ./dev bench program [--json FILE] [--only=PART_OF_A_NAME] [--form=jax|torch] [--threads=1|2] [--peers=XLA,ONNX,...]
                           [--rounds=N] [--extra]

A case is a model (models.py) as JAX writes it (channels last) or as PyTorch exports it (channels first), on a number of threads. Each peer (described
in peers/NAME.py) has its own process (side.py), bound to as many cores. The sides take turns, and a sample is the median of eight calls. Ours is
`assay run --repeat`, which keeps its plan, kernels and packed weights as the others keep their compiled code; "fresh" is `assay.load`, where the
weights may change from call to call. Our results are compared with the framework's own by rule `dtype` before anything is timed. Models named `_wino`
are the same with `--alg=auto`; their peers have no Winograd for f32. "first" is the wall time of the first `assay run` of a program, which compiles
its kernels, and of the second, which finds them on disk. The ratio is to the best peer of each turn. The limit is the machine's measured rate of f32
multiply-adds on that many threads.
"""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
SIDE = [sys.executable, str(HERE / "side.py")]


class Peer:
    """A peer's process; `why`: why the peer is left out of this case."""

    def __init__(self, name, case, threads, folder):
        self.name, self.why = name, ""
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([*SIDE, name, *case, str(threads), folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, text=True)
        said = self.process.stdout.readline().strip()
        if said != "ready":
            self.log.seek(0)
            last = self.log.read().decode(errors="replace").strip().splitlines()
            self.why = said or (last[-1] if last else "ended without a word")

    def turn(self):
        self.process.stdin.write("turn\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Ours:
    def __init__(self, model, threads, folder):
        self.algorithm = model.alg
        self.cores = sorted(os.sched_getaffinity(0))[:threads]
        self.folder, self.threads = pathlib.Path(folder), threads

    def run(self, *words, **environment):
        command = ["assay", "run", self.folder / "program.mlir", "--engine", "native", "--input", self.folder / "data.npz",
                   "--threads", str(self.threads), "--alg", self.algorithm, "--quiet", *words]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, env={**os.environ, **environment},
                              preexec_fn=lambda: os.sched_setaffinity(0, self.cores))

    def judge(self):
        done = self.run("--expect", self.folder / "data.npz")
        if done.returncode != 0:
            sys.exit(f"bench program: the results differ:\n{done.stdout}{done.stderr}")

    def first(self):
        """The seconds of the first run and of the next one, without the time for reading the arguments."""
        seconds = []
        with tempfile.TemporaryDirectory() as cache:
            for _ in range(2):
                start = time.perf_counter()
                self.run("--output", self.folder / "result.npz", XDG_CACHE_HOME=cache)
                seconds.append(time.perf_counter() - start)
        return seconds

    def turn(self):
        return float(re.search(r"median ([0-9.]+) ms", self.run("--repeat", "9").stdout)[1])


def flops_of(model):
    """The multiply-adds of convolutions and products in the JAX row, times two."""
    code = f"import sys; sys.path.insert(0, {str(HERE)!r}); from models import MODELS; print(MODELS[{model!r}].jax()[2])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return float(done.stdout.split()[-1]) if done.returncode == 0 else math.nan


def measure(case, threads, folder, options):
    import samples
    from models import MODELS
    ours = Ours(MODELS[case[0]], threads, folder)
    ours.judge()
    first = ours.first()
    everyone = [Peer(name, case, threads, folder) for name in [*options.peers.split(","), "fresh"]]
    peers, fresh = [one for one in everyone[:-1] if not one.why], everyone[-1]
    ms, others = samples.Samples("best", *(one.name for one in peers)), []
    for _ in range(options.rounds):
        turns = {one.name: one.turn() for one in peers}
        ms.add(ours.turn(), best=min(turns.values()), **turns)
        others.append(fresh.turn() if not fresh.why else math.nan)
    for one in everyone:
        one.end()
    return ms, first, others, {one.name: one.why for one in everyone if one.why}


def show(case, threads, ms, first, fresh, share, absent):
    peers = ", ".join(f"{name} {ms.least(name):.1f}" for name in ms.peers if name != "best")
    print(f"{case[0]:20} {case[1]:5} {threads} threads  ours {ms.least():8.1f} ms (fresh {min(fresh):8.1f}), {100 * share:3.0f}% of limit, first "
          f"{first[0]:.1f} s, then {first[1]:.1f} s; {peers}; best peer {ms.against('best')}", flush=True)
    for name, why in absent.items():
        print(f"    without {name}: {why[:150]}", flush=True)


def main():
    import samples
    from models import EXTRA, MODELS
    from peers import UNFAIR
    parser = argparse.ArgumentParser(description="Whole programs against other compilers.")
    parser.add_argument("--json")
    parser.add_argument("--only", default="")
    parser.add_argument("--form")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", default=",".join(UNFAIR))
    parser.add_argument("--extra", action="store_true", help="models that are not in the table of the defaults")
    options, _ = parser.parse_known_args()
    for name in options.peers.split(","):
        print(f"{name}: {UNFAIR[name]}")
    counts = [options.threads] if options.threads else [1, 2] if len(os.sched_getaffinity(0)) > 1 else [1]
    peaks = {threads: samples.peak_gflops(threads) or math.nan for threads in counts}
    rows, ratios, shares = [], [], []
    for name, model in MODELS.items():
        if options.only not in name or (name in EXTRA) != options.extra:
            continue
        flops = flops_of(name) if model.jax else math.nan
        for form in [options.form] if options.form else model.forms():
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([*SIDE, "export", name, form, folder], capture_output=True, text=True)
                if done.returncode != 0:
                    sys.exit(f"bench program: {name} ({form}) was not exported: {done.stderr}")
                for threads in counts:
                    ms, first, fresh, absent = measure((name, form), threads, folder, options)
                    share = flops / ms.least() * 1e-6 / peaks[threads]
                    ratios.append(ms.against("best").median)
                    shares.append(share)
                    rows.append(dict(program=name, form=form, threads=threads, share=share, first_s=first, fresh_ms=fresh, ms=ms.json()))
                    show((name, form), threads, ms, first, fresh, share, absent)
    if not ratios:
        sys.exit("bench program: no model has such a name")
    known = [share for share in shares if not math.isnan(share)]
    samples.closing("program", "best peer", ratios, sum(known) / len(known) if known else None)
    samples.write(options.json, "program", rows)


if __name__ == "__main__":
    main()
