"""The first NaN or Inf of a recording: its producer, and the path by which it spread; on one rank and on two under gloo."""
import json
import math

import pytest
import torch
from test_ranks import FAULTS, run_ranks
from torch import nn

from assay.torch import PrecisionDebugger

DUMP = "globalrank-0_localrank-0.h5"


class Net(nn.Module):
    def __init__(self, between=None):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.norm, self.act, self.last = nn.Linear(4, 4), nn.LayerNorm(4), nn.ReLU(), nn.Linear(4, 2)
        self.between = between

    def forward(self, x):
        x = self.norm(self.first(x))
        if self.between is not None:
            x = x * self.between
        return self.last(self.act(x))


def record(folder, model, x, backward=False, **options):
    with PrecisionDebugger(dump_path=str(folder), model=model, **options):
        y = model(x)
        if backward:
            y.sum().backward()


def corrupt(module, value):
    """A kernel that writes one wrong element."""

    def hook(_, args, y):
        y.data.view(-1)[0] = value

    module.register_forward_hook(hook)


def first(assay, what="first_nan", name="run"):
    ran = assay("summary", name, "--quiet", "--json", "facts.json")
    assert ran.returncode == 0, ran.stderr
    facts = json.loads(assay("summary", name, "--json", "-").stdout)
    assert ("first NaN: " in ran.stdout) == ("first_nan" in facts) and ("first Inf: " in ran.stdout) == ("first_inf" in facts)
    return facts.get(what)


def test_a_module_is_named_with_the_path(tmp_path, assay):
    model = Net()
    corrupt(model.norm, math.nan)
    record(tmp_path / "run", model, torch.ones(3, 4))
    found = first(assay)
    assert (found["maker"], found["module"], found["tensor"], found["elements"]) == ("module", "norm", "norm.LayerNorm.0.forward_output.0", 1)
    assert found["path"] == ["act", "last"] and found["reaches_last_output"]
    assert found["tensors"] == 6  # norm's output, inputs and outputs of act and last, the model's output
    text = assay("summary", f"run/{DUMP}", "--quiet").stdout
    assert "which 'norm' made from inputs without one; it spread through act, last: 6 tensors, the last output among them" in text


def test_code_parameters_inputs_and_gradients(tmp_path, assay):
    record(tmp_path / "run", Net(between=math.nan), torch.ones(3, 4))
    found = first(assay)
    assert (found["maker"], found["module"], found["tensor"]) == ("code", "Net", "act.ReLU.0.forward_input.0")

    model = Net()
    model.first.weight.data[1, 1] = math.nan
    record(tmp_path / "weights", model, torch.ones(3, 4))
    found = first(assay, name="weights")
    assert (found["maker"], found["module"], found["tensor"]) == ("parameter", "first", "first.Linear.0.forward_params.weight")

    x = torch.ones(3, 4)
    x[0, 0] = math.nan
    record(tmp_path / "inputs", Net(), x)
    assert first(assay, name="inputs")["maker"] == "input"

    model = Net()
    model.act.register_full_backward_hook(lambda module, given, taken: (given[0] * math.nan,))
    record(tmp_path / "gradients", model, torch.ones(3, 4).requires_grad_(), backward=True)
    found = first(assay, name="gradients")
    assert found["maker"] == "backward" and found["tensor"].startswith(("act.ReLU.0.backward_grad", "norm.LayerNorm.0.backward_grad_output")), found


def test_finite_recordings_and_masks_say_nothing(tmp_path, assay):
    attention = nn.TransformerEncoderLayer(8, 2, batch_first=True).eval()
    mask = torch.full((3, 3), -math.inf).triu(1)
    with PrecisionDebugger(dump_path=str(tmp_path / "run"), model=attention), torch.no_grad():
        attention(torch.randn(1, 3, 8), src_mask=mask)
    assert first(assay) is None and first(assay, "first_inf") is None


def test_a_nan_that_was_made_of_an_inf(tmp_path, assay):
    model = Net()
    corrupt(model.first, math.inf)
    record(tmp_path / "run", model, torch.ones(3, 4))
    found = first(assay)
    assert (found["module"], found["inputs_have_inf"]) == ("norm", True)  # Inf minus Inf
    assert first(assay, "first_inf")["module"] == "first"


def test_an_operator_is_named(tmp_path, assay):
    class Root(nn.Module):
        def forward(self, x):
            torch.empty(3).fill_(math.nan)  # the producer is not the unwritten memory, but the call that fills it
            return torch.sqrt(x) + 1

    record(tmp_path / "run", Root(), torch.tensor([1.0, -1.0]), dump_torch_api=True)
    found = first(assay)
    assert "fill" in found["tensor"] and found["maker"] == "module"

    class Sqrt(nn.Module):
        def forward(self, x):
            return torch.sqrt(x) + 1

    record(tmp_path / "sqrt", Sqrt(), torch.tensor([1.0, -1.0]), dump_torch_api=True)
    assert "aten-sqrt-default.0.forward_output.0" in first(assay, name="sqrt")["tensor"]


def test_compare_names_what_the_bench_lacks(tmp_path, assay):
    record(tmp_path / "bench", Net(), torch.ones(3, 4))
    model = Net()
    corrupt(model.norm, math.nan)
    record(tmp_path / "run", model, torch.ones(3, 4))
    ran = assay("compare", f"run/{DUMP}", f"bench/{DUMP}", "--first-wrong")
    assert "first wrong: norm\n" in ran.stdout
    assert "first NaN or Inf that the bench lacks: 'norm.LayerNorm.0.forward_output.0' of step 1 (1 elements), which 'norm' made" in ran.stdout
    ran = assay("compare", f"bench/{DUMP}", f"bench/{DUMP}", "--first-wrong", "--json", "-")
    assert json.loads(ran.stdout)["first_wrong"]["not_finite"] is None


@pytest.mark.parametrize("kind", ["tensor", "data"])
def test_the_rank_that_made_it_is_named(tmp_path, assay, kind):
    """A sum over ranks brings the NaN to the other one; the maker is the rank whose operator made it."""
    run_ranks(tmp_path, f"{kind}-nan")
    for i in range(FAULTS):
        rank, call, _ = (tmp_path / f"fault{i}" / "expected.txt").read_text().split(" ")
        found = first(assay, name=f"fault{i}")
        assert (found["rank"], found["module"], found["maker"]) == (int(rank), call, "module"), (i, rank, call, found)
        if kind == "tensor":
            assert [other["rank"] for other in found["other_ranks"]] == [1 - int(rank)]
