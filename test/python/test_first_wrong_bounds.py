"""First wrong by bounds: a result that other correct arithmetic yields on a step's own inputs is not a fault, however large its error; one that no
correct arithmetic yields is a fault, however small."""
import copy
import json

import pytest
import torch
from torch import nn

from assay.torch import PrecisionDebugger

FILE = "globalrank-0_localrank-0.h5"


def record(folder, model, *inputs, operators=True, backward=False):
    with PrecisionDebugger(dump_path=str(folder), step=[1], model=model, dump_torch_api=operators):
        y = model(*inputs)
        if backward:
            y.float().square().mean().backward()
    model.zero_grad()


@pytest.fixture
def judge(assay, tmp_path):
    def run(*flags):
        ran = assay("compare", f"target/{FILE}", f"bench/{FILE}", "--first-wrong", *flags, "--json", "-")
        assert ran.returncode in (0, 1), ran.stderr
        return json.loads(ran.stdout)["first_wrong"]

    return run


def names(found):
    return [(s["module"], s["evidence"], s["reason"]) for s in found["suspects"]]


def convolutions():
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1)), torch.randn(4, 8, 12, 12)


@pytest.mark.parametrize("operators", [True, False], ids=["operators", "modules"])
@pytest.mark.parametrize("device", ["oneDNN off", "channels_last", "f64"])
def test_another_convolution_is_no_fault(tmp_path, judge, device, operators):
    model, x = convolutions()
    record(tmp_path / "bench", model, x, operators=operators, backward=True)
    other = copy.deepcopy(model)
    if device == "oneDNN off":
        with torch.backends.mkldnn.flags(enabled=False):
            record(tmp_path / "target", other, x, operators=operators, backward=True)
    elif device == "channels_last":
        record(tmp_path / "target", other.to(memory_format=torch.channels_last), x.contiguous(memory_format=torch.channels_last), operators=operators, backward=True)
    else:
        record(tmp_path / "target", other.double(), x.double(), operators=operators, backward=True)
    assert names(judge()) == []


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(16, 16) for _ in range(3))

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        return torch.softmax(q @ k.transpose(-1, -2) / 4, -1) @ v


@pytest.mark.parametrize("operators", [True, False], ids=["operators", "modules"])
def test_a_gradient_that_is_zero_but_for_rounding_is_no_fault(tmp_path, judge, operators):
    """A shift of all keys does not change the softmax, so the gradient of the key's bias is only rounding error, which depends on the order."""
    torch.manual_seed(0)
    model, x = Attention(), torch.randn(6, 20, 16)
    record(tmp_path / "bench", model, x, operators=operators, backward=True)
    with torch.backends.mkldnn.flags(enabled=False):
        record(tmp_path / "target", model, x, operators=operators, backward=True)
    assert names(judge()) == []


def test_masks_that_flip_between_types_are_no_fault(tmp_path, judge):
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8)), torch.randn(64, 32)
    record(tmp_path / "bench", model, x, backward=True)
    record(tmp_path / "target", copy.deepcopy(model).bfloat16(), x.bfloat16(), backward=True)
    assert names(judge()) == []


class Scaled(nn.Linear):
    factor = 1.01

    def forward(self, x):
        y = super().forward(x)
        with torch.utils._python_dispatch._disable_current_modes():
            y.data.mul_(self.factor)
        return y


def test_a_product_off_by_one_percent_is_named_on_equal_inputs(tmp_path, judge):
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 8)).bfloat16(), torch.randn(32, 64).bfloat16()
    record(tmp_path / "bench", model, x, operators=False)
    model[0].__class__ = Scaled
    record(tmp_path / "target", model, x, operators=False)
    found = judge()
    assert found["first_wrong"] == "0" and found["suspects"][0]["evidence"] == "replay", names(found)


@pytest.mark.parametrize("where", [(7, 300), (63, 0), (0, 511)])
def test_one_element_of_a_wide_layer(tmp_path, judge, where):
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(32, 512), nn.GELU()), torch.randn(64, 32)
    record(tmp_path / "bench", model, x, operators=False)

    def broken(module, args, y):
        y[where] += 1e-3

    model[0].register_forward_hook(broken)
    with torch.no_grad():
        record(tmp_path / "target", model, x, operators=False)
    found = judge()
    assert found["first_wrong"] == "0" and len(found["suspects"]) == 1, names(found)
    assert "1 of 32768 outputs" in found["suspects"][0]["reason"], names(found)
    assert f"index {where[0]} of dimension 0" in found["suspects"][0]["reason"], names(found)


