"""Pairs of small models, recorded by modules or with every operator: pairs with a fault and its place; and pairs that differ
only in implementation, type or rounding, which is not a fault."""
import contextlib
import copy
import dataclasses
import math
import typing

import torch
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only
from torch.utils.checkpoint import checkpoint

from assay.torch import PrecisionDebugger

FILE = "globalrank-0_localrank-0.h5"


@dataclasses.dataclass
class Pair:
    """A `target` and its `bench`; `place` is the module at fault and `operator` a part of the operator's name, both None without a fault."""

    bench: nn.Module
    target: nn.Module
    inputs: tuple
    place: typing.Any = None
    operator: str = ""
    backward: bool = False
    target_inputs: tuple = None
    seeds: tuple = (0, 0)
    around: typing.Any = contextlib.nullcontext  # the context in which the target runs
    run: typing.Any = None  # how the model is called; default: model(*inputs)

    def record(self, folder, operators):
        for name, model, inputs, around, seed in (
            ("bench", self.bench, self.inputs, contextlib.nullcontext, self.seeds[0]),
            ("target", self.target, self.target_inputs or self.inputs, self.around, self.seeds[1]),
        ):
            torch.manual_seed(seed)
            with around(), PrecisionDebugger(dump_path=str(folder / name), step=[1], model=model, dump_torch_api=operators):
                with torch.set_grad_enabled(self.backward):
                    y = self.run(model, *inputs) if self.run else model(*inputs)
                if self.backward:
                    outputs = [y] if isinstance(y, torch.Tensor) else [t for t in y if isinstance(t, torch.Tensor)]
                    sum(t.float().square().mean() for t in outputs if t.is_floating_point()).backward()


class Rounding(TorchDispatchMode):
    """A correct device with other arithmetic: each computed result is one unit in the last place higher, or has its last
    bit changed in some places."""

    PASSIVE = ("view", "permute", "transpose", "expand", "slice", "select", "unbind", "split", "detach", "alias", "clone", "copy",
               "_to_copy", "empty", "zero", "arange", "full", "ones", "scalar", "cat", "stack", "fill", "t.", "unsqueeze", "squeeze",
               "index", "unsafe", "_unsafe", "_reshape", "relu", "threshold", "max", "gather", "embedding", "where", "masked", "tri", "neg", "roll", "flip",
               "abs", "clamp", "lift", "contiguous", "to.", "chunk", "topk", "sort", "constant_pad", "as_strided", "rand", "normal", "dropout", "bernoulli",
               "uniform", "repeat", "pixel", "scatter", "upsample_nearest", "native_dropout", "one_hot", "sign", "minimum", "maximum", "amax")

    def __init__(self, how="up", seed=0, share=0.15):
        super().__init__()
        self.how, self.share, self.draw = how, share, torch.Generator().manual_seed(seed)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        name = str(func).removeprefix("aten.")
        passive = any(name.startswith(word) for word in self.PASSIVE) or name.split(".")[0].endswith("_")
        return result if passive else tree_map_only(torch.Tensor, self._round, result)

    def _round(self, y):
        if not y.is_floating_point() or y.numel() == 0 or y.element_size() > 4 and y.dtype is not torch.float64:
            return y
        up = torch.nextafter(y, torch.full_like(y, math.inf))
        if self.how == "up":
            return torch.where(y == 0, y, up)
        chosen = torch.rand(y.shape, generator=self.draw) < self.share
        return torch.where(chosen & (y != 0), up, y)


class Norm(nn.Module):
    def __init__(self, width, eps=1e-5, decomposed=False):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.eps, self.decomposed = eps, decomposed

    def forward(self, x):
        if not self.decomposed:
            return functional.layer_norm(x, x.shape[-1:], self.weight, self.bias, self.eps)
        centred = x - x.mean(-1, keepdim=True)
        return centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + self.eps) * self.weight + self.bias


class Attention(nn.Module):
    """`how`: "fused" (scaled_dot_product_attention) or "plain"; the other words are faults and variants."""

    def __init__(self, width, heads=4, how="fused", diagonal=0, scale=None, roll=0, joint=False, causal=True):
        super().__init__()
        self.heads, self.how, self.diagonal, self.scale, self.roll, self.joint, self.causal = heads, how, diagonal, scale, roll, joint, causal
        if joint:
            self.qkv = nn.Linear(width, 3 * width)
        else:
            self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1) if self.joint else (self.q(x), self.k(x), self.v(x))
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))
        scale = self.scale or q.shape[-1] ** -0.5
        if self.how == "fused":
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal, scale=scale)
        else:
            scores = q @ k.transpose(-2, -1) * scale
            if self.causal:
                mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(self.diagonal)
                scores = scores.masked_fill(~mask, -1e4)
            y = scores.softmax(-1) @ v
        y = y.transpose(1, 2).flatten(2)
        if self.roll:
            y = torch.roll(y, self.roll, 1)
        return self.proj(y)


