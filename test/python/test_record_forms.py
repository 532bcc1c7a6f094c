"""Forms of training and serving code: activation checkpointing, caches, LoRA under an optimizer, nested results, autocast, DDP and
FSDP under gloo. The model's bits do not change, the record is complete, and two equal runs compare without a suspect."""
import dataclasses
import json
import pathlib

import h5py
import preloaded
import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from assay.torch import PrecisionDebugger

DUMP = "globalrank-0_localrank-0.h5"


class Checkpointed(nn.Module):
    def __init__(self, reentrant):
        super().__init__()
        self.block, self.head, self.reentrant = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4)), nn.Linear(4, 1), reentrant

    def forward(self, x):
        return self.head(checkpoint(self.block, x, use_reentrant=self.reentrant))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x, cache):
        keys, values = self.k(x), self.v(x)
        if cache:
            keys, values = torch.cat([cache["keys"], keys], 1), torch.cat([cache["values"], values], 1)
        cache.update(keys=keys, values=values)
        return torch.softmax(self.q(x) @ keys.transpose(1, 2), -1) @ values, cache


class Lora(nn.Module):
    def __init__(self):
        super().__init__()
        self.base, self.down, self.up = nn.Linear(8, 8), nn.Linear(8, 2, bias=False), nn.Linear(2, 8, bias=False)
        self.base.requires_grad_(False)

    def forward(self, x):
        return self.base(x) + 0.5 * self.up(self.down(x))


@dataclasses.dataclass
class Result:
    hidden: torch.Tensor
    extra: dict


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        y = self.layer(x)
        return Result(y, {"states": [y, (y * 2,)], "none": None})


def trained(model, x):
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=0.1)
    model(x).float().square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    return [p.detach().clone() for p in model.parameters()]


def checkpointed(reentrant):
    model, x = Checkpointed(reentrant), torch.randn(3, 4, requires_grad=True)
    return model, lambda: [model(x).sum().backward(), x.grad][1:] + [p.grad for p in model.parameters()]


def cached():
    model, tokens = Attention(), torch.randn(3, 1, 1, 8)

    def generate():
        cache, results = {}, []
        with torch.no_grad():
            for token in tokens:
                result, cache = model(token, cache)
                results.append(result)
        return results

    return model, generate


def lora(autocast=False):
    model, x = nn.Sequential(Lora(), nn.ReLU(), Lora()), torch.randn(3, 8)

    def step():
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            return trained(model, x)

    return model, step


def nested():
    model = Nested()
    return model, lambda: [model(torch.ones(2, 4)).hidden]


FORMS = {
    "checkpoint, reentrant": (lambda: checkpointed(True), {"block.0.Linear.1.forward_output.0", "block.0.Linear.0.params_grad.weight", "head.Linear.0.backward_grad_input.0"}),
    "checkpoint": (lambda: checkpointed(False), {"block.0.Linear.1.forward_output.0", "block.0.Linear.0.params_grad.weight", "block.Sequential.0.backward_grad_output.0"}),
    "cache": (cached, {"Attention.2.forward_input.1.keys", "Attention.2.forward_output.1.values", "k.Linear.2.forward_output.0"}),
    "LoRA": (lora, {"0.up.Linear.0.params_grad.weight", "2.down.Linear.0.params_grad.weight", "0.base.Linear.0.forward_output.0"}),
    "LoRA, autocast": (lambda: lora(True), {"0.up.Linear.0.params_grad.weight", "0.base.Linear.0.forward_output.0"}),
    "nested": (nested, {"Nested.0.forward_output.hidden", "Nested.0.forward_output.extra.states.0", "Nested.0.forward_output.extra.states.1.0"}),
}


@pytest.mark.parametrize("operators", [False, True], ids=["modules", "operators"])
@pytest.mark.parametrize("form", FORMS)
def test_forms(tmp_path, assay, form, operators):
    make, expected = FORMS[form]

    def run(folder=None):
        torch.manual_seed(0)
        model, call = make()
        if folder is None:
            return call()
        with PrecisionDebugger(str(tmp_path / folder), model=model, dump_torch_api=operators):
            return call()

    plain, results = run(), run("a")
    run("b")
    assert all(torch.equal(x, y) for x, y in zip(plain, results)) and len(plain) == len(results)
    with h5py.File(tmp_path / "a" / DUMP) as file:
        assert expected <= set(file["1"]), expected - set(file["1"])
    ran = assay("compare", f"a/{DUMP}", f"b/{DUMP}", "--first-wrong")
    assert ran.returncode == 0 and "first wrong: none" in ran.stdout, ran.stdout[-2000:]


def test_an_output_that_nobody_uses_gets_no_gradient(tmp_path, capfd):
    """If an operator has several results, the hooks of those without a gradient are called with None."""

    class Factors(nn.Module):
        def forward(self, x):
            return torch.linalg.qr(x.T @ x)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.factors = nn.Linear(6, 6), Factors()

        def forward(self, x):
            return self.factors(self.layer(x))[1]

    model = Model()
    with PrecisionDebugger(str(tmp_path / "a"), model=model):
        model(torch.randn(4, 6)).sum().backward()
    with h5py.File(tmp_path / "a" / DUMP) as file:
        assert "factors.Factors.0.backward_grad_output.1" in file["1"] and "factors.Factors.0.backward_grad_output.0" not in file["1"]
    assert "not recorded" not in capfd.readouterr().err


def test_a_fault_in_recomputed_code_is_named(tmp_path, assay):
    """A kernel that is wrong only in the recomputation: the forward pass is right, the gradients are not."""
    for folder in ("bench", "target"):
        torch.manual_seed(0)
        model, call = checkpointed(False)
        calls = []

        def wrong(module, args, y):
            calls.append(1)
            if len(calls) == 2:
                y.data[1] *= 1.5

        if folder == "target":
            model.block[0].register_forward_hook(wrong)
        with PrecisionDebugger(str(tmp_path / folder), model=model):
            call()
    ran = assay("compare", f"target/{DUMP}", f"bench/{DUMP}", "--first-wrong")
    assert ran.returncode == 1 and "first wrong: block.0\n" in ran.stdout and "block.0.Linear.1.forward_output.0" in ran.stdout, ran.stdout[-2000:]


@pytest.mark.parametrize("kind", ["ddp", "fsdp1", "fsdp2"])
def test_data_parallel_training(tmp_path, assay, kind):
    preloaded.ranks(2, pathlib.Path(__file__).with_name("parallel_worker.py"), kind, tmp_path)
    for rank in (0, 1):
        plain, modules, operators = json.loads((tmp_path / f"losses{rank}.json").read_text())
        assert plain == modules == operators
        with h5py.File(tmp_path / "modules" / f"globalrank-{rank}_localrank-0.h5") as file:
            for step in ("1", "2"):
                kinds = {name.split(".")[-2] for name in file[step]}
                assert {"forward_params", "forward_input", "forward_output", "backward_grad_output", "backward_grad_input", "params_grad"} <= kinds
                if kind == "fsdp2":
                    assert file[step]["0.FSDPLinear.0.params_grad.weight"].attrs["placement"] == f"dp {rank}/2: shard 0"
    if kind == "fsdp2":  # gradients that were split over the ranks become whole
        ran = assay("merge", "modules", "whole.h5")
        assert "put together from parts" in ran.stdout, ran.stdout + ran.stderr
        with h5py.File(tmp_path / "whole.h5") as file:
            assert file["1/0.FSDPLinear.0.params_grad.weight"].shape == (8, 4)
