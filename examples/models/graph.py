"""Attention along the edges of a graph in plain PyTorch with random weights, f32: gathers, sums by index, products of edges."""
import dataclasses

import torch
from torch import nn
from torch.nn import functional

from weights import filled


@dataclasses.dataclass(frozen=True)
class GraphConfig:
    width: int = 64
    nodes: int = 200
    edges: int = 1200
    layers: int = 4


FULL = GraphConfig()
SMALL = GraphConfig(width=16, nodes=20, edges=70, layers=2)


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.send, self.take, self.edge = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(3, width)
        self.score, self.norm = nn.Linear(width, 1), nn.LayerNorm(width)

    def forward(self, x, sources, targets, lengths):
        message = functional.softplus(self.send(x)[sources] + self.take(x)[targets]) * self.edge(lengths)
        weight = torch.exp(torch.tanh(self.score(message)))
        total = torch.zeros(len(x), 1).index_add(0, targets, weight) + 1e-3
        mixed = torch.zeros_like(x).index_add(0, targets, message * weight) / total
        return self.norm(x + mixed)


class Graph(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed = nn.Linear(5, config.width)
        self.layers = nn.ModuleList(Layer(config.width) for _ in range(config.layers))
        self.head = nn.Linear(config.width, 1)

    def forward(self, nodes, places, sources, targets):
        x, apart = self.embed(nodes), places[sources] - places[targets]
        lengths = torch.cat([apart.square().sum(1, keepdim=True).sqrt(), apart], 1)
        for layer in self.layers:
            x = layer(x, sources, targets, lengths)
        return self.head(x).cumsum(0)


def build(config, seed=0):
    return filled(Graph(config).eval(), seed)


def inputs(config, seed=1):
    g = torch.Generator().manual_seed(seed)
    ends = (torch.randint(config.nodes, (config.edges,), generator=g) for _ in range(2))
    return (torch.randn(config.nodes, 5, generator=g), torch.randn(config.nodes, 2, generator=g), *ends)
