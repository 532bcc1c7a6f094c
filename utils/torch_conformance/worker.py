"""Judges samples in a separate process: reads a line of JSON ({"operator", "dtype", "count"}), writes one for each sample, and one that ends the
job."""
import json
import os
import pathlib
import sys
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of operators must not mix with the answers
    sys.path[:0] = [str(ROOT / "python"), str(ROOT / ".cache" / "torchlibs"), str(pathlib.Path(__file__).parent)]
    warnings.filterwarnings("ignore")
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    import samples

    torch.set_num_threads(1)
    operators = {samples.label(op): op for op in op_db}
    for line in sys.stdin:
        job = json.loads(line)
        answer = lambda **facts: print(json.dumps({**job, **facts}), file=answers, flush=True)
        torch.manual_seed(0)
        try:
            taken = samples.taken(operators[job["operator"]], job["dtype"], job["count"])
        except Exception as error:
            taken = []
            answer(sample=-1, outcome="outside", why=f"no samples: {type(error).__name__}")
        for number, given in enumerate(taken):
            answer(sample=number, **samples.judged(given))
        answer(done=True)


if __name__ == "__main__":
    main()
