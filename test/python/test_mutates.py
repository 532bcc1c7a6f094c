"""`assay.check(mutates=…)`: kernels that are meant to write into some inputs are also judged by the new contents of these."""
import jax.numpy as jnp
import pytest
import torch
import torch.nn.functional as F

import assay

X, STATISTICS = assay.f32[4, 3, 5, 5], (assay.f32[3], assay.f32[3])
NAMES = ("running_mean", "running_var")
add_, add, sub_ = torch.ops.aten.add_.Tensor, torch.ops.aten.add.Tensor, torch.ops.aten.sub_.Tensor


def norm(x, running_mean, running_var):
    return F.batch_norm(x, running_mean, running_var, training=True)


def biased_norm(x, running_mean, running_var):
    result = F.batch_norm(x, None, None, training=True)
    running_mean.mul_(0.9).add_(x.mean((0, 2, 3)), alpha=0.1)
    running_var.mul_(0.9).add_(x.var((0, 2, 3), unbiased=False), alpha=0.1)
    return result


def forgetful_norm(x, running_mean, running_var):
    return F.batch_norm(x, None, None, training=True)


def accumulate(a, total):
    total += a.sum(0)


def accumulate_first(a, total):
    total[:] = a[0]


def accumulated(a, total):
    total[:] = total + a.sum(0)


def test_running_statistics_are_results():
    verdict = assay.check(norm, norm, X, *STATISTICS, mutates=NAMES)
    assert verdict, verdict
    assert {output.name for output in verdict.outputs} == {"out0", "running_mean afterwards", "running_var afterwards"}


@pytest.mark.parametrize(("kernel", "output"), [(biased_norm, "running_var afterwards"), (forgetful_norm, "running_mean afterwards")])
def test_wrong_statistics_are_found(kernel, output):
    verdict = assay.check(kernel, norm, X, *STATISTICS, mutates=NAMES)
    assert verdict.status == "FAILED" and output in verdict.reason, verdict


def test_without_it_a_write_is_a_fault():
    verdict = assay.check(norm, norm, X, *STATISTICS)
    assert verdict.status == "FAILED" and "wrote into its input" in verdict.reason, verdict


@pytest.mark.parametrize("reference", [accumulated, lambda a, total: total + jnp.sum(a, 0)], ids=["numpy", "jax"])
def test_kernels_of_numpy(reference):
    assert assay.check(accumulate, reference, assay.f32[8, 4], assay.f32[4], mutates="total")
    assert assay.check(accumulate, reference, assay.f32[8, 4], assay.f32[4], mutates=1)
    verdict = assay.check(accumulate_first, reference, assay.f32[8, 4], assay.f32[4], mutates="total")
    assert verdict.status == "FAILED" and "total afterwards" in verdict.reason, verdict


def test_other_writes_stay_faults():
    verdict = assay.check(accumulated_twice, accumulated, assay.f32[8, 4], assay.f32[4], mutates="total")
    assert verdict.status == "FAILED" and "wrote into" in verdict.reason, verdict


def accumulated_twice(a, total):
    a *= 1
    total += a.sum(0)


def test_schemas_say_what_is_written():
    words = assay.f32[8, 4], assay.f32[8, 4]
    assert assay.check(add_, torch.add, *words)
    assert assay.check(add_, add_, *words)
    assert assay.check(add_, sub_, *words).status == "FAILED"
    assert assay.check(add, torch.add, *words)


@pytest.mark.parametrize(("mutates", "said"), [("nothing", "has no parameter 'nothing'; it has x, running_mean, running_var"), (7, "is not among the 3 inputs")])
def test_names_that_are_none(mutates, said):
    with pytest.raises(ValueError, match=said):
        assay.check(norm, norm, X, *STATISTICS, mutates=mutates)


def test_an_engine_writes_to_nothing():
    with pytest.raises(ValueError, match="an engine runs programs"):
        assay.check(None, lambda x: jnp.tanh(x), X, engine="native", mutates=0)
