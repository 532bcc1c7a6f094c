"""The gain from the logarithm of the target and from the number of trees: a table for Assay's own measurements.

usage: .venv/bin/python benchmark/tune/table.py [--assay PROGRAM] [--data FOLDER]

Each row trains a model of TFLOPS (two folds, whole problems held out) and compares the kernel that the out-of-fold
predictions would pick with the best measured one of the same problem: mean, 10th percentile and minimum of that share, and
its mean over tiny M (M < 8) and M = 1. A picked kernel that failed counts as zero. Training stops early on an inner split:
`trees` is the most that it may use.
"""
import argparse
import subprocess
import tempfile

import numpy
import pyarrow.parquet

ROWS = [
    (500, False),
    (100, True),
    (500, True),
    (2000, True),
]


def train(program, data, trees, log, folder):
    command = [program, "tune", "train", "--data_dir", data, "--out_dir", folder, "--targets", "tflops", "--n_splits", "2",
               "--n_estimators", str(trees), "--threads", "2", "--quiet"]
    subprocess.run(command + ([] if log else ["--no_log_transform"]), check=True, stdout=subprocess.DEVNULL)
    return pyarrow.parquet.read_table(folder + "/oof_predictions.parquet").to_pandas()


def efficiencies(rows):
    """Problem -> rate of the picked kernel over the best one."""
    result = {}
    for problem, group in rows.groupby("problem"):
        best = group.loc[group.is_valid, "measured_tflops"].max()
        pick = group.loc[group.predicted_tflops.idxmax()]
        result[problem] = pick.measured_tflops / best if pick.is_valid else 0.0
    return result


def rows_of(problem):
    """The M in "f32 rcr 16x512x64 b1 t1"."""
    return int(next(word for word in problem.split() if word.count("x") == 2).split("x")[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assay", default="build/release/bin/assay")
    parser.add_argument("--data", default="models/gemm_f32_rcr/data")
    options = parser.parse_args()
    print("| logarithm | trees | mean | P10 | minimum | M < 8 | M = 1 |")
    print("|---|---|---|---|---|---|---|")
    for trees, log in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            shares = efficiencies(train(options.assay, options.data, trees, log, folder))
        everywhere = numpy.array(list(shares.values()))
        tiny = numpy.array([share for problem, share in shares.items() if rows_of(problem) < 8])
        one = numpy.array([share for problem, share in shares.items() if rows_of(problem) == 1])
        figures = [everywhere.mean(), numpy.percentile(everywhere, 10), everywhere.min(), tiny.mean(), one.mean()]
        print(f"| {'yes' if log else 'no'} | {trees} | " + " | ".join(f"{100 * f:.2f} %" for f in figures) + " |",
              flush=True)
    print(f"{len(everywhere)} problems, {len(tiny)} of them with M < 8, {len(one)} with M = 1")


if __name__ == "__main__":
    main()
