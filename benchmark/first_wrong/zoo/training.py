"""What training and serving add to modules: sharing, autocast, checkpoints, function transforms, quantisation, custom gradients."""
import collections
import dataclasses

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from . import ints, model, rand


@model
def shared_weights():
    class Shared(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.mid, self.norm = nn.Linear(6, 8), nn.Linear(8, 8), nn.LayerNorm(8)
            self.again = nn.Linear(8, 8, bias=False)
            self.again.weight = self.mid.weight

        def forward(self, x):
            x = torch.relu(self.inp(x))
            return self.norm(self.again(torch.relu(self.mid(self.norm(self.mid(x))))))

    return Shared(), (rand(4, 6),)


class _Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gain):
        ctx.save_for_backward(x)
        ctx.gain = gain
        return gain * x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * ctx.gain * x * x * g, None


@model
def custom_gradient():
    class Custom(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.gain = nn.Linear(5, 8), nn.Linear(8, 3), 0.3

        def forward(self, x):
            return self.b(_Cube.apply(self.a(x), self.gain))

    return Custom(), (rand(4, 5),)


@model
def gradient_reversal():
    class Reverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return -0.5 * g

    class Domain(nn.Module):
        def __init__(self):
            super().__init__()
            self.features, self.classes, self.domain = nn.Sequential(nn.Linear(5, 8), nn.ReLU()), nn.Linear(8, 3), nn.Linear(8, 2)

        def forward(self, x):
            y = self.features(x)
            return self.classes(y), self.domain(Reverse.apply(y))

    return Domain(), (rand(4, 5),)


@model
def containers():
    @dataclasses.dataclass
    class Result:
        logits: torch.Tensor
        hidden: list

    Pair = collections.namedtuple("Pair", "first second")

    class Containers(nn.Module):
        def __init__(self):
            super().__init__()
            self.heads = nn.ModuleDict({"one": nn.Linear(6, 3), "two": nn.Linear(6, 2)})
            self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(6, 6), nn.ELU()) for _ in range(2)])
            self.scales = nn.ParameterList([nn.Parameter(torch.ones(6)) for _ in range(2)])

        def forward(self, batch):
            x, hidden = batch["x"] + batch["more"][0], []
            for block, scale in zip(self.blocks, self.scales):
                x = block(x) * scale
                hidden.append(x)
            return Result(torch.cat([head(x) for head in self.heads.values()], -1), hidden), Pair(x.mean(), x.amax(0))

    class Flat(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Containers()

        def forward(self, x, y):
            result, pair = self.inner({"x": x, "more": [y]})
            return result.logits, *result.hidden, *pair

    return Flat(), (rand(4, 6), rand(4, 6, seed=8))


@model
def buffers_in_place():
    """Running statistics and a counter that every call changes in place."""

    class Running(nn.Module):
        def __init__(self):
            super().__init__()
            self.momentum = 0.2
            self.register_buffer("mean", torch.zeros(6))
            self.register_buffer("count", torch.zeros((), dtype=torch.long))

        def forward(self, x):
            with torch.no_grad():
                self.mean.lerp_(x.mean(0), self.momentum)
                self.count += 1
            return x - self.mean

    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin, self.centre, self.act, self.out = nn.Linear(5, 6), Running(), nn.ReLU(inplace=True), nn.Linear(6, 2)

        def forward(self, x):
            y = self.centre(self.lin(x))
            y = self.centre(self.act(y))
            y = y.clone()
            y[:, 0] *= 0.5
            y[:, 1:3].add_(1.0)
            return self.out(y)

    return M(), (rand(4, 5),)


@model
def autocast():
    class Autocast(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.norm, self.b = nn.Linear(8, 16), nn.LayerNorm(16), nn.Linear(16, 4)

        def forward(self, x):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return self.b(F.gelu(self.norm(self.a(x)))).float().softmax(-1)

    return Autocast(), (rand(4, 8),)


@model
def half_precision():
    return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4)).to(torch.bfloat16), (rand(4, 8).to(torch.bfloat16),)


@model
def checkpointed():
    class Checkpointed(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(6, 10), nn.GELU(), nn.Dropout(0.1), nn.Linear(10, 6)) for _ in range(2)])
            self.out = nn.Linear(6, 2)

        def forward(self, x):
            for block in self.blocks:
                x = x + checkpoint(block, x, use_reentrant=False)
            return self.out(x)

    return Checkpointed(), (rand(4, 6),)


