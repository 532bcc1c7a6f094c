"""A loss outside of the model that is wrong is not a fault of a module; a module's fault does not make the loss a suspect, either."""
import contextlib
import json

import h5py
import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

from assay.torch import PrecisionDebugger

FILE = "globalrank-0_localrank-0.h5"
TARGETS = torch.tensor([1, 0, 2, 3])
LOSSES = {
    "scale": lambda y: 1.5 * functional.cross_entropy(y, TARGETS),
    "smoothing": lambda y: functional.cross_entropy(y, TARGETS, label_smoothing=0.3),
    "another": lambda y: functional.mse_loss(y, torch.ones_like(y)),
    "one sample": lambda y: functional.cross_entropy(y, torch.tensor([1, 0, 2, 2])),
    "sum": lambda y: functional.cross_entropy(y, TARGETS, reduction="sum"),
}


class Net(nn.Module):
    """Two outputs, the second of which the loss does not need."""

    def __init__(self, wrong=False):
        super().__init__()
        self.wrong = wrong
        self.body, self.head = nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 16)), nn.Linear(16, 4)

    def forward(self, x):
        y = self.body(x)
        return self.head(y * 1.01 if self.wrong else y), y.mean()


class Scaled(torch.autograd.Function):
    """The identity, with a wrong gradient."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 1.5


def record(folder, loss, model_of=Net, filter=None, operators=False):
    torch.manual_seed(0)
    model, x = model_of(), torch.randn(4, 6, generator=torch.Generator().manual_seed(1))
    with PrecisionDebugger(str(folder), model=model, filter=filter, dump_torch_api=operators):
        y = model(x)
        loss(y[0] if isinstance(y, tuple) else y).backward()


def judge(assay, folder):
    ran = assay("compare", f"target/{FILE}", f"bench/{FILE}", "--first-wrong", "--json", "out.json")
    return ran, json.loads((folder / "out.json").read_text())["first_wrong"]


def right(y):
    return functional.cross_entropy(y, TARGETS)


@pytest.mark.parametrize("filter", [None, ["*"], ["head", "body.*"]])
@pytest.mark.parametrize("wrong", list(LOSSES))
def test_a_wrong_loss_is_the_gradient_fed_in(tmp_path, assay, wrong, filter):
    record(tmp_path / "bench", right, filter=filter)
    record(tmp_path / "target", LOSSES[wrong], filter=filter)
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 1 and len(found["suspects"]) == 1, ran.stdout
    (first,) = found["suspects"]
    assert "the gradient fed in differs" in first["reason"] and "(the loss)" in first["reason"] and "backward_grad_output" in first["tensor"], ran.stdout
    assert first["module"] == "head", ran.stdout  # its output is the model's


@pytest.mark.parametrize("wrong", list(LOSSES))
def test_with_operators_the_losses_own_are_named(tmp_path, assay, wrong):
    record(tmp_path / "bench", right, operators=True)
    record(tmp_path / "target", LOSSES[wrong], operators=True)
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 1 and found["answer"] == "named", ran.stdout
    first = found["suspects"][0]
    assert "Net" not in first["module"] and not first["where"].startswith(("body", "head")), ran.stdout


def test_a_fault_in_the_model_leaves_the_loss_alone(tmp_path, assay):
    record(tmp_path / "bench", right)
    record(tmp_path / "target", right, model_of=lambda: Net(wrong=True))
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 1 and found["suspects"][0]["module"] == "Net", ran.stdout
    assert not any("fed in" in suspect["reason"] for suspect in found["suspects"]), ran.stdout


def test_a_fault_in_the_backward_pass_is_the_modules(tmp_path, assay):
    class Wrong(nn.GELU):
        def forward(self, x):
            return Scaled.apply(super().forward(x))

    def broken():
        model = Net()
        model.body[2].__class__ = Wrong
        return model

    Wrong.__name__ = "GELU"
    record(tmp_path / "bench", right)
    record(tmp_path / "target", right, model_of=broken)
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 1 and found["suspects"][0]["module"] == "body.2", ran.stdout


def test_a_loss_that_rounds_otherwise_accuses_nobody(tmp_path, assay):
    record(tmp_path / "bench", right)
    record(tmp_path / "target", lambda y: functional.nll_loss(y.double().log_softmax(1), TARGETS))
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 0 and found["suspects"] == [], ran.stdout


def test_the_first_line_begins_with_the_module_and_the_line_that_called_it(tmp_path, assay):
    """The report then states what is wrong, and at the end how certain that is."""
    record(tmp_path / "bench", right)
    torch.manual_seed(0)
    model, x = Net(), torch.randn(4, 6, generator=torch.Generator().manual_seed(1))
    model.body[2].register_forward_hook(lambda module, args, output: output * 1.1)
    with PrecisionDebugger(str(tmp_path / "target"), model=model):
        right(model(x)[0]).backward()
    ran, found = judge(assay, tmp_path)
    (line,) = [line for line in ran.stdout.splitlines() if line.startswith("  1. ")]
    called = f"{__file__}:{Net.forward.__code__.co_firstlineno + 1} forward"
    assert line.startswith(f"  1. body.2 (GELU) in {called}: ") and line.endswith("; certain: it was computed again from its own inputs"), ran.stdout
    assert found["suspects"][0]["where"] == called


def test_an_operator_of_the_backward_pass_that_one_side_has_is_named(tmp_path, assay):
    """The module's own record of the gradient comes before the operator that reads it."""

    class Wrong(nn.Linear):
        def forward(self, x):
            return Scaled.apply(super().forward(x))

    def broken():
        model = Net()
        model.body[3].__class__ = Wrong
        return model

    Wrong.__name__ = "Linear"
    record(tmp_path / "bench", right, operators=True)
    record(tmp_path / "target", right, model_of=broken, operators=True)
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 1 and found["answer"] == "named", ran.stdout[-2000:]
    first = found["suspects"][0]
    assert "aten.mul.Tensor" in first["reason"] and "only in the target" in first["reason"], ran.stdout[-2000:]


