"""A speech encoder in plain PyTorch with random weights, f32: convolutions over time, some of them depthwise, gated units, and a
recurrent layer that runs both ways."""
import dataclasses

import torch
from torch import nn
from torch.nn import functional

from weights import filled


@dataclasses.dataclass(frozen=True)
class AudioConfig:
    width: int = 64
    samples: int = 400
    sounds: int = 2
    letters: int = 30


FULL = AudioConfig()
SMALL = AudioConfig(width=16, samples=90, letters=12)


class Gated(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.wide = nn.LayerNorm(width), nn.Conv1d(width, 2 * width, 1)
        self.depth, self.narrow = nn.Conv1d(width, width, 5, padding=2, groups=width), nn.Conv1d(width, width, 1)

    def forward(self, x):
        y = functional.glu(self.wide(self.norm(x.mT).mT), 1)
        return x + self.narrow(functional.hardswish(self.depth(y)))


class Audio(nn.Module):
    def __init__(self, config):
        super().__init__()
        w = config.width
        self.first, self.second = nn.Conv1d(1, w, 7, stride=3, padding=3), nn.Conv1d(w, w, 5, stride=3, padding=2)
        self.blocks = nn.ModuleList(Gated(w) for _ in range(2))
        self.onward, self.back, self.head = nn.GRUCell(w, w), nn.GRUCell(w, w), nn.Linear(2 * w, config.letters)

    @staticmethod
    def run(cell, steps):
        state, states = torch.zeros_like(steps[0]), []
        for one in steps:
            state = cell(one, state)
            states.append(state)
        return states

    def forward(self, sounds):
        x = functional.gelu(self.second(functional.gelu(self.first(sounds))))
        for block in self.blocks:
            x = block(x)
        steps = functional.avg_pool1d(x, 2).unbind(2)
        onward, back = self.run(self.onward, steps), self.run(self.back, steps[::-1])[::-1]
        return functional.log_softmax(self.head(torch.cat([torch.stack(onward, 1), torch.stack(back, 1)], -1)), -1)


def build(config, seed=0):
    return filled(Audio(config).eval(), seed)


def inputs(config, seed=1):
    return (torch.randn(config.sounds, 1, config.samples, generator=torch.Generator().manual_seed(seed)),)
