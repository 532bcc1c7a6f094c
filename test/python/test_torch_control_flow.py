"""Branches and loops of PyTorch (torch.cond, while_loop, scan, associative_scan, map) as programs, against eager PyTorch."""
import sys

import numpy as np
import pytest
import torch
from torch._higher_order_ops import associative_scan, map as mapped, scan, while_loop
from torch.utils._pytree import tree_leaves

import assay
import assay.torch
from assay.torch import NoProgram, compiled_graphs


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


class Model(torch.nn.Module):
    """Calls `body(model, x)`."""

    def __init__(self, body):
        super().__init__()
        self.body, self.l, self.m = body, torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
        self.register_buffer("b", torch.tensor([0.5, -1.0, 2.0]))

    def forward(self, x):
        return self.body(self, x)


def nested_branches(s, x):
    return torch.cond(x.sum() > 0, lambda x: torch.cond(x.max() > 0.9, s.l, s.m, (x,)), lambda x: x - s.b, (x,))


def several_results(s, x):
    return torch.cond(x.sum() > 0, lambda x: {"p": s.l(x), "q": [x.sum(0), x > 1]}, lambda x: {"p": x * 2, "q": [x.prod(0), x < -1]}, (x,))


def closure(s, x):
    y = x.relu()
    return torch.cond(x.sum() > 0, lambda: s.l(y), lambda: y * x, ())


def by_size(s, x):
    return torch.cond(x.shape[0] > 4, lambda x: s.l(x), lambda x: x.sin(), (x,))


def branch_in_loop(s, x):
    def body(i, x):
        return i + 1, torch.cond(i % 2 == 0, lambda x: s.l(x), lambda x: s.m(x).sin(), (x,))

    return while_loop(lambda i, x: i < 4, body, (torch.tensor(0), x))


def until(s, x):
    return while_loop(lambda x: x.abs().sum() < 100, lambda x: (x * 2 + s.b,), (x,))


def never(s, x):
    return while_loop(lambda i, x: i < 0, lambda i, x: (i + 1, x + 1), (torch.tensor(0), x))


def loop_in_loop(s, x):
    def body(i, x):
        _, y = while_loop(lambda j, y: j < i, lambda j, y: (j + 1, y * 0.5 + s.b), (torch.zeros_like(i), x))
        return i + 1, s.l(y)

    return while_loop(lambda i, x: i < 3, body, (torch.tensor(0), x))


def carried_rows(s, x):
    """A buffer of which each iteration writes one row."""
    def body(i, out):
        return i + 1, out.index_copy(0, i.reshape(1), s.l(x.index_select(0, i.reshape(1))))

    return while_loop(lambda i, out: i < x.shape[0], body, (torch.tensor(0), torch.zeros_like(x)))[1]


def scanned(s, x):
    return scan(lambda c, x: ({"a": c["a"] + s.l(x), "b": c["b"] * x}, x * c["b"]), {"a": torch.zeros(3), "b": torch.ones(3)}, x, dim=0)


def scanned_columns(s, x):
    return scan(lambda c, x: (c * 0.5 + x, (c.exp(), c + x)), x.new_zeros(x.shape[0]), x, dim=1, reverse=True)


def recurrence(s, x):
    return associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (x.sigmoid(), x), dim=0, combine_mode="generic")


def per_row(s, x):
    return mapped(lambda p, y: (s.l(p[0]) + y, p[1].sum()), (x, x * 2), s.b)


BRANCHES = [nested_branches, several_results, closure, by_size]
LOOPS = [branch_in_loop, until, never, loop_in_loop, carried_rows]
ROWS = [scanned, scanned_columns, recurrence, per_row]
BODIES = [*BRANCHES, *LOOPS, *ROWS]


def inputs(rows=5):
    return [torch.rand(rows, 3), -torch.rand(rows, 3)]


def close(got, due):
    got, due = tree_leaves(got), tree_leaves(due)
    assert len(got) == len(due)
    for one, other in zip(got, due):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("body", BODIES)
def test_an_export_takes_the_way_that_the_values_say(body):
    model, (x, y) = Model(body), inputs()
    fixed = assay.torch.export(model, x)
    operation = "if" if body in BRANCHES and body is not by_size else "while"
    assert body in (by_size, recurrence) or f"stablehlo.{operation}" in fixed.text
    close(fixed(x), model(x))
    close(fixed(y), model(y))


@pytest.mark.parametrize("body", [nested_branches, by_size, branch_in_loop, carried_rows, scanned, scanned_columns, per_row])
def test_open_sizes(body):
    model = Model(body)
    made = torch.export.export(model, (torch.rand(5, 3),), dynamic_shapes=({0: torch.export.Dim.DYNAMIC},), strict=False)
    found = assay.torch.export(made)
    for x in [*inputs(4), *inputs(7)]:
        close(found(x), model(x))


