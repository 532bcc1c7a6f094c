"""Models that are not cut along their tensors: stages of a pipeline, experts, and a sequence in the zigzag order of causal
attention. Each is built from its parts under gloo, or whole with `parts` 1."""
import torch
import torch.distributed as dist
from torch import nn

WIDTH, ROWS = 16, 12


def filled(module, seed):
    """The module, with the same parameters in every process with the same seed."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) / 4)
    return module


class Feed(nn.Module):
    def __init__(self, seed):
        super().__init__()
        self.norm, self.up, self.act, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH)
        filled(self, seed)

    def forward(self, x):
        return x + self.down(self.act(self.up(self.norm(x))))


class Pipeline(nn.Module):
    """Every stage has its layers, numbered from 0; its output is sent to the next stage."""

    def __init__(self, part, parts, layers=4):
        super().__init__()
        count = layers // parts
        self.part, self.parts = part, parts
        self.layers = nn.ModuleList(Feed(part * count + i) for i in range(count))

    def forward(self, x):
        if self.part > 0:
            dist.recv(x := torch.empty_like(x), self.part - 1)
        for layer in self.layers:
            x = layer(x)
        if self.part + 1 < self.parts:
            dist.send(x.contiguous(), self.part + 1)
        return x


class Experts(nn.Module):
    """A router on all ranks, and experts, numbered from 0 on each rank; their results are added over the ranks."""

    def __init__(self, part, parts, experts=4):
        super().__init__()
        self.first, self.parts = part * (experts // parts), parts
        self.router = filled(nn.Linear(WIDTH, experts), 100)
        self.experts = nn.ModuleList(Feed(self.first + i) for i in range(experts // parts))
        self.head = filled(nn.Linear(WIDTH, WIDTH), 101)

    def forward(self, x):
        weights, chosen = self.router(x).softmax(-1).topk(2)
        y = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            rows, place = (chosen == self.first + i).nonzero(as_tuple=True)
            y[rows] += expert(x[rows]) * weights[rows, place, None]
        if self.parts > 1:
            dist.all_reduce(y)
        return self.head(y)


class Sequence(nn.Module):
    """Causal attention on a sequence of which rank c of n has pieces c and 2n-1-c of 2n."""

    def __init__(self, part, parts):
        super().__init__()
        self.part, self.parts = part, parts
        self.norm, self.qkv, self.proj, self.feed = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH), Feed(7)
        for i, module in enumerate((self.norm, self.qkv, self.proj)):
            filled(module, 50 + i)

    def _order(self, parts):
        pieces = torch.arange(ROWS).chunk(2 * parts)
        return [torch.cat([pieces[c], pieces[2 * parts - 1 - c]]) for c in range(parts)]

    def _everywhere(self, x):
        order = self._order(self.parts)
        every = [torch.empty_like(x) for _ in order]
        dist.all_gather(every, x.contiguous())
        return torch.cat(every)[torch.cat(order).argsort()]

    def forward(self, x):
        rows = torch.arange(ROWS)
        if self.parts > 1:
            rows = self._order(self.parts)[self.part]
            x = x[rows]
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        if self.parts > 1:
            k, v = self._everywhere(k), self._everywhere(v)
        scores = (q @ k.T / WIDTH**0.5).masked_fill(torch.arange(ROWS) > rows[:, None], float("-inf"))
        return self.feed(x + self.proj(scores.softmax(-1) @ v))


MODELS = {"pipeline": Pipeline, "experts": Experts, "sequence": Sequence}
FEED = ("norm", "up", "act", "down")


def leaves(kind):
    """The modules that may be at fault on a rank, by their names on that rank."""
    return {
        "pipeline": [f"layers.{i}.{leaf}" for i in range(2) for leaf in FEED],
        "experts": ["router", "head"] + [f"experts.{i}.{leaf}" for i in range(2) for leaf in FEED],
        "sequence": ["norm", "qkv", "proj"] + [f"feed.{leaf}" for leaf in FEED],
    }.get(kind)
