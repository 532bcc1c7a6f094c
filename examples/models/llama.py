"""A decoder of today's kind in plain PyTorch with random weights, bf16: RMS norm, rotary positions, grouped queries, SwiGLU."""
import dataclasses

import torch
from torch import nn
from torch.nn import functional

from weights import filled


@dataclasses.dataclass(frozen=True)
class LlamaConfig:
    blocks: int = 8
    width: int = 256
    heads: int = 8
    groups: int = 2
    vocabulary: int = 1000
    tokens: int = 32
    texts: int = 2


FULL = LlamaConfig()
SMALL = LlamaConfig(blocks=2, width=48, heads=4, vocabulary=80, tokens=11)


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.float()
        return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * self.weight


def rotated(x):
    """x of [texts, heads, tokens, width]: pairs (i, i + width / 2) turn with the position."""
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[-2])[:, None] * 10000.0 ** (-torch.arange(half) / half)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        w, d = config.width, config.width // config.heads
        self.heads, self.groups = config.heads, config.groups
        self.norm1, self.norm2 = RmsNorm(w), RmsNorm(w)
        self.q, self.o = nn.Linear(w, w, bias=False), nn.Linear(w, w, bias=False)
        self.k, self.v = (nn.Linear(w, d * config.groups, bias=False) for _ in range(2))
        self.gate, self.up, self.down = nn.Linear(w, 2 * w, bias=False), nn.Linear(w, 2 * w, bias=False), nn.Linear(2 * w, w, bias=False)

    def forward(self, x):
        y = self.norm1(x)
        q, k, v = (f(y).unflatten(-1, (n, -1)).transpose(1, 2) for f, n in ((self.q, self.heads), (self.k, self.groups), (self.v, self.groups)))
        k, v = (t.repeat_interleave(self.heads // self.groups, 1) for t in (k, v))
        scores = rotated(q) @ rotated(k).transpose(-1, -2) * q.shape[-1] ** -0.5
        later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        weights = scores.float().masked_fill(later, float("-inf")).softmax(-1).to(x.dtype)
        x = x + self.o((weights @ v).transpose(1, 2).flatten(-2))
        y = self.norm2(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed = nn.Embedding(config.vocabulary, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.blocks))
        self.norm, self.head = RmsNorm(config.width), nn.Linear(config.width, config.vocabulary, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def build(config, seed=0):
    return filled(Llama(config).eval(), seed).bfloat16()


def inputs(config, seed=1):
    return (torch.randint(config.vocabulary, (config.texts, config.tokens), generator=torch.Generator().manual_seed(seed)),)