class Linear2(nn.Linear):
    """A product and a sum as separate operators."""

    def forward(self, x):
        return (x.flatten(0, -2) @ self.weight.t()).unflatten(0, x.shape[:-1]) + self.bias


class Block(nn.Module):
    def __init__(self, width, act="tanh", norm=None, dropout=0.0, **attention):
        super().__init__()
        self.norm1, self.norm2 = norm(width) if norm else nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = Attention(width, **attention)
        self.fc1, self.act, self.fc2 = nn.Linear(width, 3 * width), nn.GELU(act), nn.Linear(3 * width, width)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        x = x + self.drop(self.attn(self.norm1(x)))
        return x + self.fc2(self.act(self.fc1(self.norm2(x))))


class Gpt(nn.Module):
    """`change` has the arguments of block 1; all other blocks have those of `common`."""

    def __init__(self, width=32, blocks=3, change=None, **common):
        super().__init__()
        self.embed = nn.Embedding(50, width)
        self.blocks = nn.ModuleList(Block(width, **{**common, **(change or {} if i == 1 else {})}) for i in range(blocks))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 50)

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def tokens():
    return (torch.randint(0, 50, (2, 10), generator=torch.Generator().manual_seed(1)),)


def gpts(change=None, target=None, dtype=None, **common):
    """(bench, target) with the same weights; `change` applies to the target's block 1, `target` to all its blocks."""
    torch.manual_seed(0)
    bench = Gpt(**common)
    for p in bench.parameters():  # so that biases and norms have an effect
        if p.dim() == 1:
            p.data.add_(0.1 * torch.randn_like(p))
    other = Gpt(change=change, **{**common, **(target or {})})
    other.load_state_dict(bench.state_dict())
    if dtype:
        bench, other = bench.to(dtype), other.to(dtype)
    return bench, other


class Convs(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.conv2, self.bn2 = nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.pool, self.head = nn.AdaptiveAvgPool2d(1), nn.Linear(8, 5)

    def forward(self, x):
        x = functional.relu(self.bn1(self.conv1(x)))
        x = functional.relu(self.bn2(self.conv2(x)))
        return self.head(self.pool(x).flatten(1))


class Recurrent(nn.Module):
    """A GRU or LSTM called several times."""

    def __init__(self, kind=nn.GRU, calls=5, wrong=-1):
        super().__init__()
        self.embed, self.rnn, self.head = nn.Linear(6, 16), kind(16, 16, batch_first=True), nn.Linear(16, 4)
        self.calls, self.wrong = calls, wrong

    def forward(self, x):
        x = self.embed(x)
        for i in range(self.calls):
            y = self.rnn(x)[0]
            if i == self.wrong:
                y = y.flip(1)
            x = x + y
        return self.head(x)


class Shared(nn.Module):
    def __init__(self, wrong=False):
        super().__init__()
        self.fc, self.norm, self.head, self.wrong = nn.Linear(16, 16), nn.LayerNorm(16), nn.Linear(16, 4), wrong

    def forward(self, x):
        x = x + torch.tanh(self.fc(self.norm(x)))
        y = self.fc(self.norm(x))
        if self.wrong:
            y = torch.roll(y, 1, 0)
        return self.head(x + torch.tanh(y))


class Router(nn.Module):
    def __init__(self, width=16, experts=4):
        super().__init__()
        self.norm, self.gate = nn.LayerNorm(width), nn.Linear(width, experts)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(width, 32), nn.SiLU(), nn.Linear(32, width)) for _ in range(experts))
        self.head = nn.Linear(width, 8)

    def forward(self, x):
        x = self.norm(x)
        weight, chosen = self.gate(x).softmax(-1).topk(2)
        weight = weight / weight.sum(-1, keepdim=True)
        y = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            rows, which = torch.where(chosen == e)
            y = y.index_add(0, rows, expert(x[rows]) * weight[rows, which, None])
        logits = self.head(x + y)
        return logits, logits.argmax(-1)


