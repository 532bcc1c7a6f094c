"""One denoising step in plain PyTorch with random weights, f32: residual convolution blocks with group norm that a time embedding
shifts, self and cross attention over pixels, and the scheduler's update of the image.
"""
import dataclasses
import math

import torch
from torch import nn
from torch.nn import functional

from weights import filled


@dataclasses.dataclass(frozen=True)
class DiffusionConfig:
    channels: int = 32
    size: int = 16
    words: int = 12
    images: int = 4


FULL = DiffusionConfig()
SMALL = DiffusionConfig(channels=16, size=8, words=5)


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(4, channels), nn.GroupNorm(4, channels)
        self.conv1, self.conv2 = (nn.Conv2d(channels, channels, 3, padding=1) for _ in range(2))
        self.time = nn.Linear(channels, channels)

    def forward(self, x, time):
        y = self.conv1(functional.silu(self.norm1(x))) + self.time(time)[..., None, None]
        return x + self.conv2(functional.silu(self.norm2(y)))


class Attention(nn.Module):
    def __init__(self, channels, heads=4):
        super().__init__()
        self.heads, self.norm = heads, nn.LayerNorm(channels)
        self.q, self.k, self.v, self.out = (nn.Linear(channels, channels) for _ in range(4))

    def forward(self, x, words=None):
        rows = self.norm(x.flatten(2).transpose(1, 2))
        seen = rows if words is None else words
        q, k, v = (f(y).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f, y in ((self.q, rows), (self.k, seen), (self.v, seen)))
        mixed = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(-2)
        return x + self.out(mixed).transpose(1, 2).view_as(x)


class Diffusion(nn.Module):
    def __init__(self, config):
        super().__init__()
        c = config.channels
        self.time1, self.time2 = nn.Linear(c, c), nn.Linear(c, c)
        self.first, self.down = nn.Conv2d(4, c, 3, padding=1), nn.Conv2d(c, c, 3, stride=2, padding=1)
        self.blocks = nn.ModuleList(Residual(c) for _ in range(3))
        self.attn, self.cross = Attention(c), Attention(c)
        self.norm, self.last = nn.GroupNorm(4, c), nn.Conv2d(c, 4, 3, padding=1)

    def embed(self, time):
        half = self.time1.in_features // 2
        angles = time[:, None] * torch.exp(torch.arange(half) * (-math.log(1e4) / half))
        return self.time2(functional.silu(self.time1(torch.cat((angles.cos(), angles.sin()), -1))))

    def forward(self, noisy, time, words):
        t = functional.silu(self.embed(time))
        x = self.blocks[0](self.first(noisy), t)
        y = self.cross(self.attn(self.blocks[1](self.down(x), t)), words)
        x = self.blocks[2](x + functional.interpolate(y, scale_factor=2.0, mode="nearest"), t)
        noise = self.last(functional.silu(self.norm(x)))
        kept = torch.cos(time / 1000 * math.pi / 2).square()[:, None, None, None]
        clean = (noisy - (1 - kept).sqrt() * noise) / kept.sqrt()
        return clean.clamp(-4, 4), noise


def build(config, seed=0):
    return filled(Diffusion(config).eval(), seed)


def inputs(config, seed=1):
    generator = torch.Generator().manual_seed(seed)
    noisy = torch.randn(config.images, 4, config.size, config.size, generator=generator)
    return noisy, torch.linspace(100, 700, config.images), torch.randn(config.images, config.words, config.channels, generator=generator)
