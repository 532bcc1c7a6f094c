"""Examines twelve widely used acceptance idioms with assay.audit: which wrong results each accepts, which right ones it rejects.

usage: python utils/evidence/audit_idioms.py [--write]

The programs are a softmax, a product and a layer norm, in f32 and bf16, small and large. --write makes docs/audit_idioms.md.
"""
import argparse
import pathlib
import sys
import warnings

import numpy as np
import torch

import assay

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "audit_idioms.md"


def flat(got, expected):
    return got.double().flatten(), expected.double().flatten()


def cosine(got, expected):
    a, b = flat(got, expected)
    return bool(torch.nn.functional.cosine_similarity(a, b, dim=0) > 0.99)


def relative_l2(got, expected):
    a, b = flat(got, expected)
    return bool((a - b).norm() <= 1e-2 * b.norm())


def largest(got, expected):
    a, b = flat(got, expected)
    return bool((a - b).abs().max() < 1e-3)


def mean_error(got, expected):
    a, b = flat(got, expected)
    return bool((a - b).abs().mean() < 1e-3)


def most_close(got, expected):
    """The rule of benchmarks of low precision: 99 % of the elements within 1e-2."""
    a, b = flat(got, expected)
    return bool(((a - b).abs() <= 1e-2 + 1e-2 * b.abs()).double().mean() >= 0.99)


def by_numpy(test):
    return lambda got, expected: test(got.float().numpy(), expected.float().numpy())


IDIOMS = [
    ("torch.testing.assert_close", torch.testing.assert_close),
    ("torch.allclose", torch.allclose),
    ("torch.allclose(1e-2, 1e-2)", lambda got, expected: torch.allclose(got, expected, rtol=1e-2, atol=1e-2)),
    ("torch.allclose(1e-3, 1e-5)", lambda got, expected: torch.allclose(got, expected, rtol=1e-3, atol=1e-5)),
    ("np.testing.assert_allclose", by_numpy(np.testing.assert_allclose)),
    ("np.allclose", by_numpy(np.allclose)),
    ("np.testing.assert_array_almost_equal", by_numpy(np.testing.assert_array_almost_equal)),
    ("cosine > 0.99", cosine),
    ("relative L2 <= 1e-2", relative_l2),
    ("largest error < 1e-3", largest),
    ("mean error < 1e-3", mean_error),
    ("99 % within 1e-2", most_close),
]


def programs():
    for word, element in (("f32", assay.f32), ("bf16", assay.bf16)):
        for size, (m, n, k) in (("small", (8, 32, 16)), ("large", (64, 1024, 512))):
            yield f"softmax {word} {size}", lambda x: torch.softmax(x, -1), [element[m, n]]
            yield f"product {word} {size}", lambda a, b: torch.matmul(a, b), [element[m, k], element[k, m]]
            yield f"layer norm {word} {size}", lambda x, w, b: torch.nn.functional.layer_norm(x, w.shape, w, b), [element[m, n], element[n], element[n]]


def main(write):
    warnings.simplefilter("ignore")
    lines, failed = [], False
    for name, reference, inputs in programs():
        for title, accepts in [*IDIOMS, ("the derived bound", "bound")]:
            report = assay.audit(accepts, reference, *inputs, framework="torch")
            failed |= title == "the derived bound" and not report
            seen = "none" if report.smallest_seen is None else f"{report.smallest_seen:.1e}"
            passes = f"{len(report.accepted)} of {report.facts['faults']}"
            lines.append(f"| {name} | {title} | {passes} | {', '.join(report.accepted) or '-'} | {', '.join(report.rejected) or '-'} | {seen} |")
            print(lines[-1], flush=True)
    if write:
        PAGE.write_text("\n".join([
            "# Twelve acceptance idioms, audited", "",
            "Made by `python utils/evidence/audit_idioms.py --write`; what the columns mean: [audit.md](audit.md). The last row of each program is what",
            "`assay.check` judges by.", "",
            "| program | acceptance | faults accepted | which | right results rejected | smallest fault seen (rms) |", "|---|---|---|---|---|---|", *lines, "",
        ]))  # fmt: skip
    return int(failed)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="writes docs/audit_idioms.md")
    sys.exit(main(options.parse_args().write))