def gradients(model, made, x):
    given = [one.abs().sum() for one in tree_leaves(made) if one.requires_grad]
    return torch.autograd.grad(sum(given), [x, *model.parameters()], allow_unused=True) if given else ()


@pytest.mark.parametrize("body", [one for one in BODIES if one is not several_results])  # PyTorch cannot train it: one result has no gradient
def test_training_beside_eager(body):
    model, before = Model(body), len(compiled_graphs())
    compiled = torch.compile(model, backend="assay", options={"check": "bound"} if body in ROWS else {}, fullgraph=True)
    xs = [x.requires_grad_() for x in inputs()]
    got = [(made, gradients(model, made, x)) for x in xs for made in [compiled(x)]]
    torch._dynamo.reset()
    for x, (made, mine) in zip(xs, got):
        due = model(x)
        close(made, due)
        for one, other in zip(mine, gradients(model, due, x)):
            zeros = torch.zeros(())
            close(zeros if one is None else one, (zeros if one is None else torch.zeros_like(one)) if other is None else other)
    graphs = compiled_graphs()[before:]
    assert graphs and not sum(graph["undecided"] for graph in graphs)
    assert body in LOOPS or not any(graph["eager"] for graph in graphs)  # PyTorch keeps all iterations of a loop, whose number depends on values


@pytest.mark.parametrize("body", BODIES)
def test_inference_leaves_nothing_to_pytorch(body):
    model, (x, y) = Model(body).eval(), inputs()
    with torch.no_grad():
        due = model(x), model(y)
        torch._dynamo.reset()
        compiled = torch.compile(model, backend="assay", options={"check": "bound", "fallback": "refuse"}, fullgraph=True)
        close((compiled(x), compiled(y)), due)


@pytest.mark.parametrize("body", [nested_branches, branch_in_loop, scanned, per_row])
def test_a_check_derives_a_bound_of_both_ways(body):
    model = Model(body)
    for x in inputs():
        found = assay.check(model, model, x)
        assert found.status == "PASSED" and " dtype " not in str(found) and "weaker" not in str(found), found
    found = assay.check(lambda x: tuple(one + 0.01 for one in tree_leaves(model(x))), lambda x: tuple(tree_leaves(model(x))), inputs()[1])
    assert found.status == "FAILED", found


def test_a_number_that_a_loop_carries_is_a_tensor_inside_it():
    def count(s, x):
        return while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x * i + x[i] - (x > i) * 0.5), (0, x))[1]

    model = Model(count).requires_grad_(False)
    x = torch.rand(5, 3)
    with torch.no_grad():
        close(assay.torch.export(model, x)(-x), model(-x))


@pytest.mark.parametrize("region", [torch.no_grad, lambda: torch.autocast("cpu", torch.bfloat16)])
def test_regions_are_part_of_the_program(region):
    def body(s, x):
        with region():
            y = s.l(x)
        return y.float() + s.m(x)

    model, x = Model(body), torch.rand(5, 3)
    torch.testing.assert_close(assay.torch.export(model, x)(x), model(x), rtol=1e-2, atol=1e-2)


def test_a_file_with_a_branch_and_a_loop(tmp_path, assay, monkeypatch):
    monkeypatch.setenv("ASSAY_PYTHON", sys.executable)
    model = Model(lambda s, x: (torch.cond(x.sum() > 0, lambda x: s.l(x), lambda x: s.m(x), (x,)), *branch_in_loop(s, x)))
    x = inputs()[1]
    torch.export.save(torch.export.export(model, (x,), strict=False), tmp_path / "model.pt2")
    due = [one.detach().numpy() for one in model(x)]
    np.savez(tmp_path / "in.npz", in0=x.numpy(), **{f"out{i}": one for i, one in enumerate(due)})
    ran = assay("run", "model.pt2", "--input", "in.npz", "--expect", "in.npz", "--rule", "bound", "--engine", "native")
    assert ran.returncode == 0 and "checks: 3 passed, 0 failed" in ran.stdout, ran.stdout + ran.stderr


def test_what_pytorch_refuses_is_one_message():
    class Other(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: x.sum(), lambda x: x, (x,))

    with pytest.raises(NoProgram, match=r"torch.export of PyTorch \S+ cannot trace Other: "):
        assay.torch.export(Other(), torch.rand(5, 3))

    class Unknown(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: torch.linalg.eigvals(x).abs(), lambda x: x.sum(0), (x,))

    with pytest.raises(NoProgram, match="aten.linalg_eig.default, first in"):
        assay.torch.export(Unknown(), torch.eye(3))