def test_a_loss_behind_containers_is_outside_of_them(tmp_path, assay):
    """The gradient of a block's last output is the block's: an error after both belongs to neither."""

    class Pooled(nn.Module):
        def __init__(self, wrong=False):
            super().__init__()
            self.wrong, self.phi, self.rho = wrong, nn.Sequential(nn.Linear(6, 8), nn.SiLU()), nn.Sequential(nn.Linear(8, 4), nn.SiLU())

        def forward(self, x):
            y = self.phi(x)
            if self.wrong:
                y = Scaled.apply(y)
            return self.rho(y * 2)

    record(tmp_path / "bench", right, model_of=Pooled)
    record(tmp_path / "target", right, model_of=lambda: Pooled(wrong=True))
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 1 and found["suspects"][0]["module"] in ("Pooled", "(model)"), ran.stdout[-2000:]


def test_a_result_that_nobody_reads_is_named(tmp_path, assay):
    """An operator reads a stale tensor in place of its input: the operator itself is right."""

    class Stale(nn.Module):
        def __init__(self, wrong=False):
            super().__init__()
            self.lin, self.stale = nn.Linear(6, 4), torch.linspace(-1, 1, 16).reshape(4, 4) if wrong else None

        def forward(self, x):
            y = self.lin(x) * 2
            return (y if self.stale is None else self.stale).sin() + y.mean()

    record(tmp_path / "bench", right, model_of=Stale, operators=True)
    record(tmp_path / "target", right, model_of=lambda: Stale(wrong=True), operators=True)
    ran, found = judge(assay, tmp_path)
    first = found["suspects"][0]
    assert ran.returncode == 1 and first["class"] == "aten-mul-Tensor" and "what it gives is not what" in first["reason"], ran.stdout[-2000:]


@pytest.mark.parametrize("operators", [False, True])
@pytest.mark.parametrize("wrong", [False, True])
def test_an_adapter_beside_the_weight_it_was_merged_into(tmp_path, assay, wrong, operators):
    """LoRA: another weight, further modules and operators, the same projection."""

    class Lora(nn.Module):
        def __init__(self, base):
            super().__init__()
            self.base_layer, self.lora_a, self.lora_b = base, nn.Linear(16, 4, bias=False), nn.Linear(4, 16, bias=False)

        def forward(self, x):
            y = self.base_layer(x) + self.lora_b(self.lora_a(x))
            return y * 1.1 if wrong else y

    def adapted():
        model = Net()
        model.body[3] = Lora(model.body[3])
        return model

    def merged():
        model = adapted()
        lora = model.body[3]
        with torch.no_grad():
            lora.base_layer.weight += lora.lora_b.weight @ lora.lora_a.weight
        model.body[3] = lora.base_layer
        return model

    record(tmp_path / "bench", right, model_of=merged, operators=operators)
    record(tmp_path / "target", right, model_of=adapted, operators=operators)
    ran, found = judge(assay, tmp_path)
    assert found["answer"] == ("named" if wrong else "none"), ran.stdout[-3000:]
    if wrong:
        first = found["suspects"][0]
        assert first["module"].startswith("body.3") or "body.3" in first["where"], ran.stdout[-3000:]


class Cells(nn.Module):
    """An LSTM cell, which computes its output from its state, called step by step; with `last` the state is returned, too."""

    def __init__(self, last=False):
        super().__init__()
        self.cell, self.head, self.last = nn.LSTMCell(5, 8), nn.Linear(8, 4), last

    def forward(self, x):
        h = c = x.new_zeros(len(x), 8)
        for step in x.unbind(1):
            h, c = self.cell(step, (h, c))
        return (self.head(h), c) if self.last else self.head(h)