@pytest.mark.parametrize("operators", [True, False], ids=["operators", "modules"])
def test_a_kernel_that_is_wrong_in_all_blocks_is_one_finding(tmp_path, judge, operators):
    torch.manual_seed(0)
    model = nn.ModuleList(nn.Sequential(nn.Linear(16, 16), nn.GELU()) for _ in range(6))
    model.forward = lambda x: [x := block(x) for block in model][-1]
    x = torch.randn(9, 16)
    record(tmp_path / "bench", model, x, operators=operators)
    for block in model:
        block[1].approximate = "tanh"
    record(tmp_path / "target", model, x, operators=operators)
    found = judge()
    assert len(found["suspects"]) == 1 and found["suspects"][0]["alike"] == found["suspects"][0]["of_role"] == 6, names(found)
    assert "0.1" in found["suspects"][0]["module"] or "gelu" in found["suspects"][0]["tensor"]


def test_a_step_that_only_hands_on_its_inputs_errors_is_listed_as_such(tmp_path, judge):
    """Differences of large numbers: the rounding of a term of 1000 that was added first, or last, is a large part of a difference."""
    torch.manual_seed(0)

    class Model(nn.Module):
        def __init__(self, order):
            super().__init__()
            self.weight, self.order = nn.Parameter(torch.randn(16, 256)), order
            self.weight.data[:, 0] = 1000

        def forward(self, x):
            y = nn.functional.linear(x[:, self.order], self.weight[:, self.order])
            return y - y.mean(-1, keepdim=True)

    straight, x = Model(torch.arange(256)), torch.randn(64, 256)
    x[:, 0] = 1
    turned = copy.deepcopy(straight)
    turned.order = torch.arange(255, -1, -1)
    with torch.no_grad():
        record(tmp_path / "bench", straight, x)
        record(tmp_path / "target", turned, x)
    found = judge()
    worst = found["ill_conditioned"][0]
    assert "aten-sub" in worst["tensor"] and worst["error_out"] > 50 * worst["error_in"] > 0, found
    assert not [s for s in found["suspects"] if "sub" in s["tensor"]], names(found)


def test_what_is_made_of_numbers_beside_zeros_has_no_growth(tmp_path, judge):
    """Against a bench of zeros an error has no size: an operator without a program is not accused."""

    class Model(nn.Module):
        def __init__(self, factor):
            super().__init__()
            self.factor = factor

        def forward(self, x):
            return nn.functional.pad(x * self.factor, (1, 1), mode="reflect")

    x = torch.arange(12.0).reshape(1, 3, 4) - 5
    for side, factor in (("bench", 0.0), ("target", 1e-5)):
        record(tmp_path / side, Model(factor), x)
    found = judge()
    assert [s["class"] for s in found["suspects"]] == ["aten-mul-Tensor"], names(found)


def bf16_sums(x, weight):
    total = torch.zeros(len(x), len(weight), dtype=torch.bfloat16)
    for begin in range(0, x.shape[1], 8):
        total += (x[:, begin : begin + 8].float() @ weight[:, begin : begin + 8].float().t()).bfloat16()
    return total


def test_sums_in_a_narrow_type_are_right_where_they_are_declared(tmp_path, judge, assay):
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(256, 32, bias=False)).bfloat16(), torch.randn(16, 256).bfloat16()
    with torch.no_grad():
        record(tmp_path / "bench", model, x, operators=False)
        model[0].forward = lambda x: bf16_sums(x, model[0].weight)
        record(tmp_path / "target", model, x, operators=False)
    assert [s["evidence"] for s in judge()["suspects"]] == ["replay"]
    assert names(judge("--accumulation", "bf16")) == []
    refused = assay("compare", f"target/{FILE}", f"bench/{FILE}", "--accumulation", "bf16")
    assert refused.returncode == 2 and "--first-wrong" in refused.stderr
    refused = assay("compare", f"target/{FILE}", f"bench/{FILE}", "--first-wrong", "--accumulation", "i8")
    assert refused.returncode == 2 and "i8" in refused.stderr
