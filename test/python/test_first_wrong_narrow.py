"""Correct runs in 16 bits, compared with f32 (or with other last bits), accuse no module; the same places with a fault are named."""
import contextlib
import json

import pytest
import torch
from first_wrong_pairs import Rounding
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

from assay.torch import PrecisionDebugger

FILE = "globalrank-0_localrank-0.h5"


class Norms(nn.Module):
    """Statistics that a kernel keeps in the type of its result."""

    def __init__(self):
        super().__init__()
        self.batch, self.lin = nn.BatchNorm1d(8), nn.Linear(10, 10)

    def forward(self, x):
        return self.batch(self.lin(x) + 3)


class Rows(nn.Module):
    """Gradients of rows that are summed in their type."""

    def __init__(self):
        super().__init__()
        self.table, self.lin = nn.Embedding(5, 16), nn.Linear(16, 4)

    def forward(self, x):
        return self.lin(self.table(x))


class Strided(nn.Module):
    """Gradients of convolutions that are summed in their type: those of weights image by image, those of inputs place by place of the kernel."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(2, 6, 3, 2, 1), nn.Conv2d(6, 8, 3, 2, 1)

    def forward(self, x):
        return self.second(nn.functional.leaky_relu(self.first(x.flatten(2, 3)), 0.1))


class Ties(nn.Module):
    """Signs and maxima that another rounding decides differently."""

    def __init__(self):
        super().__init__()
        self.conv, self.pool, self.head = nn.Conv3d(2, 8, 3, padding=1), nn.MaxPool3d(2), nn.Conv3d(8, 4, 1)

    def forward(self, x):
        return self.head(self.pool(torch.relu(self.conv(x))))


class Numbers(nn.Module):
    """Numbers that a CPU rounds to the type before it adds them, and that nearly cancel; and a function of five operators."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(10, 10)

    def forward(self, x):
        y = self.lin(0.02 * x) + 0.9189385332046727
        return torch.logsumexp(y - 0.9189385332046727, -1)


class Slopes(nn.Module):
    """Slopes that are decided between near zeros."""

    def __init__(self):
        super().__init__()
        self.conv, self.slope = nn.Conv3d(2, 8, 3, padding=1), nn.PReLU()

    def forward(self, x):
        return self.slope(self.conv(x))


def inputs(model, seed):
    generator = torch.Generator().manual_seed(seed)
    if isinstance(model, Rows):
        return torch.randint(0, 5, (4, 64), generator=generator)
    return torch.randn((3, 8, 10) if isinstance(model, (Norms, Numbers)) else (2, 2, 8, 8, 8), generator=generator)


class OneZero(TorchDispatchMode):
    """The largest element of the first result of one operator is lost."""

    def __init__(self, operator):
        super().__init__()
        self.operator, self.done = operator, False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if str(func).startswith(self.operator) and not self.done:
            first = next(y for y in (result if isinstance(result, (tuple, list)) else [result]) if isinstance(y, torch.Tensor))
            with torch.no_grad():
                first[torch.unravel_index(first.abs().argmax(), first.shape)] = 0
            self.done = True
        return result


def record(folder, kind, dtype, operators, seed, wrong=None):
    torch.manual_seed(seed)
    model = kind().to(dtype)
    x = inputs(model, seed)
    x = x.to(dtype) if x.is_floating_point() else x
    with wrong or torch.enable_grad(), PrecisionDebugger(str(folder), model=model, dump_torch_api=operators):
        y = model(x)
        (y.float() * torch.cos(torch.arange(y.numel()).reshape(y.shape) * 1.7)).sum().backward()


def judge(assay, folder):
    ran = assay("compare", f"target/{FILE}", f"bench/{FILE}", "--first-wrong", "--json", "out.json")
    return ran, json.loads((folder / "out.json").read_text())["first_wrong"]


