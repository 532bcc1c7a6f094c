"""A small residual convolution network in plain PyTorch with random weights, f32: convolution, batch norm of evaluation, ReLU,
pooling, a linear head. Ten faults. `first wrong` was not tuned on it.
"""
import dataclasses

import torch
from torch import nn
from torch.nn import functional

from inject import forward, method


@dataclasses.dataclass(frozen=True)
class ResnetConfig:
    blocks: int = 8
    channels: int = 64
    size: int = 56
    images: int = 4
    classes: int = 1000
    dtype: torch.dtype = torch.float32


FULL = ResnetConfig()
SMALL = ResnetConfig(blocks=3, channels=16, size=20, images=2, classes=10)


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
        self.conv2, self.bn2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
        self.relu1, self.relu2 = nn.ReLU(), nn.ReLU()

    def add(self, x, update):
        return x + update

    def forward(self, x):
        return self.relu2(self.add(x, self.bn2(self.conv2(self.relu1(self.bn1(self.conv1(x)))))))


class Resnet(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.stem, self.bn = nn.Conv2d(3, config.channels, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(config.channels)
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.blocks = nn.Sequential(*(Block(config.channels) for _ in range(config.blocks)))
        self.mean, self.head = nn.AdaptiveAvgPool2d(1), nn.Linear(config.channels, config.classes)

    def forward(self, x):
        x = self.blocks(self.pool(functional.relu(self.bn(self.stem(x)))))
        return self.head(self.mean(x).flatten(1))


def build(config, seed=0):
    generator = torch.Generator().manual_seed(seed)
    model = Resnet(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(noise * (2 / parameter[0].numel()) ** 0.5 if parameter.dim() > 1 else 0.1 * noise + ("weight" in name))
        for name, buffer in model.named_buffers():
            if name.endswith("running_mean"):
                buffer.copy_(0.1 * torch.randn(buffer.shape, generator=generator))
            elif name.endswith("running_var"):
                buffer.copy_(0.5 + torch.rand(buffer.shape, generator=generator))
    return model.to(config.dtype).requires_grad_(False)


def inputs(config, seed=1):
    shape = (config.images, 3, 4 * config.size, 4 * config.size)
    return (torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(config.dtype),)


def _edge_of_last_tile(module, original, x):
    y = original(x).clone()
    y[..., -1, :] = y[..., -2, :]
    return y


def _padding_replicated(module, original, x):
    return functional.conv2d(functional.pad(x, (1, 1, 1, 1), mode="replicate"), module.weight)


FAULTS = {
    "bf16_convolution": ("blocks.1.conv1", forward(lambda m, f, x: functional.conv2d(x.bfloat16(), m.weight.bfloat16(), None, 1, 1).float())),
    "padding_replicated": ("blocks.0.conv2", forward(_padding_replicated)),
    "stale_last_row": ("blocks.2.conv2", forward(_edge_of_last_tile)),
    "channel_dropped": ("stem", forward(lambda m, f, x: functional.conv2d(x[:, :2], m.weight[:, :2], None, 2, 3))),
    "batch_norm_epsilon": (
        "blocks.1.bn1",
        forward(lambda m, f, x: functional.batch_norm(x, m.running_mean, m.running_var, m.weight, m.bias, False, 0.1, 1e-3)),
    ),
    "statistics_of_the_batch": (
        "blocks.0.bn2",
        forward(lambda m, f, x: functional.batch_norm(x, None, None, m.weight, m.bias, True, 0.1, m.eps)),
    ),
    "leaky_relu": ("blocks.1.relu1", forward(lambda m, f, x: functional.leaky_relu(x))),
    "residual_skipped": ("blocks.1", method("add", lambda self, f, x, update: update)),
    "pool_of_two": ("pool", forward(lambda m, f, x: functional.max_pool2d(x, 2, 2, 0)[..., : f(x).shape[-2], : f(x).shape[-1]])),
    "mean_of_one_less": ("mean", forward(lambda m, f, x: x[..., :-1].mean((2, 3), keepdim=True))),
}
