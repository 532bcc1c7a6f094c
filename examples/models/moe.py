"""A language model with a mixture of experts in plain PyTorch with random weights, bf16: RMSNorm on queries and keys too, linear
position biases (ALiBi), a window of attention, and a router that sends each token to two of four experts.
"""
import dataclasses

import torch
from torch import nn
from torch.nn import functional

from weights import filled


@dataclasses.dataclass(frozen=True)
class MoeConfig:
    blocks: int = 3
    width: int = 128
    heads: int = 4
    experts: int = 4
    window: int = 16
    vocabulary: int = 1000
    tokens: int = 32
    texts: int = 4
    dtype: torch.dtype = torch.bfloat16


FULL = MoeConfig()
SMALL = MoeConfig(blocks=2, width=32, window=5, vocabulary=50, tokens=9)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads, self.window, channels = config.heads, config.window, config.width // config.heads
        self.qkv, self.out = nn.Linear(config.width, 3 * config.width, bias=False), nn.Linear(config.width, config.width, bias=False)
        self.q_norm, self.k_norm = nn.RMSNorm(channels, eps=1e-6), nn.RMSNorm(channels, eps=1e-6)

    def forward(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        q, k = self.q_norm(q), self.k_norm(k)
        places = torch.arange(x.shape[1])
        apart = places[:, None] - places[None]
        slopes = 2.0 ** -(1 + torch.arange(self.heads))[:, None, None]
        hidden = (apart < 0) | (apart >= self.window)
        bias = (-slopes * apart).masked_fill(hidden, float("-inf"))
        scores = (q @ k.transpose(-1, -2)).float() / q.shape[-1] ** 0.5 + bias
        return self.out((scores.softmax(-1).to(v.dtype) @ v).transpose(1, 2).flatten(-2))


class Expert(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.gate, self.up = (nn.Linear(config.width, 2 * config.width, bias=False) for _ in range(2))
        self.down = nn.Linear(2 * config.width, config.width, bias=False)

    def forward(self, x):
        return self.down(functional.silu(self.gate(x)) * self.up(x))


class Mixture(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.router = nn.Linear(config.width, config.experts, bias=False)
        self.experts = nn.ModuleList(Expert(config) for _ in range(config.experts))

    def forward(self, x):
        rows = x.flatten(0, -2)
        shares, chosen = self.router(rows).float().softmax(-1).topk(2, dim=-1)
        shares = (shares / shares.sum(-1, keepdim=True)).to(x.dtype)
        out = torch.zeros_like(rows)
        for number, expert in enumerate(self.experts):
            row, place = torch.where(chosen == number)
            if len(row):
                out = out.index_add(0, row, expert(rows[row]) * shares[row, place, None])
        return out.view_as(x)


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(config.width, eps=1e-6), nn.RMSNorm(config.width, eps=1e-6)
        self.attn, self.mixture = Attention(config), Mixture(config)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mixture(self.norm2(x))


class Moe(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed = nn.Embedding(config.vocabulary, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.blocks))
        self.norm, self.head = nn.RMSNorm(config.width, eps=1e-6), nn.Linear(config.width, config.vocabulary, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def build(config, seed=0):
    return filled(Moe(config).eval(), seed).to(config.dtype)


def inputs(config, seed=1):
    return (torch.randint(0, config.vocabulary, (config.texts, config.tokens), generator=torch.Generator().manual_seed(seed)),)
