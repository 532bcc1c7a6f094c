"""A small U-Net in plain PyTorch with random weights, f32: convolutions with batch norm on the way down, transposed
convolutions on the way up, joined by concatenation.
"""
import dataclasses

import torch
from torch import nn

from weights import filled


@dataclasses.dataclass(frozen=True)
class UnetConfig:
    channels: int = 32
    size: int = 64
    images: int = 4


FULL = UnetConfig()
SMALL = UnetConfig(channels=8, size=16)


def block(before, after):
    return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU())


class Unet(nn.Module):
    def __init__(self, config):
        super().__init__()
        c = config.channels
        self.down1, self.down2, self.middle = block(3, c), block(c, 2 * c), block(2 * c, 4 * c)
        self.pool = nn.MaxPool2d(2)
        self.up2, self.join2 = nn.ConvTranspose2d(4 * c, 2 * c, 2, stride=2), block(4 * c, 2 * c)
        self.up1, self.join1 = nn.ConvTranspose2d(2 * c, c, 2, stride=2), block(2 * c, c)
        self.head = nn.Conv2d(c, 5, 1)

    def forward(self, x):
        one = self.down1(x)
        two = self.down2(self.pool(one))
        x = self.middle(self.pool(two))
        x = self.join2(torch.cat((two, self.up2(x)), 1))
        return self.head(self.join1(torch.cat((one, self.up1(x)), 1)))


def build(config, seed=0):
    return filled(Unet(config).eval(), seed)


def inputs(config, seed=1):
    return (torch.randn(config.images, 3, config.size, config.size, generator=torch.Generator().manual_seed(seed)),)
