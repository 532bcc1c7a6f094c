"""Values where a sequence has no token are not evidence: they may be computed, skipped or left uninitialised. A fault at a token is still named."""
import json

import pytest
import torch
from torch import nn
from torch.nn import functional

from assay.torch import PrecisionDebugger

FILE = "globalrank-0_localrank-0.h5"
LENGTHS = torch.tensor([7, 4, 2])
KEEP = torch.arange(7) < LENGTHS[:, None]
# How the end of a text is given -> (what the model is called with, whether its samples come first).
MASKS = {
    "attention_mask": dict(attention_mask=KEEP.long()),
    "padding on the left": dict(attention_mask=KEEP.flip(1).long()),
    "key_padding_mask": dict(key_padding_mask=~KEEP),
    "added to scores": dict(mask=torch.zeros(3, 7).masked_fill(~KEEP, float("-inf"))[:, None, None]),
    "lengths": dict(lengths=LENGTHS),
}


def keep_of(attention_mask=None, key_padding_mask=None, mask=None, lengths=None):
    if attention_mask is not None:
        return attention_mask.bool()
    if key_padding_mask is not None:
        return ~key_padding_mask
    return mask[:, 0, 0] == 0 if mask is not None else torch.arange(7) < lengths[:, None]


class Attention(nn.Module):
    """`garbage` is at positions without a token, as a kernel that skips such rows may leave it; `fault` is at a token."""

    def __init__(self, garbage=None, fault=None):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(16, 16) for _ in range(4))
        self.garbage, self.fault = garbage, fault

    def forward(self, x, keep):
        q, k, v = (f(x).unflatten(-1, (2, 8)).transpose(1, 2) for f in (self.q, self.k, self.v))
        y = functional.scaled_dot_product_attention(q, k, v, attn_mask=keep[:, None, None]).transpose(1, 2).flatten(2)
        if self.garbage is not None:
            y = torch.where(keep[..., None], y, self.garbage)
        if self.fault is not None:
            y = torch.cat([y[:, :3], y[:, 3:4] * self.fault, y[:, 4:]], 1)
        return self.out(y)


class Encoder(nn.Module):
    """All positions are given back, or the sum over tokens."""

    def __init__(self, pooled, **attention):
        super().__init__()
        torch.manual_seed(0)
        self.layers, self.norms = nn.ModuleList([Attention(), Attention()]), nn.ModuleList([nn.LayerNorm(16), nn.LayerNorm(16)])
        for name, value in attention.items():
            setattr(self.layers[1], name, value)
        self.pooled = pooled

    def forward(self, x, **words):
        keep = keep_of(**words)
        for layer, norm in zip(self.layers, self.norms):
            x = x + layer(norm(x), keep)
        return torch.where(keep[..., None], x, 0).sum(1) if self.pooled else x


def judge(assay, folder, words, pooled, operators, **attention):
    x = torch.randn(3, 7, 16, generator=torch.Generator().manual_seed(1))
    for side, changed in (("bench", {}), ("target", attention)):
        with PrecisionDebugger(str(folder / side), model=(model := Encoder(pooled, **changed)), dump_torch_api=operators), torch.no_grad():
            model(x, **words)
    ran = assay("compare", f"target/{FILE}", f"bench/{FILE}", "--first-wrong", "--json", "out.json")
    return ran, json.loads((folder / "out.json").read_text())["first_wrong"]