class Routed(nn.Module):
    """A router in the middle of a model: each expert gets the rows of its tokens."""

    def __init__(self):
        super().__init__()
        self.router, self.head = Router(), nn.Linear(8, 4)

    def forward(self, x):
        return self.head(self.router(x.flatten(0, 1))[0].unflatten(0, x.shape[:2]))


class Scaled(nn.Module):
    """Parameters in a list; `wrong` multiplies the gradient between the layers, `scaled` that of a parameter."""

    def __init__(self, wrong=False, scaled=False):
        super().__init__()
        self.layers, self.scales = nn.ModuleList([nn.Linear(16, 16), nn.Linear(16, 16)]), nn.ParameterList([torch.ones(16), torch.ones(16)])
        self.wrong = wrong
        if scaled:
            self.scales[1].register_hook(lambda gradient: gradient * 1.2)

    def forward(self, x):
        for layer, scale in zip(self.layers, self.scales):
            x = torch.tanh(layer(x) * scale)
            if self.wrong and layer is self.layers[0]:
                x.register_hook(lambda gradient: gradient * 1.2)
        return x


class Operands(nn.Module):
    """A difference of two results, and attention whose last projection torch uses without calling it."""

    def __init__(self, swapped=False):
        super().__init__()
        self.a, self.b, self.attn, self.swapped = nn.Linear(16, 16), nn.Linear(16, 16), nn.MultiheadAttention(16, 4, batch_first=True), swapped

    def forward(self, x):
        a, b = torch.tanh(self.a(x)), torch.sigmoid(self.b(x))
        y = b - a if self.swapped else a - b
        return self.attn(y, y, y, need_weights=False)[0]


class Functional(nn.Module):
    """A module that is called with values computed from its parameters."""

    def __init__(self, factor=1.5, gradient=1.0, own=False):
        super().__init__()
        self.inner, self.head = nn.Sequential(nn.Linear(16, 8), nn.Tanh()), nn.Linear(8, 4)
        self.factor, self.gradient, self.own = factor, gradient, own

    def forward(self, x):
        weights = {name: value if self.own and "bias" in name else value * self.factor for name, value in self.inner.named_parameters()}
        if self.gradient != 1:
            weights["0.weight"].register_hook(lambda gradient: gradient * self.gradient)
        return self.head(torch.func.functional_call(self.inner, weights, (x,)))


class Flow(nn.Module):
    """Equal calls of operators between calls of one module."""

    def __init__(self, wrong=-1):
        super().__init__()
        self.field, self.wrong = nn.Sequential(nn.Linear(8, 12), nn.Tanh(), nn.Linear(12, 8)), wrong

    def forward(self, x):
        for i in range(4):
            x = x + 0.25 * self.field(x)
            if i == self.wrong:
                x = x * 1.02
        return x


class Residual(nn.Module):
    """A norm hides the scale of its input; the residual addition shows it."""

    def __init__(self, scale=1.0):
        super().__init__()
        self.lin, self.norm, self.scale = nn.Linear(16, 16), nn.LayerNorm(16, eps=1e-12), scale

    def forward(self, x):
        y = self.lin(x)
        y = y * self.scale if self.scale != 1 else y
        return y + self.norm(y)


class Midpoints(nn.Module):
    """Small steps: a stale operand shows in them, but hardly in the result."""

    def __init__(self, stale=False):
        super().__init__()
        self.field, self.stale = nn.Sequential(nn.Linear(8, 12), nn.Tanh(), nn.Linear(12, 8)), stale

    def forward(self, x):
        for i in range(2):
            half = 0.02 * self.field(x)
            earlier = half if i == 0 or not self.stale else earlier
            x = x + 0.04 * self.field(x + earlier)
        return x


class Turned(nn.Module):
    """A sum of two products of the same shapes; `plain` lacks the first one."""

    def __init__(self, plain=False):
        super().__init__()
        self.lin, self.out, self.plain = nn.Linear(8, 8), nn.Linear(4, 4), plain

    def forward(self, x):
        a, b = self.lin(x).chunk(2, -1)
        angles = torch.arange(1.0, 5.0)
        cos, sin = angles.cos(), angles.sin()
        return self.out((a if self.plain else a * sin) + b * cos)


