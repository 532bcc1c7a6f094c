#!/usr/bin/env python3
"""The distance of correct sums from their bounds: the study behind the constants of `assay verify` (kStatistical, kStatisticalNormal,
kStatisticalFloor).

Sums of K products in f32 are computed in NumPy, independently of Assay, in seven correct orders (sequential, reverse, pairwise, blocked,
split-K, fused products, subnormals flushed) on data of seven kinds (normal, uniform, heavy-tailed, cancelling, biased, decaying,
tiny), with factors in f32, bf16, f16 and s8, and compared with the same sums in double. Prints the largest error among the
samples over u * S, S = sum |a||b|, u = 2^-24; and as a share of the theorem's bound gamma(K) S and of the statistical bound that Assay
uses for the kind of data. A last row per kind truncates every addition, which is not correct rounding, but which some matrix units
do. Exit code 1 when a correct order exceeds a bound. With --write FILE the table becomes the Markdown page.
"""
import argparse
import sys

import ml_dtypes
import numpy as np

U = 2.0**-24
DEPTHS = (8, 64, 512, 4096, 32768)
TYPES = ("f32", "bf16", "f16", "s8")
KINDS = ("normal", "uniform", "heavy", "cancel", "biased", "decaying", "tiny")
ORDERS = ("sequential", "reverse", "pairwise", "blocked", "split_k", "fma", "flush")


def statistical(kind, k):
    """The factor of u * S in src/assay/judge/SumBounds.cpp; data whose terms have mean zero have a separate bound."""
    gamma = k / (1 - k * U)
    return min(gamma, max(np.sqrt(k), 16) if kind in ("normal", "cancel") else 6 * np.sqrt(k))


def draw(kind, shape, r):
    a, b = r.standard_normal(shape), r.standard_normal(shape)
    if kind == "uniform":
        a, b = r.random(shape), r.random(shape)
    elif kind == "heavy":
        a, b = r.standard_t(2, shape), r.standard_t(2, shape)
    elif kind == "cancel":  # the second half is nearly the first with the opposite sign
        half = shape[1] // 2
        a[:, half:2 * half] = -a[:, :half] + r.standard_normal((shape[0], half)) / 256
        b[:, half:2 * half] = b[:, :half]
    elif kind == "biased":
        a, b = a + 3, b + 3
    elif kind == "decaying":  # magnitudes over eight decades, in descending order
        a = a * 10.0 ** -np.linspace(0, 8, shape[1])
    elif kind == "tiny":  # products around the smallest normal number
        a, b = a * 2.0**-63, b * 2.0**-63
    return a, b


def rounded(x, dtype, kind):
    if dtype == "f32":
        return x.astype(np.float32)
    if dtype == "s8":
        return np.clip(np.rint(x * (100 if kind == "uniform" else 40)), -128, 127).astype(np.float32)
    return x.astype(ml_dtypes.bfloat16 if dtype == "bf16" else np.float16).astype(np.float32)


def flush(x):
    return np.where(np.abs(x) < 2.0**-126, np.float32(0), x)


def truncated(x):
    """A double truncated to f32, toward zero."""
    y = x.astype(np.float32)
    return np.where(np.abs(y) > np.abs(x), np.nextafter(y, np.float32(0)), y)


def accumulate(p, order, a=None, b=None):
    """f32 sums along axis 1 of the rounded products p."""
    k = p.shape[1]
    if order == "pairwise":
        while p.shape[1] > 1:
            even = p.shape[1] // 2 * 2
            p = np.concatenate([p[:, 0:even:2] + p[:, 1:even:2], p[:, even:]], axis=1)
        return p[:, 0]
    if order in ("blocked", "split_k"):
        length = 64 if order == "blocked" else (k + 3) // 4
        parts = [accumulate(p[:, i:i + length], "sequential") for i in range(0, k, length)]
        return accumulate(np.stack(parts, 1), "sequential")
    s = np.zeros(p.shape[0], np.float32)
    columns = range(k - 1, -1, -1) if order == "reverse" else range(k)
    for i in columns:
        if order == "fma":
            s = (s.astype(np.float64) + a[:, i].astype(np.float64) * b[:, i]).astype(np.float32)
        elif order == "flush":
            s = flush(s + flush(p[:, i]))
        elif order == "truncate":
            s = truncated(s.astype(np.float64) + p[:, i])
        else:
            s = s + p[:, i]
    return s