@pytest.mark.parametrize("operators", [False, True])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("kind", [Norms, Rows, Ties, Strided, Numbers, Slopes])
def test_16_bits_beside_f32_accuse_nobody(tmp_path, assay, kind, dtype, operators):
    for seed in range(3):
        record(tmp_path / "bench", kind, torch.float32, operators, seed)
        record(tmp_path / "target", kind, dtype, operators, seed)
        ran, found = judge(assay, tmp_path)
        assert found["answer"] == "none", (seed, ran.stdout[-2000:])


class Attends(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, x):
        q, k, v = self.qkv(x).reshape(2, 16, 3, 4, 8).permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(2, 16, 32))


@pytest.mark.parametrize("operators", [False, True])
@pytest.mark.parametrize("wrong", [False, True])
def test_another_kernel_for_attention_is_no_suspect(tmp_path, assay, wrong, operators):
    """One side has one operator, the other a dozen; they are not suspects, with or without an earlier fault."""
    for side in ("bench", "target"):
        torch.manual_seed(0)
        model = Attends().to(torch.bfloat16)
        x = torch.randn(2, 16, 32, generator=torch.Generator().manual_seed(1)).to(torch.bfloat16)
        if wrong and side == "target":
            model.qkv.register_forward_hook(lambda module, args, output: output * 1.5)
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION if side == "target" else SDPBackend.MATH):
            with PrecisionDebugger(str(tmp_path / side), model=model, dump_torch_api=operators):
                model(x).float().square().mean().backward()
    ran, found = judge(assay, tmp_path)
    assert found["answer"] == ("named" if wrong else "none"), ran.stdout[-2000:]
    assert not any("attention" in suspect["class"] + suspect["reason"] for suspect in found["suspects"]), ran.stdout[-2000:]


def test_a_gradient_that_is_lost_is_no_tie(tmp_path, assay):
    record(tmp_path / "bench", Ties, torch.float32, False, 0)
    record(tmp_path / "target", Ties, torch.float32, False, 0, OneZero("aten.max_pool3d_with_indices_backward"))
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 1 and found["suspects"][0]["module"] == "pool", ran.stdout[-2000:]


class Recurs(nn.Module):
    """Recurrent modules, which round after each of their operators."""

    def __init__(self):
        super().__init__()
        self.embed, self.lstm, self.cell, self.head = nn.Linear(6, 6), nn.LSTM(6, 8, bidirectional=True, batch_first=True), nn.LSTMCell(16, 8), nn.Linear(8, 4)

    def forward(self, x):
        y = self.lstm(self.embed(x))[0]
        h = c = y.new_zeros(len(y), 8)
        for step in y.unbind(1):
            h, c = self.cell(step, (h, c))
        return self.head(h)


class Cancels(nn.Module):
    """x - tanh(x) of small x, which is ill-conditioned."""

    def __init__(self):
        super().__init__()
        self.inp, self.act, self.out = nn.Linear(6, 8), nn.Tanhshrink(), nn.Linear(8, 4)

    def forward(self, x):
        return self.out(self.act(0.5 * self.inp(x)))


class Apart(nn.Module):
    """A product and a bias that are two operators, since the input is not contiguous; they nearly cancel."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(6, 6)
        nn.init.constant_(self.lin.weight, 2.0)
        nn.init.constant_(self.lin.bias, -11.5)

    def forward(self, x):
        return self.lin((1 + 0.05 * x).transpose(0, 1)[:, :2])


class RMSNorm(nn.Module):
    """A norm of five operators, each of which rounds."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(0.5, 1.5, 6))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.head = RMSNorm(), nn.Linear(6, 4)

    def forward(self, x):
        return self.head(self.norm(x))


class Stacked(nn.Module):
    """Modules whose gradients are one operator each."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 8), nn.GroupNorm(1, 5), nn.SiLU(), nn.BatchNorm1d(5), nn.Tanh(), nn.Softmax(-1))

    def forward(self, x):
        return self.layers(x + 3)


class OneLayer(nn.Module):
    """A layer that is called several times: its gradients are added in their type."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)

    def forward(self, x):
        for _ in range(4):
            x = torch.tanh(self.layer(x))
        return x


