"""Properties without a reference: kernels that hold them, and one that breaks each."""
import itertools

import numpy as np
import pytest
import torch

import assay

SPEC = assay.f32[12, 40]


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def doubled(x):
    return x + x


def drifts(x):
    return x * np.float32(1 + next(COUNT) * 1e-6)


def by_batch(x):  # sums in another order for large batches
    if len(x) > 4:
        return x.sum(-1)
    return x[:, ::-1].cumsum(-1, dtype=np.float32)[:, -1]


def only_in_run_5(x):  # each run calls it twice: first for the sizes of its results
    return x + (next(CALLS) == 10)


def only_the_last_row(x):
    if len(x) == 12:
        LAST["row"] = x[-1, 0]
    return x + (len(x) < 12 and x[-1, 0] == LAST["row"])


COUNT, CALLS, LAST = itertools.count(), itertools.count(1), {}
ROWS = ("deterministic", "output_independent", "alignment_independent", "batch_invariant", "nan_local", "permutation_equivariant")


@pytest.mark.parametrize("name", ROWS)
def test_a_softmax_of_rows_holds(name):
    verdict = assay.check(softmax, None, SPEC, properties=name)
    assert verdict and verdict.notes == [f"{name} holds"]


@pytest.mark.parametrize(
    "kernel,name,words",
    [
        (drifts, "deterministic", "in run 2"),
        (by_batch, "batch_invariant", "in a batch of"),
        (lambda x: x - x.mean(), "nan_local", "when row 6 holds NaN: nearly every element|every element"),
        (lambda x: x * np.arange(1, len(x) + 1, dtype=np.float32)[:, None], "permutation_equivariant", "when the rows come in reverse"),
        (lambda x: x - x.mean(0), "batch_invariant", "in a batch of"),
        (softmax, "scale_equivariant", "when the inputs are 8 times as large"),
        # Kernels that violate only half of a property.
        (lambda x: x + np.isinf(x).any(), "nan_local", "when row 6 holds infinity"),
        (lambda x: x + (x.ctypes.data % 4096 != 0), "alignment_independent", "at other addresses"),
        (only_in_run_5, "deterministic", "in run 5:"),
        (lambda x: x + (len(x) == 1), "batch_invariant", "in a batch of 1 from row"),
        (lambda x: x + (len(x) == 6), "batch_invariant", "in a batch of 6 from row"),
        (only_the_last_row, "batch_invariant", "in a batch of 1 from row 11|in a batch of 6 from row 6"),
    ],
)
def test_each_is_broken_and_said(kernel, name, words):
    import re

    verdict = assay.check(kernel, None, SPEC, properties=[name])
    assert verdict.status == "FAILED" and verdict.pattern.startswith(f"not {name}: ") and re.search(words, verdict.pattern), verdict


def test_linear_kernels_scale_exactly():
    assert assay.check(doubled, None, SPEC, properties="scale_equivariant")
    weights = np.random.default_rng(1).normal(size=(40, 8)).astype(np.float32)
    assert assay.check(lambda x, w: x @ w, None, SPEC, weights, properties=("scale_equivariant", "nan_local", "deterministic"))


def test_with_a_reference_both_are_asked():
    assert assay.check(softmax, torch.nn.Softmax(-1), SPEC, framework="numpy", properties="nan_local")
    verdict = assay.check(by_batch, lambda x: torch.sum(x, -1), SPEC, framework="numpy", properties="batch_invariant")
    assert verdict.outputs and verdict.pattern.startswith("not batch_invariant")
    verdict = assay.check(lambda x: x - x.mean(), torch.nn.Softmax(-1), SPEC, framework="numpy", properties="nan_local")
    assert verdict.status == "FAILED" and "nan_local" not in str(verdict), "a wrong kernel is not asked for more"


def test_torch_and_narrow_types():
    assert assay.check(lambda x: torch.relu(x), None, assay.bf16[6, 10], framework="torch", properties=ROWS)
    verdict = assay.check(lambda x: x - x.mean(), None, assay.bf16[6, 10], framework="torch", properties="nan_local")
    assert verdict.status == "FAILED"


def test_what_goes_wrong_on_the_way():
    import os

    assert assay.check(lambda x: os._exit(2), None, SPEC, properties="deterministic").status == "CRASHED"
    assert "returned str" in assay.check(lambda x: "x", None, SPEC, properties="deterministic").pattern
    with pytest.raises(ValueError, match="property 'odd' is not one of deterministic"):
        assay.check(doubled, None, SPEC, properties="odd")
    with pytest.raises(ValueError, match="without a reference, name properties"):
        assay.check(doubled, None, SPEC)
    with pytest.raises(ValueError, match="batched names input 3"):
        assay.check(doubled, None, SPEC, properties="nan_local", batched=(3,))