class Damaged(TorchDispatchMode):
    """Changes the result of one call of an operator."""

    def __init__(self, operator, number):
        super().__init__()
        self.operator, self.left = operator, number

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if str(func).startswith(self.operator):
            self.left -= 1
            if self.left < 0 and self.left > -2:
                return result * 1.5
        return result


@pytest.mark.parametrize("operator", ["aten.tanh_backward", "aten.sigmoid_backward", "aten.mm"])
@pytest.mark.parametrize("number", [2, 4])
def test_a_wrong_kernel_in_a_cells_backward_pass_is_the_cells(tmp_path, assay, operator, number):
    x = torch.randn(3, 4, 5, generator=torch.Generator().manual_seed(1))
    for side in ("bench", "target"):
        torch.manual_seed(0)
        model = Cells()
        with Damaged(operator, number) if side == "target" else contextlib.nullcontext():
            with PrecisionDebugger(str(tmp_path / side), model=model):
                model(x).square().sum().backward()
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 1 and found["suspects"][0]["module"] == "cell", ran.stdout


def test_an_output_that_is_read_inside_is_given_back_what_comes_from_outside(tmp_path):
    """The state's gradient holds the cell's own part, by way of its output; the recorded one is what the next call returns."""
    torch.manual_seed(0)
    model = Cells()
    with PrecisionDebugger(str(tmp_path), model=model):
        model(torch.randn(3, 3, 5)).square().sum().backward()
    with h5py.File(tmp_path / FILE) as file:
        step = file["1"]
        for call in (0, 1):
            given, handed = step[f"cell.LSTMCell.{call}.backward_grad_output.1"], step[f"cell.LSTMCell.{call + 1}.backward_grad_input.1.1"]
            assert (given[()] == handed[()]).all()
        assert "cell.LSTMCell.2.backward_grad_output.1" not in step  # nothing outside the cell reads the last state


def test_the_models_own_outputs_keep_their_whole_gradients(tmp_path):
    torch.manual_seed(0)
    model = Cells(last=True)
    with PrecisionDebugger(str(tmp_path), model=model):
        y, c = model(torch.randn(3, 3, 5))
        c.retain_grad()
        (y.square().sum() + c.sum()).backward()
    with h5py.File(tmp_path / FILE) as file:
        assert (file["1/cell.LSTMCell.2.backward_grad_output.1"][()] == c.grad.numpy()).all()


class WithLoss(nn.Module):
    """The loss is one of the model's modules."""

    def __init__(self, wrong=False):
        super().__init__()
        self.net, self.loss = Net(wrong), nn.CrossEntropyLoss()

    def forward(self, x, targets):
        return self.loss(self.net(x)[0], targets)


def accumulate(folder, sizes, operators, inside, wrong=False, share=None):
    """Gradients of a batch that is run in parts, each with its share of the mean."""
    torch.manual_seed(0)
    model = WithLoss(wrong) if inside else Net(wrong)
    x, targets = torch.randn(8, 6, generator=torch.Generator().manual_seed(1)), TARGETS.repeat(2)
    with PrecisionDebugger(str(folder), model=model, dump_torch_api=operators):
        for part, of in zip(x.split(sizes), targets.split(sizes)):
            loss = model(part, of) if inside else functional.cross_entropy(model(part)[0], of)
            (loss * (share or len(part) / 8)).backward()


@pytest.mark.parametrize("operators", [False, True])
@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("target, bench", [([2, 2, 2, 2], [8]), ([8], [2, 2, 2, 2]), ([3, 5], [8]), ([2] * 4, [4, 4])])
def test_a_batch_in_parts_is_the_same_batch(tmp_path, assay, target, bench, inside, operators):
    accumulate(tmp_path / "bench", bench, operators, inside)
    accumulate(tmp_path / "target", target, operators, inside)
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 0 and found["answer"] == "none", ran.stdout


@pytest.mark.parametrize("operators", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_a_fault_in_a_part_of_the_batch_is_named(tmp_path, assay, inside, operators):
    accumulate(tmp_path / "bench", [8], operators, inside)
    accumulate(tmp_path / "target", [2, 2, 2, 2], operators, inside, wrong=True)
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 1 and found["suspects"][0]["module"] == ("net" if inside else "Net"), ran.stdout


@pytest.mark.parametrize("operators", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_gradients_of_parts_that_are_not_divided_are_fed_in(tmp_path, assay, inside, operators):
    accumulate(tmp_path / "bench", [8], operators, inside)
    accumulate(tmp_path / "target", [2, 2, 2, 2], operators, inside, share=1)
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 1 and "the gradient fed in differs" in found["suspects"][0]["reason"], ran.stdout
