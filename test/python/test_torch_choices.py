"""Results that PyTorch leaves open are judged by what they must satisfy: places of equal elements, and programs of the values that were given."""
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
    """Each sample has its own: an earlier one does not serve."""
    for data in (X, X - 1, X + 2):
        verdict = assay.check(function, function, data)
        assert verdict.status == "PASSED" and "f64" not in str(verdict), str(verdict)
    wrong = lambda x: function(x) + 1
    assert assay.check(wrong, function, X, framework="torch").status == "FAILED"
