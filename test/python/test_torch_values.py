"""Graphs for given values: sizes that depend on data, numbers that are read back, writes in place. Their programs yield PyTorch's results."""
import pytest
import torch
from torch.utils._pytree import tree_leaves

from assay import torch_graph, torch_reference
from assay.elements import Place
from assay.torch.aten_program import Composer
from assay.torch.runner import Runner

X = torch.tensor([[3.0, 0.0, -1.0, 3.0], [0.0, 2.0, -1.0, 0.0], [3.0, 0.0, -1.0, 3.0]])
COUNTS = torch.tensor([1, 4, 1, 0, 1])


def written(x):
    made = x * 2
    made.mul_(3)
    made.clamp_(max=5)
    return made + 1


CASES = {
    "nonzero": (torch.nonzero, X), "as_tuple": (lambda x: torch.nonzero(x, as_tuple=True), X), "argwhere": (torch.argwhere, X), "of a number": (torch.nonzero, torch.tensor(2.0)),
    "masked_select": (torch.masked_select, X, X[0] > 0), "nothing selected": (torch.masked_select, X, X > 9), "unique": (torch.unique, X),
    "unique with both": (lambda x: torch.unique(x, return_inverse=True, return_counts=True), X), "unique rows": (lambda x: torch.unique(x, return_inverse=True, return_counts=True, dim=0), X),
    "unique columns": (lambda x: torch.unique(x, dim=1), X), "unique_consecutive": (lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True), COUNTS),
    "consecutive rows": (lambda x: torch.unique_consecutive(x, dim=0), X.sort(0).values), "bincount": (torch.bincount, COUNTS), "bincount with weights": (torch.bincount, COUNTS, torch.arange(5.0)),
    "a long bincount": (lambda x: torch.bincount(x, minlength=9), COUNTS), "combinations": (lambda x: torch.combinations(x, 2), torch.arange(4.0)), "a number read back": (lambda x, i: x.narrow(1, i, 2), X, torch.tensor(1)),
    "repeated by a tensor": (lambda x, n: torch.repeat_interleave(x, n, 0), X, torch.tensor([2, 0, 3])), "weights that are compared": (lambda x, w: torch.cov(x, aweights=w, correction=0), torch.tensor([1.0, 3.0]), torch.tensor([0.5, 0.5])),
    "as many as the largest": (torch.nn.functional.one_hot, COUNTS), "written in place": (written, X),
}  # fmt: skip


TALL = torch.tensor([[2.0, 1.0], [-1.0, 3.0], [0.5, 1.0], [1.0, 1.0]])
SOLVED = {
    "lstsq": (torch.linalg.lstsq, TALL, torch.arange(8.0).reshape(4, 2)), "a wide lstsq": (torch.linalg.lstsq, TALL.mT.contiguous(), torch.arange(4.0).reshape(2, 2)),
    "pinv": (torch.linalg.pinv, TALL), "a wide pinv": (torch.linalg.pinv, TALL.mT), "pinv of two": (torch.linalg.pinv, torch.stack([TALL, TALL * 3])), "pinv of nothing": (torch.linalg.pinv, torch.zeros(3, 0)),
    "pinv by the lower triangle": (lambda a: torch.linalg.pinv(a, hermitian=True), torch.tensor([[2.0, 9.0], [1.0, 3.0]])),
    "nothing is large enough": (lambda a: torch.linalg.pinv(a, rtol=1.0), torch.eye(3)),
}  # fmt: skip


def called(function, tensors):
    return torch_reference.Called(function, [Place(i) for i in range(len(tensors))], {})


@pytest.mark.parametrize("name", CASES)
def test_a_program_of_given_values(name):
    function, *tensors = CASES[name]
    due = [one for one in tree_leaves(function(*tensors)) if isinstance(one, torch.Tensor)]
    text, slots = Composer(torch_graph.traced(called(function, tensors), [one.clone() for one in tensors], values=True)).compose()
    for engine in ("reference", "native"):
        got = Runner(text, engine)([tensors[slot] if isinstance(slot, int) else slot for slot in slots])
        assert len(got) == len(due) > 0
        for one, other in zip(got, due):
            assert one.dtype is other.dtype and torch.equal(one, other)


@pytest.mark.parametrize("name", SOLVED)
def test_a_program_of_a_given_rank(name):
    function, *tensors = SOLVED[name]
    due = [one for one in tree_leaves(function(*tensors)) if isinstance(one, torch.Tensor)]
    text, slots = Composer(torch_graph.traced(called(function, tensors), [one.clone() for one in tensors], values=True)).compose()
    for engine in ("reference", "native"):
        for one, other in zip(Runner(text, engine)([tensors[slot] if isinstance(slot, int) else slot for slot in slots]), due, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["nonzero", "masked_select", "unique", "bincount", "a number read back", "written in place"])
def test_a_graph_of_any_values_refuses_them(name):
    function, *tensors = CASES[name]
    with pytest.raises(torch_graph.NotTraced):
        torch_graph.traced(called(function, tensors), [one.clone() for one in tensors])


def of_a_view(x):
    made = x * 2
    made[0].mul_(3)
    return made


@pytest.mark.parametrize("function", [of_a_view, lambda x: x.mul_(2), lambda x: x + torch.tensor(x.tolist()), torch.linalg.pinv], ids=["a view", "an argument", "a list", "a rank of its own"])
def test_what_is_refused_for_given_values_too(function):
    with pytest.raises(torch_graph.NotTraced):
        torch_graph.traced(called(function, [X]), [X.clone()], values=True)
