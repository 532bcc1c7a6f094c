"""A variational autoencoder in plain PyTorch with random weights, f32: strided and transposed convolutions, batch norm that
trains, noise as an input."""
import dataclasses

import torch
from torch import nn
from torch.nn import functional

from weights import filled


@dataclasses.dataclass(frozen=True)
class VaeConfig:
    channels: int = 32
    size: int = 32
    code: int = 24
    images: int = 4


FULL = VaeConfig()
SMALL = VaeConfig(channels=8, size=12, code=6)


class Vae(nn.Module):
    def __init__(self, config):
        super().__init__()
        c, flat = config.channels, 2 * config.channels * (config.size // 4) ** 2
        self.down1, self.down2 = nn.Conv2d(3, c, 4, stride=2, padding=1), nn.Conv2d(c, 2 * c, 4, stride=2, padding=1)
        self.norm1, self.norm2, self.norm3 = nn.BatchNorm2d(c), nn.BatchNorm2d(2 * c), nn.BatchNorm2d(c)
        self.mean, self.spread, self.wide = nn.Linear(flat, config.code), nn.Linear(flat, config.code), nn.Linear(config.code, flat)
        self.up1, self.up2 = nn.ConvTranspose2d(2 * c, c, 4, stride=2, padding=1), nn.ConvTranspose2d(c, 3, 4, stride=2, padding=1)

    def forward(self, images, noise):
        x = functional.leaky_relu(self.norm1(self.down1(images)), 0.2)
        x = functional.leaky_relu(self.norm2(self.down2(x)), 0.2)
        mean, spread = self.mean(x.flatten(1)), self.spread(x.flatten(1)).clamp(-4, 4)
        code = mean + noise * torch.exp(0.5 * spread)
        y = functional.relu(self.norm3(self.up1(functional.elu(self.wide(code)).view_as(x))))
        apart = -0.5 * (1 + spread - mean.square() - spread.exp()).sum(1)
        return torch.sigmoid(self.up2(y)), apart


def build(config, seed=0):
    return filled(Vae(config).train(), seed)


def inputs(config, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(config.images, 3, config.size, config.size, generator=generator), torch.randn(config.images, config.code, generator=generator)
