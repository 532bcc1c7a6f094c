"""Two towers in plain PyTorch with random weights, f32: patches of images and words of texts, their codes normalised and compared."""
import dataclasses

import torch
from torch import nn
from torch.nn import functional

from weights import filled


@dataclasses.dataclass(frozen=True)
class ClipConfig:
    width: int = 96
    blocks: int = 3
    size: int = 24
    patch: int = 8
    vocabulary: int = 300
    words: int = 10
    pairs: int = 4


FULL = ClipConfig()
SMALL = ClipConfig(width=32, blocks=1, size=12, patch=4, vocabulary=50, words=6)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attend = nn.MultiheadAttention(width, 4, batch_first=True)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask=None):
        y = self.norm1(x)
        x = x + self.attend(y, y, y, attn_mask=mask, need_weights=False)[0]
        y = self.up(self.norm2(x))
        return x + self.down(y * torch.sigmoid(1.702 * y))


class Clip(nn.Module):
    def __init__(self, config):
        super().__init__()
        w, count = config.width, (config.size // config.patch) ** 2
        self.patches = nn.Conv2d(3, w, config.patch, stride=config.patch, bias=False)
        self.embed, self.places = nn.Embedding(config.vocabulary, w), nn.Parameter(torch.zeros(count, w))
        self.seeing, self.reading = (nn.ModuleList(Block(w) for _ in range(config.blocks)) for _ in range(2))
        self.norm, self.ends = nn.LayerNorm(w), nn.ModuleList(nn.Linear(w, w, bias=False) for _ in range(2))
        self.sharpness = nn.Parameter(torch.tensor(1.0))

    def forward(self, images, texts):
        x, y = self.patches(images).flatten(2).mT + self.places, self.embed(texts)
        later = torch.ones(texts.shape[1], texts.shape[1], dtype=torch.bool).triu(1)
        for block in self.seeing:
            x = block(x)
        for block in self.reading:
            y = block(y, later)
        x, y = (functional.normalize(end(self.norm(z)), dim=-1) for end, z in zip(self.ends, (x.mean(1), y[:, -1])))
        scores = self.sharpness.exp() * x @ y.T
        own = torch.arange(len(scores))
        return scores, (functional.cross_entropy(scores, own) + functional.cross_entropy(scores.T, own)) / 2


def build(config, seed=0):
    return filled(Clip(config).train(), seed)


def inputs(config, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(config.pairs, 3, config.size, config.size, generator=generator), torch.randint(config.vocabulary, (config.pairs, config.words), generator=generator)