@pytest.mark.parametrize("pooled", [False, True], ids=["all positions", "pooled"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("garbage", [7.0, float("nan")])
def test_what_is_no_tokens_accuses_nobody(assay, tmp_path, mask, pooled, garbage):
    ran, found = judge(assay, tmp_path, MASKS[mask], pooled, False, garbage=garbage)
    assert ran.returncode == 0 and found["answer"] == "none" and found["fails"] == 0, ran.stdout
    assert "differ only where there is no token" in ran.stdout, ran.stdout
    assert assay("compare", f"target/{FILE}", f"bench/{FILE}", "--quiet").returncode == 0


@pytest.mark.parametrize("operators", [False, True], ids=["modules", "operators"])
@pytest.mark.parametrize("garbage", [None, 7.0])
@pytest.mark.parametrize("mask", MASKS)
def test_a_fault_at_a_token_is_named(assay, tmp_path, mask, garbage, operators):
    ran, found = judge(assay, tmp_path, MASKS[mask], False, operators, garbage=garbage, fault=1.1)
    assert ran.returncode == 1 and found["suspects"], ran.stdout
    first = found["suspects"][0]
    assert first["module"] == "layers.1" or first["where"].startswith("layers.1"), ran.stdout


def test_a_difference_is_left_out_only_where_the_mask_leaves_out(assay, tmp_path):
    """The same garbage at the tokens."""
    words = dict(attention_mask=(~KEEP).long()[:, [6, 5, 4, 3, 2, 1, 0]])
    words["attention_mask"][0] = 1
    ran, found = judge(assay, tmp_path, words, False, False, fault=1.5)
    assert ran.returncode == 1 and found["answer"] == "named", ran.stdout


class Summed(nn.Module):
    """Only positions show how long the texts are, and no gradient comes from positions without a token."""

    def __init__(self, wrong=False):
        super().__init__()
        torch.manual_seed(0)
        self.inp, self.out, self.wrong = nn.Linear(16, 16), nn.Linear(16, 16), wrong

    def forward(self, x, lengths):
        y = self.out(torch.tanh(self.inp(x)))
        if self.wrong:
            y.register_hook(lambda gradient: gradient * 1.1)
        return y * (torch.arange(7) < lengths[:, None])[..., None]


@pytest.mark.parametrize("operators", [False, True], ids=["modules", "operators"])
@pytest.mark.parametrize("mask", [LENGTHS, KEEP])
def test_a_gradient_that_is_wrong_at_all_tokens_is_named(assay, tmp_path, mask, operators):
    """The tensor differs only at tokens, and the model's outputs pass: the mask's meaning must not be inverted."""
    x = torch.randn(3, 7, 16, generator=torch.Generator().manual_seed(1))
    for side in ("bench", "target"):
        model = Summed(side == "target")
        model.forward = model.forward if mask is LENGTHS else lambda x, keep, model=model: type(model).forward(model, x, keep.sum(1))
        with PrecisionDebugger(str(tmp_path / side), model=model, dump_torch_api=operators):
            model(x, mask).square().sum().backward()
    ran = assay("compare", f"target/{FILE}", f"bench/{FILE}", "--first-wrong", "--json", "out.json")
    found = json.loads((tmp_path / "out.json").read_text())["first_wrong"]
    assert ran.returncode == 1 and found["answer"] == "named", ran.stdout


class Pool(nn.Module):
    """A sequence is pooled by scores, or summed; positions without a token are masked, not masked ("missing"), or masked in another way ("later")."""

    def __init__(self, mask, kind):
        super().__init__()
        self.proj, self.score, self.mask, self.kind = nn.Linear(16, 16), nn.Linear(16, 1, bias=False), mask, kind

    def forward(self, x, keep):
        y = torch.tanh(self.proj(x))
        if self.kind == "summed":
            return (y if self.mask == "missing" else y * keep[..., None] if self.mask == "later" else y.masked_fill(~keep[..., None], 0)).sum(1)
        scores = self.score(y).squeeze(-1)
        if self.mask == "later":
            weights = scores.exp() * keep
            return (weights / weights.sum(-1, keepdim=True))[..., None].mul(x).sum(1)
        scores = scores if self.mask == "missing" else scores.masked_fill(~keep, float("-inf"))
        return (scores.softmax(-1)[..., None] * x).sum(1)


class Pooled(nn.Module):
    def __init__(self, mask, kind):
        super().__init__()
        torch.manual_seed(0)
        self.pool, self.head = Pool(mask, kind), nn.Linear(16, 3)

    def forward(self, x, lengths):
        return self.head(self.pool(x, torch.arange(7) < lengths[:, None]))


@pytest.mark.parametrize("operators", [False, True], ids=["modules", "operators"])
@pytest.mark.parametrize("kind", ["scores", "summed"])
@pytest.mark.parametrize("mask", ["missing", "later"])
def test_a_mask_that_is_missing_is_named(assay, tmp_path, mask, kind, operators):
    """The input differs only where there is no token, but the result differs elsewhere."""
    x = torch.randn(3, 7, 16, generator=torch.Generator().manual_seed(1))
    for side in ("bench", "target"):
        model = Pooled(mask if side == "target" else "", kind)
        with PrecisionDebugger(str(tmp_path / side), model=model, dump_torch_api=operators):
            model(x, LENGTHS).square().sum().backward()
    ran = assay("compare", f"target/{FILE}", f"bench/{FILE}", "--first-wrong", "--json", "out.json")
    found = json.loads((tmp_path / "out.json").read_text())["first_wrong"]
    assert found["answer"] == ("named" if mask == "missing" else "none"), ran.stdout
    first = found["suspects"][0] if mask == "missing" else {}
    assert mask == "later" or first["module"] == "pool" or first["where"].startswith("pool"), ran.stdout
