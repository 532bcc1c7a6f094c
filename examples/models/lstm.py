"""A language model of two LSTM layers in plain PyTorch with random weights, f32."""
import dataclasses

import torch
from torch import nn

from weights import filled


@dataclasses.dataclass(frozen=True)
class LstmConfig:
    width: int = 128
    hidden: int = 256
    vocabulary: int = 1000
    tokens: int = 24
    texts: int = 4


FULL = LstmConfig()
SMALL = LstmConfig(width=24, hidden=32, vocabulary=60, tokens=5)


class Lstm(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed = nn.Embedding(config.vocabulary, config.width)
        self.cells = nn.ModuleList((nn.LSTMCell(config.width, config.hidden), nn.LSTMCell(config.hidden, config.hidden)))
        self.norm, self.head = nn.LayerNorm(config.hidden), nn.Linear(config.hidden, config.vocabulary)

    def forward(self, tokens):
        x = self.embed(tokens).unbind(1)
        for cell in self.cells:
            state, outputs = None, []
            for one in x:
                state = cell(one, state)
                outputs.append(state[0])
            x = outputs
        return self.head(self.norm(torch.stack(x, 1)))


def build(config, seed=0):
    return filled(Lstm(config).eval(), seed)


def inputs(config, seed=1):
    return (torch.randint(0, config.vocabulary, (config.texts, config.tokens), generator=torch.Generator().manual_seed(seed)),)