@model
def functional_call():
    """A module whose parameters come from a dictionary, and a batched one under vmap."""

    class Functional(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.head = nn.Sequential(nn.Linear(5, 6), nn.Tanh()), nn.Linear(6, 2)
            self.experts = nn.Parameter(torch.randn(3, 6, 6) * 0.3)

        def forward(self, x):
            weights = {name: value * 1.5 for name, value in self.inner.named_parameters()}
            y = torch.func.functional_call(self.inner, weights, (x,))
            y = torch.func.vmap(lambda w: torch.tanh(y @ w))(self.experts).sum(0)
            return self.head(y)

    return Functional(), (rand(4, 5),)


@model
def inner_gradient():
    """A step of descent inside of the model: gradients of gradients."""

    class Meta(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.rate = nn.Parameter(torch.randn(5, 3) * 0.3), 0.1

        def forward(self, x, y):
            loss = (x @ self.weight - y).square().mean()
            (gradient,) = torch.autograd.grad(loss, self.weight, create_graph=True)
            return x @ (self.weight - self.rate * gradient)

    return Meta(), (rand(6, 5), rand(6, 3, seed=8))


@model
def quantised():
    class Quantised(nn.Module):
        """Eight-bit weights with a scale for each row; values that are assigned are rounded to eight bits."""

        def __init__(self, inp, out):
            super().__init__()
            weight = torch.randn(out, inp) * 0.3
            scale = weight.abs().amax(1, keepdim=True) / 127
            self.register_buffer("scale", scale)
            self.register_buffer("weight", (weight / scale).round().to(torch.int8))

        def forward(self, x):
            step = x.abs().amax(-1, keepdim=True).clamp(min=1e-6) / 127
            q = (x / step).round().clamp(-128, 127)
            return (q @ self.weight.float().t()) * step * self.scale.t()

    return nn.Sequential(nn.LayerNorm(8), Quantised(8, 12), nn.GELU(), Quantised(12, 4)), (rand(4, 8),)


@model
def dynamically_quantised():
    class Net(nn.Module):
        forward_only = True

        def __init__(self):
            super().__init__()
            self.a, self.act, self.b = nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)

        def forward(self, x):
            return self.b(self.act(self.a(x)))

    return torch.ao.quantization.quantize_dynamic(Net(), {nn.Linear}, dtype=torch.qint8), (rand(4, 8),)


@model
def weight_normed():
    norm = nn.utils.parametrizations.weight_norm
    return nn.Sequential(norm(nn.Linear(6, 10)), nn.ReLU(), norm(nn.Linear(10, 10)), nn.SiLU(), nn.Linear(10, 3)), (rand(4, 6),)


@model
def norms():
    class Norms(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp = nn.Conv1d(3, 8, 3, padding=1)
            self.batch, self.group, self.layer, self.instance = nn.BatchNorm1d(8), nn.GroupNorm(2, 8), nn.LayerNorm([8, 10]), nn.InstanceNorm1d(8)
            self.rms = nn.RMSNorm(10, eps=1e-5)

        def forward(self, x):
            x = self.inp(x)
            return self.rms(F.relu(self.layer(F.relu(self.instance(F.relu(self.group(F.relu(self.batch(x)))))))))

    return Norms(), (rand(3, 3, 10),)


@model
def two_losses():
    """A trunk with several heads, one of them on detached features."""

    class Heads(nn.Module):
        def __init__(self):
            super().__init__()
            self.trunk, self.policy, self.value = nn.Sequential(nn.Linear(5, 10), nn.Tanh()), nn.Linear(10, 4), nn.Linear(10, 1)

        def forward(self, x, actions):
            y = self.trunk(x)
            log = F.log_softmax(self.policy(y), -1)
            return log.gather(1, actions[:, None]), self.value(y.detach()), -(log.exp() * log).sum(-1)

    return Heads(), (rand(6, 5), ints(4, 6))


@model
def frozen_teacher():
    class Distill(nn.Module):
        def __init__(self):
            super().__init__()
            self.teacher, self.student = nn.Sequential(nn.Linear(5, 12), nn.ReLU(), nn.Linear(12, 4)), nn.Linear(5, 4)
            self.teacher.requires_grad_(False)
            self.temperature = 2.0

        def forward(self, x):
            with torch.no_grad():
                target = F.softmax(self.teacher(x) / self.temperature, -1)
            return -(target * F.log_softmax(self.student(x) / self.temperature, -1)).sum(-1)

    return Distill(), (rand(6, 5),)


@model
def embeddings_tied():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.gru, self.proj = nn.Embedding(14, 6, padding_idx=0), nn.GRU(6, 8, batch_first=True), nn.Linear(8, 6)

        def forward(self, tokens):
            return F.linear(self.proj(self.gru(self.embed(tokens))[0]), self.embed.weight)

    return Tied(), (ints(14, 3, 5),)
