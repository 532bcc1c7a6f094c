"""Layers that mix places and channels in turn, in plain PyTorch with random weights, f16."""
import dataclasses

import torch
from torch import nn
from torch.nn import functional

from weights import filled


@dataclasses.dataclass(frozen=True)
class MixerConfig:
    width: int = 128
    places: int = 49
    blocks: int = 6
    images: int = 4
    classes: int = 50


FULL = MixerConfig()
SMALL = MixerConfig(width=24, places=9, blocks=2, classes=10)


class Mix(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.up, self.down = nn.Linear(size, 2 * size), nn.Linear(2 * size, size)

    def forward(self, x):
        return self.down(functional.gelu(self.up(x), approximate="tanh"))


class Mixer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.first = nn.Linear(config.width, config.width)
        self.norms = nn.ModuleList(nn.LayerNorm(config.width) for _ in range(2 * config.blocks + 1))
        self.mixes = nn.ModuleList(Mix(config.places if i % 2 == 0 else config.width) for i in range(2 * config.blocks))
        self.head = nn.Linear(config.width, config.classes)

    def forward(self, x):
        x = self.first(x)
        for i, mix in enumerate(self.mixes):
            y = self.norms[i](x)
            x = x + (mix(y.mT).mT if i % 2 == 0 else mix(y))
        return self.head(self.norms[-1](x).amax(1))


def build(config, seed=0):
    return filled(Mixer(config).eval(), seed).half()


def inputs(config, seed=1):
    return (torch.randn(config.images, config.places, config.width, generator=torch.Generator().manual_seed(seed)).half(),)
