"""An encoder-decoder in plain PyTorch with random weights, f32: layer norms before attention, relative position bias in the
encoder, cross attention in the decoder.
"""
import dataclasses

import torch
from torch import nn
from torch.nn import functional

from weights import filled


@dataclasses.dataclass(frozen=True)
class EncDecConfig:
    blocks: int = 4
    width: int = 128
    heads: int = 8
    vocabulary: int = 1000
    source: int = 48
    tokens: int = 32
    texts: int = 4


FULL = EncDecConfig()
SMALL = EncDecConfig(blocks=2, width=32, heads=4, vocabulary=50, source=9, tokens=7)


class Attention(nn.Module):
    def __init__(self, config, causal=False, biased=False):
        super().__init__()
        self.heads, self.causal = config.heads, causal
        self.q, self.k, self.v, self.out = (nn.Linear(config.width, config.width) for _ in range(4))
        self.places = nn.Embedding(2 * config.source, config.heads) if biased else None

    def mask(self, queries, keys):
        if self.places is not None:
            apart = torch.arange(keys)[None] - torch.arange(queries)[:, None] + queries
            return self.places(apart).permute(2, 0, 1)[None]
        if self.causal:
            return torch.full((queries, keys), float("-inf")).triu(1)
        return None

    def forward(self, x, memory):
        def split(y):
            return y.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        q, k, v = split(self.q(x)), split(self.k(memory)), split(self.v(memory))
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        mask = self.mask(q.shape[-2], k.shape[-2])
        scores = scores if mask is None else scores + mask
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(-2))


class Block(nn.Module):
    def __init__(self, config, decoder):
        super().__init__()
        self.norm1, self.attn = nn.LayerNorm(config.width), Attention(config, causal=decoder, biased=not decoder)
        self.norm2, self.cross = (nn.LayerNorm(config.width), Attention(config)) if decoder else (None, None)
        self.norm3 = nn.LayerNorm(config.width)
        self.up, self.down = nn.Linear(config.width, 4 * config.width), nn.Linear(4 * config.width, config.width)

    def forward(self, x, memory=None):
        y = self.norm1(x)
        x = x + self.attn(y, y)
        if self.cross is not None:
            x = x + self.cross(self.norm2(x), memory)
        return x + self.down(functional.gelu(self.up(self.norm3(x))))


class EncDec(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed = nn.Embedding(config.vocabulary, config.width)
        self.encoder = nn.ModuleList(Block(config, decoder=False) for _ in range(config.blocks))
        self.decoder = nn.ModuleList(Block(config, decoder=True) for _ in range(config.blocks))
        self.norm, self.head = nn.LayerNorm(config.width), nn.Linear(config.width, config.vocabulary)

    def forward(self, source, tokens):
        memory = self.embed(source)
        for block in self.encoder:
            memory = block(memory)
        x = self.embed(tokens)
        for block in self.decoder:
            x = block(x, memory)
        return self.head(self.norm(x))


def build(config, seed=0):
    return filled(EncDec(config).eval(), seed)


def inputs(config, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randint(0, config.vocabulary, (config.texts, n), generator=generator) for n in (config.source, config.tokens))
