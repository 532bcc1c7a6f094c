"""Results that PyTorch leaves open are judged by the conditions that they must satisfy: places of equal elements, and programs for the given
values."""
import pytest
import torch

import assay

X = torch.tensor([[1, 3, 3, 0, 3], [2, 2, 2, 2, 1]])


def last_first(x):
    """The largest three, the last place of equal ones."""
    values, places = torch.topk(x.flip(-1), 3)
    return values, x.shape[-1] - 1 - places


def in_any_order(x):
    values, places = last_first(x)
    return values.flip(-1), places.flip(-1)


def twice(x):
    values, places = last_first(x)
    return values, torch.cat([places[:, :1], places[:, :1], places[:, 2:]], 1)


def another(x):
    values, places = last_first(x)
    return values, torch.where(places == 4, 3, places)


def outside(x):
    values, places = last_first(x)
    return values, torch.where(places == 4, 5, places)


LARGEST = lambda x: torch.topk(x, 3)
RIGHT = {
    "topk": (last_first, LARGEST), "topk without an order": (in_any_order, lambda x: torch.topk(x, 3, sorted=False)),
    "places alone": (lambda x: last_first(x)[1], lambda x: torch.topk(x, 3)[1]), "of what was computed": (lambda x: last_first(-x)[1], lambda x: torch.topk(-x, 3)[1]),
    "an unstable sort": (lambda x: 4 - x.flip(-1).sort(-1)[1].to(torch.int64), lambda x: torch.argsort(x, -1)),
    "kthvalue": (lambda x: tuple((v, 4 - i) for v, i in [torch.kthvalue(x.flip(-1), 2)])[0], lambda x: torch.kthvalue(x, 2)),
    "median with its dimension": (lambda x: tuple((v, 4 - i) for v, i in [torch.median(x.flip(-1), 1, True)])[0], lambda x: torch.median(x, 1, True)),
    "PyTorch's own": (lambda x: torch.sort(x), lambda x: torch.sort(x)),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_another_place_of_an_equal_element_is_right(name):
    kernel, reference = RIGHT[name]
    verdict = assay.check(kernel, reference, X, framework="torch")
    assert verdict.status == "PASSED", str(verdict)


@pytest.mark.parametrize("kernel", [twice, another, outside])
def test_a_wrong_place_is_wrong(kernel):
    assert assay.check(kernel, LARGEST, X, framework="torch").status == "FAILED"


def test_a_stable_sort_has_one_answer():
    kernel = lambda x: 4 - x.flip(-1).sort(-1)[1].to(torch.int64)
    assert assay.check(kernel, lambda x: torch.sort(x, stable=True)[1], X, framework="torch").status == "FAILED"


@pytest.mark.parametrize("function", [torch.nonzero, torch.unique, lambda x: torch.masked_select(x, x > 1)], ids=["nonzero", "unique", "masked_select"])
def test_sizes_that_depend_on_given_values_have_a_program(function):
    """Each sample has its own program: an earlier one is not reused."""
    for data in (X, X - 1, X + 2):
        verdict = assay.check(function, function, data)
        assert verdict.status == "PASSED" and "f64" not in str(verdict), str(verdict)
    wrong = lambda x: function(x) + 1
    assert assay.check(wrong, function, X, framework="torch").status == "FAILED"


# ---- kernels written in another way than their reference, and the faults nearest to them

F32, BF16 = assay.f32, assay.bf16
HEADS = (F32[1, 2, 19, 8],) * 3
MEAN = lambda x: torch.lerp(x, 2 * x, 0.1)


def line_by_line(x):
    total = torch.zeros(x.shape[0])
    for column in range(x.shape[1]):
        total = total + x[:, column]
    return total


def masked(q, k, v):
    scores = (q @ k.transpose(-1, -2) * 8**-0.5).masked_fill(~torch.ones(19, 19, dtype=torch.bool).tril(), float("-inf"))
    return torch.softmax(scores, -1) @ v


def seen_only(q, k, v):
    """A row reads the keys up to its own, and no NaN after them."""
    rows = [torch.softmax(q[:, :, i : i + 1] @ k[:, :, : i + 1].transpose(-1, -2) * 8**-0.5, -1) @ v[:, :, : i + 1] for i in range(19)]
    return torch.cat(rows, 2)


def recurrence(x, a):
    state, rows = torch.zeros(x.shape[0], x.shape[2]), []
    for t in range(x.shape[1]):
        state = a[:, t] * state + x[:, t]
        rows.append(state)
    return torch.stack(rows, 1)


def scan(x, a):
    step = 1
    while step < x.shape[1]:
        x, a = torch.cat([x[:, :step], a[:, step:] * x[:, :-step] + x[:, step:]], 1), torch.cat([a[:, :step], a[:, step:] * a[:, :-step]], 1)
        step *= 2
    return x


def first_columns_maximum(x):
    e = torch.exp(x - x[:, :64].amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


def nan_passed_over(x):
    return torch.nan_to_num(x, nan=float("-inf"), posinf=float("inf"), neginf=float("-inf")).argmax(-1)


OTHER_FORMS = {
    "a product with a root's reciprocal": (lambda x, y: x * torch.rsqrt(y * y + 1), lambda x, y: x / torch.sqrt(y * y + 1), F32[999], F32[999]),
    "a reciprocal for each row": (lambda x, y: x * (1 / (y * y + 1)), lambda x, y: x / (y * y + 1), F32[99, 40], F32[99, 1]),
    "a sum beside a loop": (lambda x: x.sum(-1), line_by_line, F32[600, 60]),
    "three terms": (lambda a, b, c: torch.add(a, b + c), lambda a, b, c: torch.add(a + b, c), F32[999], F32[999], F32[999]),
    "a weighted mean": (lambda x: x * 0.9 + 2 * x * 0.1, MEAN, F32[999]), "the same in place of it": (MEAN, lambda x: x * 0.9 + 2 * x * 0.1, F32[999]),
    "a scan": (scan, recurrence, F32[2, 7, 6], F32[2, 7, 6]),
    "keys that are masked": (seen_only, masked, *HEADS), "a product's zeros": (lambda a, b: torch.stack([a[i, : i + 1] @ b[: i + 1] for i in range(12)]), lambda a, b: a.tril() @ b, F32[12, 12], F32[12, 5]),
    "PyTorch's own log-softmax in bf16": (lambda x: torch.log_softmax(x, -1), lambda x: torch.nn.functional.log_softmax(x, -1), BF16[40, 50]),
    "and logsumexp": (lambda x: torch.logsumexp(x, -1), lambda x: torch.logsumexp(x, dim=-1), BF16[40, 50]),
    "a polynomial": (lambda x: 0.3 * x * x * x + 1.7 * x * x - 2.1 * x + 0.5, lambda x: ((torch.mul(x, 0.3) + 1.7) * x - 2.1) * x + 0.5, F32[999]),
}
NEAR_FAULTS = {
    "a maximum of the first columns": (first_columns_maximum, lambda x: torch.softmax(x, -1), F32[24, 80]),
    "a NaN passed over by argmax": (nan_passed_over, lambda x: torch.argmax(x, -1), F32[40, 9]),
    "any without the last": (lambda x: (x[:, :-1] != 0).any(-1), lambda x: torch.any(x != 0, -1), assay.s32[30, 5]),
    "all without the first": (lambda x: x[:, 1:].all(-1), lambda x: torch.all(x, -1), assay.i1[30, 50]),
    "a sum that begins with a key that is masked": (lambda q, k, v: seen_only(q, k.roll(1, 2), v), masked, *HEADS),
    "a state that is a step late": (lambda x, a: recurrence(x, a.roll(1, 1)), recurrence, F32[2, 7, 6], F32[2, 7, 6]),
}


@pytest.mark.parametrize("name", OTHER_FORMS)
def test_another_form_is_right(name):
    kernel, reference, *given = OTHER_FORMS[name]
    verdict = assay.check(kernel, reference, *given)
    assert verdict, verdict


@pytest.mark.parametrize("name", NEAR_FAULTS)
def test_a_fault_near_another_form_is_found(name):
    kernel, reference, *given = NEAR_FAULTS[name]
    assert assay.check(kernel, reference, *given).status == "FAILED"