class Again(nn.Module):
    """A checkpoint runs its modules again, with other last bits, and takes a maximum of values that nearly tie."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(6, 10), nn.GELU(), nn.Linear(10, 6)) for _ in range(2)])
        self.gate, self.out = nn.Linear(6, 6), nn.Linear(6, 2)

    def forward(self, x):
        for block in self.blocks:
            x = x + checkpoint(block, x, use_reentrant=False)
        return self.out((x * torch.sigmoid(self.gate(x))).amax(1))


class Slots(nn.Module):
    """Rows are written into memory in place, `off` places too early from the second one on."""

    def __init__(self, off=0):
        super().__init__()
        self.lin, self.out, self.off = nn.Linear(8, 8), nn.Linear(8, 4), off

    def forward(self, x):
        kept = torch.zeros(len(x), 4, 8)
        for at in range(3):
            kept[:, at - (self.off if at else 0)] = self.lin(x + at)
        return self.out((kept * torch.arange(4.0)[:, None]).sum(1))


class Rewritten(nn.Module):
    """An adapter, a scan and a rotation, each written in two ways."""

    def __init__(self, other=False):
        super().__init__()
        self.base, self.out, self.other = nn.Linear(8, 8), nn.Linear(8, 4), other
        self.a, self.b = nn.Parameter(torch.randn(2, 8) * 0.2), nn.Parameter(torch.randn(8, 2) * 0.2)

    def forward(self, x):
        if self.other:
            y = functional.linear(x, self.base.weight + 2 * self.b @ self.a, self.base.bias)
        else:
            y = functional.linear(x, self.base.weight, self.base.bias) + x @ self.a.t() @ self.b.t() * 2
        y, gate = self.scanned(torch.tanh(y), torch.sigmoid(x)), torch.arange(x.shape[1])[:, None] * torch.tensor([1.0, 0.1, 0.01, 0.001])
        cos, sin = gate.cos(), gate.sin()
        if self.other:
            turned = y * torch.cat([cos, cos], -1) + torch.cat([-y[..., 4:], y[..., :4]], -1) * torch.cat([sin, sin], -1)
        else:
            u, v = y[..., :4], y[..., 4:]
            turned = torch.cat([u * cos - v * sin, v * cos + u * sin], -1)
        return self.out(turned)

    def scanned(self, b, a):
        if self.other:
            step = 1
            while step < b.shape[1]:
                b = torch.cat([b[:, :step], b[:, step:] + a[:, step:] * b[:, :-step]], 1)
                a = torch.cat([a[:, :step], a[:, step:] * a[:, :-step]], 1)
                step *= 2
            return b
        state, states = 0, []
        for at in range(b.shape[1]):
            state = a[:, at] * state + b[:, at]
            states.append(state)
        return torch.stack(states, 1)


class Bare(nn.Module):
    """All parameters and all code are in the model itself."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(-1, 1, 24).reshape(6, 4))

    def forward(self, x):
        return torch.tanh(x @ self.weight)