def study(kind, dtype, k, samples, r):
    """{order: largest error in u * S}; only the part of an error beyond K smallest normal numbers counts."""
    a, b = draw(kind, (samples, k), r)
    if dtype == "f16" and kind == "tiny":
        return {}
    a, b = rounded(a, dtype, kind), rounded(b, dtype, kind)
    exact, size = np.zeros(samples, np.longdouble), np.zeros(samples)
    exact = (a.astype(np.longdouble) * b).sum(1)
    size = np.abs(a.astype(np.float64) * b).sum(1)
    p = a * b
    result = {}
    for order in ORDERS + ("truncate",):
        source = flush(a), flush(b)
        s = accumulate(source[0] * source[1] if order == "flush" else p, order, a, b)
        error = np.maximum(np.abs((s - exact).astype(np.float64)) - k * 2.0**-126, 0)
        result[order] = float(np.max(error / (U * np.where(size > 0, size, 1))))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deepest", type=int, default=DEPTHS[-1], metavar="K", help="leaves out larger K")
    parser.add_argument("--write")
    options = parser.parse_args()
    np.seterr(all="ignore")
    r = np.random.Generator(np.random.Philox(options.seed))
    rows, wrong = [], 0
    for kind in KINDS:
        for dtype in TYPES:
            for k in (depth for depth in DEPTHS if depth <= options.deepest):
                found = study(kind, dtype, k, max(64, min(options.samples, 2**25 // k)), r)
                if not found:
                    continue
                limit, gamma = statistical(kind, k), k / (1 - k * U)
                worst = max(ORDERS, key=lambda order: found[order])
                wrong += found[worst] > limit
                rows.append((kind, dtype, k, found, worst, found[worst] / gamma, found[worst] / limit, found["truncate"] / limit))
                print(f"{kind:9} {dtype:5} K={k:<6} " + " ".join(f"{order} {found[order]:.3g}" for order in ORDERS) +
                      f" | {found[worst] / gamma:.4f} of the theorem, {found[worst] / limit:.3f} of the statistical bound; truncating {found['truncate'] / limit:.3f}",
                      flush=True)
    print(f"{len(rows)} cases, {wrong} beyond the bound; largest share of the statistical bound {max(row[6] for row in rows):.3f}, "
          f"from K = 512 on {max(row[6] for row in rows if row[2] >= 512):.3f}")
    if options.write:
        write(options.write, rows, options)
    return 1 if wrong else 0


def write(path, rows, options):
    with open(path, "w") as out:
        out.write("# How far correct sums are from their bounds\n\nMade by `utils/evidence/verify_calibration.py --write docs/verify_calibration.md` "
                  f"(NumPy, {options.samples} sums per case, seed {options.seed}); its head says what the kinds of data are. Per case the largest error of seven correct "
                  "orders of summation in units of u S (u = 2^-24, S = sum of the products' magnitudes), the order that made it, and that error as a share of the "
                  "theorem's bound gamma(K) S and of the statistical bound in use: sqrt(K) u S, at least 16 u S, for `normal`, 6 sqrt(K) u S for any other data "
                  "(never beyond the theorem's). The last column: an accumulator that truncates every addition, as a share of the statistical bound. It is not correctly "
                  "rounded; above 1 it is reported.\n\n| data | type | K | largest error, u S | order | of theorem | of statistical | truncating |\n|---|---|---|---|---|---|---|---|\n")
        for kind, dtype, k, found, worst, theorem, share, cut in rows:
            out.write(f"| {kind} | {dtype} | {k} | {found[worst]:.3g} | {worst} | {theorem:.4f} | {share:.3f} | {cut:.3f} |\n")
        for kind in KINDS:
            mine = [row for row in rows if row[0] == kind]
            out.write(f"\n`{kind}`: at most {max(row[6] for row in mine):.3f} of the statistical bound, {max(row[5] for row in mine):.3f} of the theorem's.\n")


if __name__ == "__main__":
    sys.exit(main())
