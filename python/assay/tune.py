"""Kernel selection from Python: a model folder ranks this machine's kernels for a problem.

    from assay.tune import Predictor
    best = Predictor("models/gemm_f32_rcr").rank_kernels({"m": 128, "n": 1536, "k": 7168}, top_k=3)[0]
    best["kernel"], best["tflops"]

The ranking is `assay tune predict`'s; nothing is computed here.
"""
import json
import subprocess

from . import program

KEYS = ("op", "dtype", "layout", "m", "n", "k", "batch", "threads")


class Predictor:
    """The model in `model_dir`."""

    def __init__(self, model_dir):
        self.model_dir = str(model_dir)

    def rank_kernels(self, problem, top_k=10):
        """The best `top_k` kernels for `problem`, best first.

        `problem` is a mapping with m, n, k and, where they differ from the program's own defaults, op, dtype, layout,
        batch, threads. Each entry has `kernel`, `score`, and what the model predicts (`tflops`, `latency` in
        milliseconds, `bandwidth` in GB/s). Raises ValueError with the program's message: a missing or unknown key, no such
        folder, a model of another machine, schema or list of kernels.
        """
        unknown = sorted(set(problem) - set(KEYS))
        if unknown:
            raise ValueError(f"a problem has no {', '.join(unknown)}; it has {', '.join(KEYS)}")
        arguments = ["tune", "predict", "--model_dir", self.model_dir, "--top_k", str(top_k), "--json", "-"]
        for key in KEYS:
            if key in problem:
                arguments += [f"--{key}", str(problem[key])]
        done = subprocess.run([program.find(), *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise ValueError(done.stderr.strip() or f"assay tune predict ended with code {done.returncode}")
        return json.loads(done.stdout)["kernels"]

    def select_best(self, problem):
        """The name of the kernel that ranks first."""
        return self.rank_kernels(problem, top_k=1)[0]["kernel"]