class Wrapped(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.model = inner

    def forward(self, x):
        return self.model(x)


class Branches(nn.Module):
    """The same function after two layers."""

    def __init__(self, bent=True):
        super().__init__()
        self.left, self.right, self.pair, self.bent = nn.Linear(8, 6), nn.Linear(8, 6), nn.Linear(12, 4), bent

    def forward(self, x):
        left, right = self.left(x), self.right(x)
        left = torch.tanh(left) if self.bent else left
        return self.pair(torch.cat([left, torch.tanh(right)], -1))


class Remembers(nn.Module):
    """Rows of samples are written into a buffer in place, and read by later calls."""

    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.Linear(8, 8), nn.Linear(8, 4)
        self.cell.register_buffer("kept", torch.zeros(4, 3, 8))

    def forward(self, x):
        for at in range(3):
            self.cell.kept[:, at] = self.cell(x + self.cell.kept.sum(1))
        return self.head(self.cell.kept.sum(1).clone())


class Steps(nn.Module):
    """Layers in the order of `order`; a missing one is Identity."""

    def __init__(self, order=(0, 1, 2, 3), without=None):
        super().__init__()
        torch.manual_seed(3)
        self.layers = nn.ModuleList([nn.Linear(16, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 16)])
        for p in self.layers[1].parameters():
            p.data.add_(0.3 * torch.randn_like(p))
        if without is not None:
            self.layers[without] = nn.Identity()
        self.order = order

    def forward(self, x):
        for i in self.order:
            x = self.layers[i](x)
        return x


class FloatNorm(nn.Module):
    """An RMSNorm that always computes in f32; its epsilon has another name."""

    def __init__(self, width):
        super().__init__()
        self.weight, self.variance_epsilon = nn.Parameter(torch.ones(width)), 3e-4

    def forward(self, x):
        y = x.to(torch.float32)
        return self.weight * (y * torch.rsqrt(y.square().mean(-1, keepdim=True) + self.variance_epsilon)).to(x.dtype)


class PythonGELU(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


class Ported(nn.Module):
    """Features of published models: a norm in f32, the end of the type as a mask, an activation of many operators, a table that is read
    without a call, an activation in place."""

    def __init__(self, heads=4, width=32):
        super().__init__()
        torch.manual_seed(4)
        self.heads, self.embed, self.positions, self.norm = heads, nn.Embedding(50, width), nn.Embedding(16, width), FloatNorm(width)
        self.q, self.k, self.v, self.proj = (nn.Linear(width, width) for _ in range(4))
        self.fc1, self.act, self.fc2 = nn.Linear(width, 4 * width), PythonGELU(), nn.Linear(4 * width, width)
        self.gate = nn.Sequential(nn.Linear(width, width), nn.ReLU(inplace=True), nn.Linear(width, 7))

    def forward(self, ids):
        x = self.embed(ids) + 0.1 * self.positions.weight[: ids.shape[1]]
        y = self.norm(x)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (self.q(y), self.k(y), self.v(y)))
        mask = torch.full(ids.shape[1:] * 2, torch.finfo(x.dtype).min, dtype=x.dtype).triu(1)
        x = x + self.proj(((q @ k.transpose(-2, -1) * 0.3 + mask).softmax(-1) @ v).transpose(1, 2).flatten(2))
        return self.gate(x + self.fc2(self.act(self.fc1(self.norm(x)))))


class Kernels(nn.Module):
    """Windows that overlap, and a bias that a sum may begin with."""

    def __init__(self):
        super().__init__()
        self.conv, self.pool, self.out = nn.Conv2d(3, 8, 3, padding=1), nn.MaxPool2d(3, 1, 1), nn.Conv2d(8, 4, 1)

    def forward(self, x):
        return self.out(self.pool(self.conv(x)))


def random(*shape, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def same(model, change=None):
    other = copy.deepcopy(model)
    if change:
        change(other)
    return model, other


def _models(make, **words):
    torch.manual_seed(0)
    return make(**words)


def _loaded(kind, bench, **words):
    other = kind(**words)
    other.load_state_dict(bench.state_dict())
    return bench, other


def _set(path, *settings):
    def change(model):
        for name, value in zip(settings[::2], settings[1::2]):
            setattr(model.get_submodule(path), name, value)

    return change


class one_thread(contextlib.ContextDecorator):
    def __enter__(self):
        self.threads = torch.get_num_threads()
        torch.set_num_threads(1)

    def __exit__(self, *_):
        torch.set_num_threads(self.threads)


def quantised(model):
    torch.manual_seed(0)
    return torch.ao.quantization.quantize_dynamic(copy.deepcopy(model).eval(), {nn.Linear}, dtype=torch.qint8)


class Lowered(nn.Linear):
    """A product of bytes."""

    def forward(self, x):
        scale = self.weight.abs().amax() / 127
        return functional.linear(x, (self.weight / scale).round() * scale, self.bias)


class Scaling(nn.Linear):
    """A product that is too large."""

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias) * 1.1


def lowered(model):
    model.blocks[1].fc1.__class__ = Lowered


class Padded(nn.Module):
    """Rows beyond the length of a text are masked out everywhere later; their values mean nothing."""

    def __init__(self, garbage=0.0):
        super().__init__()
        self.q, self.proj, self.head, self.garbage = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 4), garbage

    def forward(self, x, keep):
        memory = torch.empty_like(x).fill_(self.garbage)
        x = torch.where(keep[..., None], x, memory)
        q = self.q(x)
        scores = (q @ q.transpose(-1, -2)).masked_fill(~keep[:, None, :], float("-inf"))
        y = self.proj(scores.softmax(-1) @ torch.where(keep[..., None], x, 0.0))
        return self.head(torch.where(keep[..., None], y, 0.0).sum(1))


def padded_inputs():
    keep = torch.ones(2, 8, dtype=torch.bool)
    keep[0, 5:] = keep[1, 3:] = False
    return random(2, 8, 16), keep


def train(model):
    return model.train()


