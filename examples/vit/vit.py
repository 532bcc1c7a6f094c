"""A vision transformer in plain PyTorch, of the shape of Qwen3-VL's vision tower, with random weights.

A 3-D convolution embeds patches, a learned position table is added, rotary embedding turns queries and keys, attention is
confined to the images of a batch, and a merger closes. Full size: 27 blocks, width 1152, 16 heads, fp16, 260 tokens.
"""
import dataclasses

import torch
from torch import nn
from torch.nn import functional


@dataclasses.dataclass(frozen=True)
class VitConfig:
    blocks: int = 27
    width: int = 1152
    heads: int = 16
    hidden: int = 4304
    positions: int = 2304
    images: tuple = (130, 130)  # tokens per image; attention does not cross images
    dtype: torch.dtype = torch.float16

    @property
    def tokens(self):
        return sum(self.images)


SMALL = VitConfig(blocks=2, width=96, heads=4, hidden=352, positions=144, images=(26, 26))


class RotaryEmbedding(nn.Module):
    """Angles for (row, column) positions: half of the head's channels turn by the row, half by the column."""

    def __init__(self, channels, theta=10000.0):
        super().__init__()
        self.frequencies = 1.0 / theta ** (torch.arange(0, channels, 2, dtype=torch.float32) / channels)

    def forward(self, positions):
        return torch.outer(positions.float(), self.frequencies)


class PatchEmbed(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.proj = nn.Conv3d(3, config.width, kernel_size=(2, 16, 16), stride=(2, 16, 16))

    def forward(self, patches):
        return self.proj(patches.view(-1, 3, 2, 16, 16)).view(patches.shape[0], -1)


def rotate(x, angles):
    """Turns pairs (x[..., i], x[..., i + half]) by angles; computed in f32, returned in x's type."""
    cos, sin = angles.cos().repeat(1, 2).unsqueeze(1), angles.sin().repeat(1, 2).unsqueeze(1)
    low, high = x.float().chunk(2, dim=-1)
    return (x.float() * cos + torch.cat((-high, low), dim=-1) * sin).to(x.dtype)


class Attention(nn.Module):
    """The steps are methods, so that a fault can replace one of them."""

    def __init__(self, config):
        super().__init__()
        self.heads = config.heads
        self.qkv = nn.Linear(config.width, 3 * config.width)
        self.proj = nn.Linear(config.width, config.width)

    def split(self, x):
        tokens = x.shape[0]
        return self.qkv(x).view(tokens, 3, self.heads, -1).unbind(1)

    def mask(self, tokens, bounds):
        image = torch.bucketize(torch.arange(tokens), bounds, right=True)
        return image[:, None] == image[None, :]

    def softmax(self, scores):
        return functional.softmax(scores.float(), dim=-1).to(scores.dtype)

    def turn(self, q, k, angles):
        return rotate(q, angles), rotate(k, angles)

    def mix(self, q, k, v, bounds):
        scores = torch.einsum("qhc,khc->hqk", q, k) * q.shape[-1] ** -0.5
        scores = scores.masked_fill(~self.mask(q.shape[0], bounds), float("-inf"))
        return torch.einsum("hqk,khc->qhc", self.softmax(scores), v)

    def forward(self, x, bounds, angles):
        q, k, v = self.split(x)
        q, k = self.turn(q, k, angles)
        return self.proj(self.mix(q, k, v, bounds).reshape(x.shape))


class Mlp(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.linear_fc1 = nn.Linear(config.width, config.hidden)
        self.act_fn = nn.GELU(approximate="tanh")
        self.linear_fc2 = nn.Linear(config.hidden, config.width)

    def forward(self, x):
        return self.linear_fc2(self.act_fn(self.linear_fc1(x)))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.norm1 = nn.LayerNorm(config.width, eps=1e-6)
        self.attn = Attention(config)
        self.norm2 = nn.LayerNorm(config.width, eps=1e-6)
        self.mlp = Mlp(config)

    def add(self, x, update):
        return x + update

    def forward(self, x, bounds, angles):
        x = self.add(x, self.attn(self.norm1(x), bounds=bounds, angles=angles))
        return x + self.mlp(self.norm2(x))


class Merger(nn.Module):
    """Four neighbouring tokens become one."""

    def __init__(self, config):
        super().__init__()
        self.norm = nn.LayerNorm(config.width, eps=1e-6)
        self.linear_fc1 = nn.Linear(4 * config.width, config.width)

    def forward(self, x):
        return self.linear_fc1(self.norm(x).view(x.shape[0] // 4, -1))


class VisionTransformer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.patch_embed = PatchEmbed(config)
        self.pos_embed = nn.Embedding(config.positions, config.width)
        self.rotary_pos_emb = RotaryEmbedding(config.width // config.heads)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.blocks))
        self.merger = Merger(config)

    def forward(self, patches, positions, bounds):
        x = self.patch_embed(patches) + self.pos_embed(positions)
        angles = self.rotary_pos_emb(positions % 64)
        for block in self.blocks:
            x = block(x, bounds=bounds, angles=angles)
        return self.merger(x)


def build(config, seed=0):
    """The model with random weights: the same bits for the same seed on every machine."""
    generator = torch.Generator().manual_seed(seed)
    model = VisionTransformer(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if name.endswith("norm1.weight") or name.endswith("norm2.weight") or name == "merger.norm.weight":
                parameter.copy_(1 + 0.2 * noise)
            elif parameter.dim() > 1 and "pos_embed" not in name:
                parameter.copy_(noise / parameter[0].numel() ** 0.5)
            else:
                parameter.copy_(0.1 * noise)
    return model.to(config.dtype).requires_grad_(False)


def inputs(config, seed=1):
    """(patches, positions, bounds): random pixels, positions of a grid, cumulative lengths of the images."""
    generator = torch.Generator().manual_seed(seed)
    patches = torch.randn(config.tokens, 3 * 2 * 16 * 16, generator=generator).to(config.dtype)
    positions = torch.randint(0, config.positions - 1, (config.tokens,), generator=generator)
    bounds = torch.tensor(config.images).cumsum(0)[:-1]
    return patches, positions, bounds
