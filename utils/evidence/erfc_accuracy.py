#!/usr/bin/env python3
"""The accuracy of erfc in f32, for libraries and for the forms that kernels use, and the bound that Assay allows
(judge/program/CommonForms.cpp). The truth is mpmath's, with 40 digits. Prints a table; --write FILE puts it between the marks
of a page. Exit code 1: a form exceeds the bound.
"""
import argparse
import pathlib
import sys

import mpmath
import numpy as np

ULPS, ABSOLUTE, ROW = 4, 2.0**-21, 16  # kUlps and kAbsolute of CommonForms.cpp, the row of OpBounds.def
MARKS = "<!-- erfc: made by utils/evidence/erfc_accuracy.py -->", "<!-- erfc end -->"


def points():
    """f32 numbers over erfc's range: dense where it changes, tiny, and large of both signs."""
    dense = np.linspace(-4, 10.2, 20001)
    tiny = np.concatenate([sign * np.logspace(-30, -1, 400) for sign in (1, -1)])
    return np.unique(np.concatenate([dense, tiny, [0.0, -8.0, -40.0, 12.0]]).astype(np.float32))


def polynomial(x):
    """Abramowitz and Stegun 7.1.26, all in f32: the form of small kernels."""
    f = np.float32
    t = f(1) / (f(1) + f(0.3275911) * np.abs(x))
    series = t * (f(0.254829592) + t * (f(-0.284496736) + t * (f(1.421413741) + t * (f(-1.453152027) + t * f(1.061405429)))))
    rest = series * np.exp(-x * x)
    return np.where(x >= 0, rest, f(2) - rest).astype(f)


def forms():
    import jax
    import scipy.special
    import torch

    of_torch = lambda function: lambda x: function(torch.from_numpy(x)).numpy()
    of_jax = lambda function: lambda x: np.asarray(jax.jit(function)(x))
    return {
        "torch.erfc": of_torch(torch.erfc),
        "1 - torch.erf": of_torch(lambda x: 1 - torch.erf(x)),
        "jax.scipy.special.erfc": of_jax(jax.scipy.special.erfc),
        "1 - jax.scipy.special.erf": of_jax(lambda x: 1 - jax.scipy.special.erf(x)),
        "scipy.special.erfc": scipy.special.erfc,
        "1 - scipy.special.erf": lambda x: np.float32(1) - scipy.special.erf(x),
        "polynomial 7.1.26 in f32": polynomial,
    }


def measured(function, x, exact, bound):
    got = function(x)
    assert got.dtype == np.float32, got.dtype
    error = np.abs(got.astype(np.float64) - exact)
    ulps = error / np.spacing(np.maximum(np.abs(exact), 2.0**-126).astype(np.float32)).astype(np.float64)
    return error.max(), ulps.max(), (error / bound).max(), x[(error / bound).argmax()]


def table():
    mpmath.mp.dps = 40
    x = points()
    exact = np.array([float(mpmath.erfc(mpmath.mpf(float(one)))) for one in x])
    spacing = np.spacing(np.maximum(np.abs(exact), 2.0**-126).astype(np.float32)).astype(np.float64)
    bound = ROW * spacing + ULPS * 2.0**-23 * np.abs(exact) + ABSOLUTE
    lines = ["| form | largest error | in ulp | of the bound | there x = |", "|---|---|---|---|---|"]
    worst = 0.0
    for name, function in forms().items():
        error, ulps, share, where = measured(function, x, exact, bound)
        worst = max(worst, share)
        lines.append(f"| {name} | {error:.2e} | {ulps:.3g} | {share:.3f} | {where:.6g} |")
    lines.append("")
    lines.append(f"{x.size} numbers from -40 to 12; bound: {ROW} ulp + {ULPS} * 2^-23 |erfc(x)| + 2^-21.")
    return lines, worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", metavar="FILE")
    options = parser.parse_args()
    lines, worst = table()
    print("\n".join(lines))
    if options.write:
        page = pathlib.Path(options.write)
        before, rest = page.read_text().split(MARKS[0])
        page.write_text(before + MARKS[0] + "\n" + "\n".join(lines) + "\n" + MARKS[1] + rest.split(MARKS[1])[1])
    return 1 if worst > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