# Name -> function that makes the Pair, called for each recording.
FAULTS = {
    "extra roll": lambda: Pair(*gpts({"roll": 1}), tokens(), "blocks.1.attn", "roll"),
    "extra roll, plain": lambda: Pair(*gpts({"roll": 1}, how="plain"), tokens(), "blocks.1.attn", "roll"),
    "extra roll, training": lambda: Pair(*gpts({"roll": 1}), tokens(), "blocks.1.attn", "roll", backward=True),
    "gru called five times": lambda: Pair(*_loaded(Recurrent, _models(Recurrent), wrong=2), (random(2, 7, 6),), "", "flip"),
    "shared weights": lambda: Pair(*_loaded(Shared, _models(Shared), wrong=True), (random(5, 16),), "", "roll"),
    "eps of a norm": lambda: Pair(*same(_models(Steps), _set("layers.1", "eps", 1e-2)), (random(6, 16),), "layers.1", "native_layer_norm"),
    "slope of an activation": lambda: Pair(
        *same(nn.Sequential(nn.Conv2d(3, 4, 3), nn.LeakyReLU(0.1), nn.Conv2d(4, 4, 1)), _set("1", "negative_slope", 0.2)), (random(2, 3, 8, 8),), "1", "leaky_relu"),
    "stride of a convolution": lambda: Pair(
        *same(nn.Sequential(nn.Conv2d(3, 4, 3), nn.Conv2d(4, 4, 3, padding=2, dilation=2)), _set("1", "dilation", (1, 1), "padding", (1, 1))), (random(2, 3, 8, 8),), "1", "conv"),
    "samples in another order, a wrong norm": lambda: Pair(*same(_models(Steps), _set("layers.1", "eps", 1e-2)), (random(6, 16),), "layers.1", "native_layer_norm", target_inputs=(random(6, 16).flip(0),)),
    "gelu's kind": lambda: Pair(*gpts({"act": "none"}), tokens(), "blocks.1.act", "gelu"),
    "diagonal": lambda: Pair(*gpts({"diagonal": -1}, how="plain"), tokens(), "blocks.1.attn", "tril"),
    "scale of attention": lambda: Pair(*gpts({"scale": 0.25}), tokens(), "blocks.1.attn", "scaled_dot|flash"),
    "scale, plain": lambda: Pair(*gpts({"scale": 0.25}, how="plain"), tokens(), "blocks.1.attn", "mul"),
    "not causal": lambda: Pair(*gpts({"causal": False}), tokens(), "blocks.1.attn", "scaled_dot|flash"),
    "missing norm": lambda: Pair(_models(Steps), Steps(without=1), (random(6, 16),), "layers.1", "norm"),
    "missing layer": lambda: Pair(_models(Steps), Steps(order=(0, 2, 3)), (random(6, 16),), "layers.[12]|", ""),
    "swapped layers": lambda: Pair(_models(Steps), Steps(order=(0, 2, 1, 3)), (random(6, 16),), "layers.[12]|", ""),
    "dropout scale": lambda: Pair(*[m.train() for m in gpts({"dropout": 0.2}, dropout=0.1)], tokens(), "blocks.1.drop", "bernoulli"),
    "dropout seed": lambda: Pair(*[m.train() for m in gpts(dropout=0.1)], tokens(), "blocks.0.drop", "bernoulli", seeds=(0, 1)),
    "quantised": lambda: Pair((m := _models(Steps).eval()), quantised(m), (random(6, 16),), "layers.0", ""),
    "lower precision": lambda: Pair(*same(gpts()[0], lowered), tokens(), "blocks.1.fc1", ""),
    "weights differ": lambda: Pair(*same(gpts()[0], lambda m: m.blocks[1].fc1.weight.data.mul_(1.1)), tokens(), "blocks.1.fc1", ""),
    "fused with another scale": lambda: Pair(*gpts({"scale": 0.25}, target={"how": "plain"}), tokens(), "blocks.1.attn", ""),
    "a weight in a list of parameters": lambda: Pair(*same(_models(Scaled), lambda m: m.scales[1].data[3].mul_(1.5)), (random(6, 16),), "scales", "", backward=True),
    "a gradient between the layers of a list": lambda: Pair(
        *_loaded(Scaled, _models(Scaled), wrong=True), (random(6, 16),), r"\(model\)|", "mul", backward=True),
    "the gradient of a parameter in a list": lambda: Pair(*_loaded(Scaled, _models(Scaled), scaled=True), (random(6, 16),), r"\(model\)|", "mul", backward=True),
    "swapped operands": lambda: Pair(*_loaded(Operands, _models(Operands), swapped=True), (random(2, 6, 16),), "", "sub"),
    "a weight of a part that is not called": lambda: Pair(
        *same(_models(Operands), lambda m: m.attn.out_proj.weight.data[3].mul_(1.5)), (random(2, 6, 16),), "attn.out_proj", "", backward=True),
    "what a module is given for its parameters": lambda: Pair(*_loaded(Functional, _models(Functional), factor=1.7), (random(6, 16),), r"\(model\)|", "mul", backward=True),
    "the gradient of what a module is given": lambda: Pair(*_loaded(Functional, _models(Functional), gradient=1.3), (random(6, 16),), r"\(model\)|", "mul", backward=True),
    "a parameter that another is made of": lambda: Pair(
        *same(_models(Functional), lambda m: m.inner[0].weight.data[3].mul_(1.5)), (random(6, 16),), "inner.0", "", backward=True),
    "a module that one side calls with its own parameter": lambda: Pair(*_loaded(Functional, _models(Functional), own=True), (random(6, 16),), r"\(model\)|", "", backward=True),
    "one more of equal calls": lambda: Pair(*_loaded(Flow, _models(Flow), wrong=1), (random(3, 8),), r"\(model\)|Flow|", "mul.* only in the target"),
    "a scale before a norm": lambda: Pair(*_loaded(Residual, _models(Residual), scale=1.02), (random(6, 16),), r"\(model\)|Residual|", "mul.* only in the target"),
    "a stale operand that the result hardly shows": lambda: Pair(*_loaded(Midpoints, _models(Midpoints), stale=True), (random(3, 8),), r"\(model\)|Midpoints|", "mul", backward=True),
    "rows of memory at another place": lambda: Pair(*_loaded(Slots, _models(Slots), off=1), (random(3, 8),), r"\(model\)|Slots|", "select"),
    "one less of two products": lambda: Pair(*_loaded(Turned, _models(Turned), plain=True), (random(2, 3, 8),), r"\(model\)|Turned|", "mul.* only in the bench"),
    "one less of equal calls": lambda: Pair(*_loaded(Branches, _models(Branches), bent=False), (random(5, 8),), r"\(model\)|Branches|", "tanh.* only in the bench", backward=True),
    "a module that was given its parameters": lambda: Pair(
        *same(_models(Functional), lambda m: setattr(m.inner[0], "__class__", Scaling)), (random(6, 16),), "inner.0", "", backward=True),
    "a table that is read without a call": lambda: Pair(
        *same(_models(Ported), lambda m: m.positions.weight.data.mul_(0.5)), tokens(), r"\(model\)|Ported|", "differs", backward=True),
    "decomposed norm without bias": lambda: Pair(
        *same(gpts(norm=Norm)[0], lambda m: [setattr(m.blocks[i].norm1, "decomposed", True) for i in range(3)] and setattr(m.blocks[1].norm1, "eps", 0.5)), tokens(), "blocks.1.norm1", ""),
}