@pytest.mark.parametrize("how", ["up", "bits"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("kind", [Recurs, Cancels, OneLayer, Apart, Normed, Stacked])
def test_other_last_bits_in_16_bits_accuse_nobody(tmp_path, assay, kind, dtype, how):
    for seed in range(6):
        for side, around in (("bench", contextlib.nullcontext()), ("target", Rounding(how, seed, 0.4))):
            torch.manual_seed(seed)
            model, x = kind().to(dtype), torch.randn(3, 5, 6, generator=torch.Generator().manual_seed(seed)).to(dtype)
            with around, PrecisionDebugger(str(tmp_path / side), model=model):
                model(x).float().square().mean().backward()
        ran, found = judge(assay, tmp_path)
        assert found["answer"] == "none", (seed, ran.stdout[-2000:])


class Cell(nn.Module):
    """Two layers called at every step of a sequence: their gradients are added from the last step on."""

    def __init__(self):
        super().__init__()
        self.x, self.h = nn.Linear(6, 32), nn.Linear(8, 32)

    def forward(self, x):
        h = c = torch.zeros(x.shape[0], 8)
        for t in range(x.shape[1]):
            i, f, g, o = (self.x(x[:, t]) + self.h(h)).chunk(4, -1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        return h


@pytest.mark.parametrize("steps, batch", [(6, 2), (16, 1), (40, 3), (200, 1)])
@pytest.mark.parametrize("fault", [False, True])
def test_gradients_added_over_calls_in_f32(tmp_path, assay, steps, batch, fault):
    """Results that are each one unit in the last place higher add up over the calls and accuse no module; half a percent in one element does."""
    for side in ("bench", "target"):
        torch.manual_seed(0)
        model, x = Cell(), torch.randn(batch, steps, 6)
        with Rounding("up") if side == "target" else contextlib.nullcontext(), PrecisionDebugger(str(tmp_path / side), model=model):
            if fault and side == "target":
                model.x.weight.register_hook(lambda g: torch.cat([g[:1] * 1.005, g[1:]]))
            model(x).square().mean().backward()
    ran, found = judge(assay, tmp_path)
    assert found["answer"] == ("named" if fault else "none"), ran.stdout[-2000:]
    assert not fault or found["suspects"][0]["module"] == "x", ran.stdout[-2000:]


@pytest.mark.parametrize("kind, operator, module", [(Recurs, "aten.sigmoid", "lstm"), (Cancels, "aten.tanh", "act"), (OneLayer, "aten.mm", "layer")])
def test_a_lost_element_in_16_bits_is_named(tmp_path, assay, kind, operator, module):
    for side in ("bench", "target"):
        torch.manual_seed(0)
        model, x = kind().half(), torch.randn(3, 5, 6, generator=torch.Generator().manual_seed(0)).half()
        with OneZero(operator) if side == "target" else contextlib.nullcontext(), PrecisionDebugger(str(tmp_path / side), model=model):
            model(x).float().square().mean().backward()
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 1 and found["suspects"][0]["module"] == module, ran.stdout[-2000:]


class Coarse(TorchDispatchMode):
    """The first result of one operator loses three of its bits."""

    def __init__(self, operator):
        super().__init__()
        self.operator = operator

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if str(func).startswith(self.operator):
            with torch.no_grad():
                (result[0] if isinstance(result, tuple) else result).view(torch.int16).bitwise_and_(~7)
        return result


@pytest.mark.parametrize("operator, module, operators", [
    ("aten.native_layer_norm_backward", "2", True), ("aten.native_layer_norm_backward", "2", False), ("aten.gelu_backward", "1", False), ("aten.mm", "3", True), ("aten.mm", "3", False)])
def test_a_gradient_that_loses_bits_in_bf16_is_named(tmp_path, assay, operator, module, operators):
    """Only the gradients of a norm's weights are sums in bf16."""
    for side in ("bench", "target"):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4)).to(torch.bfloat16)
        x = torch.randn(4, 8, generator=torch.Generator().manual_seed(3)).to(torch.bfloat16)
        with Coarse(operator) if side == "target" else contextlib.nullcontext():
            with PrecisionDebugger(str(tmp_path / side), model=model, dump_torch_api=operators):
                model(x).float().square().mean().backward()
    ran, found = judge(assay, tmp_path)
    first = found["suspects"][0] if found["suspects"] else {"class": "none", "module": "none"}
    assert ran.returncode == 1 and (operator.removeprefix("aten.") in first["class"] if operators else first["module"] == module), ran.stdout[-2000:]


class Routing(nn.Module):
    """Code of thirty operators in one module."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 5, 4, 4) * 0.3)

    def forward(self, u):
        votes = torch.einsum("jiab,nib->njia", self.weight, u)
        logits = votes.new_zeros(votes.shape[:3])
        for _ in range(2):
            v = (logits.softmax(1)[..., None] * votes).sum(2)
            n = v.pow(2).sum(-1, keepdim=True)
            v = n / (1 + n) * v / (n + 1e-8).sqrt()
            logits = logits + (votes * v[:, :, None]).sum(-1)
        return v


@pytest.mark.parametrize("wrong", [False, True])
def test_code_of_unknown_operators_in_bf16_cannot_be_told(tmp_path, assay, wrong):
    """The error of this many roundings is unknown; a much larger one is a fault."""
    for side in ("bench", "target"):
        torch.manual_seed(7)
        model, u = Routing().bfloat16(), torch.randn(2, 5, 4, generator=torch.Generator().manual_seed(7)).bfloat16()
        around = contextlib.nullcontext() if side == "bench" else OneZero("aten.sqrt") if wrong else Rounding("up")
        with around, PrecisionDebugger(str(tmp_path / side), model=model):
            model(u).float().square().mean().backward()
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 1 and found["answer"] == ("named" if wrong else "cannot tell"), ran.stdout[-2000:]
    assert wrong or "were not recorded" in found["not_judged"] and "dump_torch_api=True" in found["how_to_judge"], ran.stdout[-2000:]


class Angles(nn.Module):
    """Sines of a number whose rounding error in 16 bits is a large part of a period."""

    def __init__(self, scale=1.0):
        super().__init__()
        self.lin, self.time, self.scale = nn.Linear(8, 8), nn.Linear(6, 8), scale

    def forward(self, x, t):
        angles = t[:, None] * torch.exp(-torch.arange(6, dtype=torch.float32) / 3).to(t.dtype)
        return self.lin(x) + self.time(angles.sin() * self.scale)


@pytest.mark.parametrize("operators", [False, True])
@pytest.mark.parametrize("wrong", [False, True])
def test_the_sine_of_a_large_angle_in_f16_accuses_nobody(tmp_path, assay, wrong, operators):
    for side, dtype in (("bench", torch.float32), ("target", torch.float16)):
        torch.manual_seed(7)
        model, t = Angles(20.0 if wrong and side == "target" else 1.0).to(dtype), torch.tensor([3.0, 700.0])
        with torch.no_grad(), PrecisionDebugger(str(tmp_path / side), model=model, dump_torch_api=operators):
            model(torch.ones(2, 8).to(dtype), t.to(dtype))
    ran, found = judge(assay, tmp_path)
    assert found["answer"] == ("named" if wrong else "none" if operators else "cannot tell"), ran.stdout[-2000:]


class Gated(nn.Module):
    def __init__(self, rounds=False):
        super().__init__()
        self.gate, self.head, self.rounds = nn.Linear(8, 8), nn.Linear(8, 4), rounds

    def forward(self, x):
        gate = torch.sigmoid(self.gate(x))
        gate = gate.bfloat16().float() if self.rounds else gate
        return self.head(x + 1e-5 * torch.tanh(gate))


def test_what_is_rounded_on_its_way_is_named_though_the_output_passes(tmp_path, assay):
    for side in ("bench", "target"):
        torch.manual_seed(0)
        model = Gated(side == "target")
        with torch.no_grad(), PrecisionDebugger(str(tmp_path / side), model=model, dump_torch_api=True):
            model(torch.randn(4, 8, generator=torch.Generator().manual_seed(1)))
    ran, found = judge(assay, tmp_path)
    assert ran.returncode == 1 and found["suspects"][0]["class"] == "aten-_to_copy-default", ran.stdout[-2000:]
    assert "rounded to a narrower type" in found["suspects"][0]["reason"], ran.stdout[-2000:]


class NewGELU(nn.Module):
    """An activation of several operators, each of which rounds."""

    def forward(self, x):
        return 0.5 * x * (1 + torch.tanh(0.7978845608028654 * (x + 0.044715 * x.pow(3))))


class Bent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.act, self.head = nn.Linear(6, 16), NewGELU(), nn.Linear(16, 4)

    def forward(self, x):
        return self.head(self.act(self.lin(2 * x)))


class Cast(nn.Module):
    """Autocast: gradients of f32 parameters that were rounded to bf16."""

    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(6, 16), nn.LayerNorm(16), nn.Linear(16, 4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.b(nn.functional.gelu(self.norm(self.a(x)))).float().softmax(-1)


def roundings(folder, kind, how, seed, dtype=torch.float32):
    for side, around in (("bench", contextlib.nullcontext()), ("target", Rounding(how, seed, 0.4))):
        torch.manual_seed(seed)
        model, x = kind().to(dtype), torch.randn(5, 6, generator=torch.Generator().manual_seed(seed)).to(dtype)
        with around, PrecisionDebugger(str(folder / side), model=model):
            model(x).float().square().mean().backward()


@pytest.mark.parametrize("how", ["up", "bits"])
@pytest.mark.parametrize("kind", [Bent, Cast])
def test_other_last_bits_inside_of_modules_accuse_nobody(tmp_path, assay, kind, how):
    for seed in range(6):
        roundings(tmp_path, kind, how, seed)
        ran, found = judge(assay, tmp_path)
        assert found["answer"] == "none", (seed, ran.stdout[-2000:])


class Distilled(nn.Module):
    """Gradients that cancel: the student nearly agrees with the teacher."""

    def __init__(self):
        super().__init__()
        self.teacher, self.student = nn.Linear(6, 4), nn.Linear(6, 4)
        self.student.load_state_dict({name: 0.97 * value for name, value in self.teacher.state_dict().items()})
        self.teacher.requires_grad_(False)

    def forward(self, x):
        target = (self.teacher(x) / 2).softmax(-1)
        return -(target * (self.student(x) / 2).log_softmax(-1)).sum(-1)


@pytest.mark.parametrize("how", ["up", "bits"])
def test_gradients_that_cancel_in_16_bits_accuse_nobody(tmp_path, assay, how):
    for seed in range(6):
        roundings(tmp_path, Distilled, how, seed, torch.bfloat16)
        ran, found = judge(assay, tmp_path)
        assert found["answer"] != "named", (seed, ran.stdout[-2000:])


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.q, self.out = nn.LayerNorm(16), nn.Linear(16, 24), nn.Linear(24, 16)

    def forward(self, x):
        return x + self.out(torch.tanh(self.q(self.norm(x))))


@pytest.mark.parametrize("operators", [False, True])
@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.parametrize("cast", ["target", "bench"])
def test_autocast_beside_f32_accuses_only_a_fault(tmp_path, assay, cast, wrong, operators):
    """Products under autocast round their operands to the type of their result."""
    for side in ("bench", "target"):
        torch.manual_seed(0)
        model, x = Layers(), torch.randn(2, 6, 16, generator=torch.Generator().manual_seed(3))
        if wrong and side == "target":
            model.q.register_forward_hook(lambda module, args, output: output * 1.05)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=side == cast), PrecisionDebugger(str(tmp_path / side), model=model, dump_torch_api=operators):
            model(x).float().square().mean().backward()
    ran, found = judge(assay, tmp_path)
    assert found["answer"] == ("named" if wrong else "none"), ran.stdout[-2000:]
    if wrong:
        first = found["suspects"][0]
        assert first["module"] in ("q", "(model)", "Layers") or "aten.mul" in first["reason"], ran.stdout[-2000:]
