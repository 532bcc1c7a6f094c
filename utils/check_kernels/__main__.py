"""Tests assay.check and three widely used tests on kernels with one fault each, and on right kernels.

usage: python utils/check_kernels [--write] [FAMILY...]

Every kernel is tested by assay.check's default call; by torch.testing.assert_close with its defaults on one draw of normal data; by
KernelBench's rule (allclose, 1e-2, on five draws); by allclose with 1e-2 on one draw. Exit code 1 unless assay.check
catches every fault and rejects no right kernel. --write puts the table into docs/check_kernels.md.
"""
import pathlib
import sys
import warnings

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import attention
import products
import rows
import torch

import assay
from assay import arrays
from assay.checking import Question
from assay.elements import Spec
from assay.reference import make

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "check_kernels.md"
PEERS = ("assert_close", "KernelBench", "allclose 1e-2")


def drawn(family, framework, seed):
    random = np.random.default_rng(seed)
    made = []
    for one in family.inputs:
        if isinstance(one, Spec):
            small = one.dtype == "int8"
            one = random.integers(-128, 128, one.shape).astype(np.int8) if small else random.normal(size=one.shape).astype(one.dtype)
        made.append(arrays.of_bytes(one.tobytes(), str(one.dtype), one.shape, framework))
    return made


def expected(family, seed):
    """The reference's own result in its own precision, the expected value in common tests."""
    kind = "torch" if make(family.reference, Question(None, family.inputs, {})).kind == "PyTorch" else "jax"
    return np.asarray(family.reference(*drawn(family, kind, seed)))


def peers(family, kernel, framework, due):
    """For each of the three tests, whether it accepts the kernel."""
    close, bench, loose = True, True, True
    for seed in range(5):
        got = np.asarray(kernel(*drawn(family, framework, seed)))
        a, b = torch.from_numpy(np.array(got)), torch.from_numpy(np.array(due[seed]))
        near = a.shape == b.shape and torch.allclose(a, b, rtol=1e-2, atol=1e-2)
        bench &= near
        if seed == 0:
            loose = near
            try:
                torch.testing.assert_close(a, b)
            except AssertionError:
                close = False
    return close, bench, loose


def main(words):
    warnings.simplefilter("ignore")
    named = [word for word in words if not word.startswith("--")]
    lines, counts = [], {True: [0] * 5, False: [0] * 5}
    for family in rows.FAMILIES + products.FAMILIES + attention.FAMILIES:
        if named and family.name not in named:
            continue
        due = [expected(family, seed) for seed in range(5)]
        for kernel, framework, fault in family.kernels:
            verdict = assay.check(kernel, family.reference, *family.inputs, framework=framework, special=family.special[kernel])
            others = peers(family, kernel, framework, due)
            is_right = fault is None
            row = counts[is_right]
            row[0] += 1
            for place, accepted in enumerate((bool(verdict), *others)):
                row[place + 1] += accepted
            bad = bool(verdict) != is_right
            shown = ["passes" if accepted else "fails" for accepted in (bool(verdict), *others)]
            lines.append(f"| {family.name} | {framework} | {fault or 'right'} | {shown[0]}{' **BAD**' if bad else ''} | {' | '.join(shown[1:])} | {verdict.pattern} |")
            print(lines[-1], flush=True)
    table = summary(counts)
    print(*table, sep="\n")
    if "--write" in words:
        PAGE.write_text(page(table, lines))
    return 0 if counts[False][1] == 0 and counts[True][1] == counts[True][0] else 1


def summary(counts):
    wrong, right = counts[False], counts[True]
    head = f"| | assay.check | {' | '.join(PEERS)} |"
    return [
        head, "|---|---|---|---|---|",
        f"| of {wrong[0]} kernels with a fault: caught | {' | '.join(str(wrong[0] - n) for n in wrong[1:])} |",
        f"| of {right[0]} right kernels: rejected | {' | '.join(str(right[0] - n) for n in right[1:])} |",
    ]  # fmt: skip


def page(table, lines):
    text = [
        "# Kernels with one fault each, before four tests",
        "",
        "Made by `python utils/check_kernels --write`; [check.md](check.md) says what `assay.check` does. `assert_close` is",
        "`torch.testing.assert_close` with its defaults on one draw of normal data, KernelBench is its rule (`allclose` with 1e-2 on five",
        "draws), the last is `allclose` with 1e-2 on one draw; expected values are the reference's own in f32.",
        "",
        *table,
        "",
        "| family | arrays | kernel | assay.check | assert_close | KernelBench | allclose 1e-2 | in words |",
        "|---|---|---|---|---|---|---|---|",
        *lines,
        "",
    ]
    return "\n".join(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