def joined():
    """A model with one projection to queries, keys and values, and one with three."""
    three, one = gpts(target={"joint": False})[0], Gpt(joint=True)
    weights = three.state_dict()
    for name in [n for n in weights if ".q." in n]:
        weights[name.replace(".q.", ".qkv.")] = torch.cat([weights.pop(name.replace(".q.", f".{part}.")) for part in "qkv"])
    one.load_state_dict(weights)
    return three, one


SOUND = {
    "three projections as one": lambda: Pair(*joined(), tokens()),
    "one projection as three": lambda: Pair(*joined()[::-1], tokens(), backward=True),
    "samples in another order": lambda: Pair(*gpts(), tokens(), target_inputs=(tokens()[0].flip(0),), backward=True),
    "images in another order": lambda: Pair(*same(_models(Convs)), (random(4, 3, 8, 8),), target_inputs=(random(4, 3, 8, 8)[[2, 0, 3, 1]],), backward=True),
    "routed samples in another order": lambda: Pair(*same(_models(Routed)), (random(4, 6, 16),), target_inputs=(random(4, 6, 16).flip(0),), backward=True),
    "same": lambda: Pair(*gpts(), tokens()),
    "addmm as mm and add": lambda: Pair(*same(gpts()[0], lambda m: [setattr(x, "__class__", Linear2) for x in list(m.modules()) if type(x) is nn.Linear]), tokens()),
    "addmm as mm and add, training": lambda: Pair(
        *same(gpts()[0], lambda m: [setattr(x, "__class__", Linear2) for x in list(m.modules()) if type(x) is nn.Linear]), tokens(), backward=True),
    "fused against plain": lambda: Pair(*gpts(target={"how": "plain"}), tokens()),
    "fused against plain, training": lambda: Pair(*gpts(target={"how": "plain"}), tokens(), backward=True),
    "decomposed norm": lambda: Pair(*same(gpts(norm=Norm)[0], lambda m: [setattr(b.norm1, "decomposed", True) for b in m.blocks]), tokens()),
    "decomposed norm, training": lambda: Pair(*same(gpts(norm=Norm)[0], lambda m: [setattr(b.norm1, "decomposed", True) for b in m.blocks]), tokens(), backward=True),
    "key bias, f64": lambda: (lambda b, t: Pair(b, t.double(), tokens(), backward=True))(*gpts()),
    "key bias, plain, one thread": lambda: Pair(*gpts(how="plain"), tokens(), backward=True, around=one_thread),
    "conv bias before batch norm": lambda: Pair(*same(_models(Convs)), (random(4, 3, 8, 8),), backward=True, around=lambda: torch.backends.mkldnn.flags(enabled=False)),
    "conv, f64": lambda: (lambda b, t: Pair(b, t.double(), (random(4, 3, 8, 8),), backward=True, target_inputs=(random(4, 3, 8, 8).double(),)))(*same(_models(Convs))),
    "norm weights in bf16": lambda: Pair(*gpts(dtype=torch.bfloat16), tokens(), backward=True, around=one_thread),
    "lstm": lambda: Pair(*same(_models(Recurrent, kind=nn.LSTM, calls=2)), (random(2, 7, 6),), backward=True, around=lambda: torch.backends.mkldnn.flags(enabled=False)),
    "lstm, f64": lambda: (lambda b, t: Pair(b, t.double(), (random(2, 7, 6),), backward=True, target_inputs=(random(2, 7, 6).double(),)))(*same(_models(Recurrent, kind=nn.LSTM, calls=2))),
    "buffers of samples in another order": lambda: Pair(*same(_models(Remembers)), (random(4, 8),), target_inputs=(random(4, 8).flip(0),), run=lambda m, x: m(x).detach()),
    "lstm, same": lambda: Pair(*same(_models(Recurrent, kind=nn.LSTM, calls=2)), (random(2, 7, 6),)),
    "given parameters": lambda: Pair(*same(_models(Functional)), (random(6, 16),), backward=True, around=lambda: Rounding("up")),
    "padding": lambda: Pair(*_loaded(Padded, _models(Padded), garbage=3.0), padded_inputs()),
    **{f"router, {how}, {d}": (lambda d=d, how=how: Pair(*same(_models(Router).to(d)), (random(24, 16).to(d),), around=lambda: Rounding(how)))
       for d in (torch.float32, torch.bfloat16) for how in ("up", "bits")},
    **{f"gpt, {how}, {d}": (lambda d=d, how=how: Pair(*gpts(dtype=d), tokens(), around=lambda: Rounding(how), backward=True))
       for d in (torch.float32, torch.bfloat16, torch.float16) for how in ("up", "bits")},
    **{f"plain gpt, up, {d}": (lambda d=d: Pair(*gpts(dtype=d, how="plain"), tokens(), around=lambda: Rounding("up"), backward=True))
       for d in (torch.float32, torch.bfloat16)},
    **{f"ported, {d}": (lambda d=d: (lambda b, t: Pair(b, t.to(d), tokens(), backward=True))(*same(_models(Ported))))
       for d in (torch.float64, torch.float16, torch.bfloat16)},
    **{f"a checkpoint with other bits, {d}": (lambda d=d: Pair(*same(_models(Again).to(d)), (random(4, 7, 6).to(d),), backward=True, around=lambda: Rounding("bits", share=0.4)))
       for d in (torch.bfloat16, torch.float16)},
    "an adapter, a scan and a rotation in other words": lambda: Pair(*_loaded(Rewritten, _models(Rewritten), other=True), (random(2, 5, 8),), backward=True),
    "a parameter of the model itself in a wrapper": lambda: Pair(_models(Bare), Wrapped(type("Other", (Bare,), {})()), (random(5, 6),), backward=True),
    "windows that overlap, bf16": lambda: Pair(*same(_models(Kernels).bfloat16()), (random(2, 3, 12, 12).bfloat16(),), backward=True, around=lambda: Rounding("bits", share=0.4)),
    "a sum that begins with its bias": lambda: Pair(*same(_models(Kernels)), (random(2, 3, 12, 12),), backward=True, around=lambda: Rounding("up")),
    "convs, up": lambda: Pair(*same(_models(Convs)), (random(4, 3, 8, 8),), backward=True, around=lambda: Rounding("up")),
    "gru, up": lambda: Pair(*same(_models(Recurrent)), (random(2, 7, 6),), backward=True, around=lambda: Rounding("up")),
}
