"""A decoder-only language model in plain PyTorch with random weights: RMSNorm, causal attention with fewer key heads than
query heads, SwiGLU, bf16. Twelve faults. `first wrong` was not tuned on it.
"""
import dataclasses

import torch
from torch import nn
from torch.nn import functional

from inject import forward, method


@dataclasses.dataclass(frozen=True)
class GptConfig:
    blocks: int = 12
    width: int = 768
    heads: int = 12
    key_heads: int = 4
    hidden: int = 2048
    vocabulary: int = 8192
    tokens: int = 192
    texts: int = 0  # 0: one text without a batch dimension
    dtype: torch.dtype = torch.bfloat16


FULL = GptConfig()
SMALL = GptConfig(blocks=3, width=96, heads=6, key_heads=2, hidden=256, vocabulary=512, tokens=40)


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        wide = x.float()
        return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps) * self.weight.float()).to(x.dtype)


class Attention(nn.Module):
    """The steps are methods, so that a fault can replace one of them."""

    def __init__(self, config):
        super().__init__()
        self.heads, self.key_heads, self.channels = config.heads, config.key_heads, config.width // config.heads
        self.q_proj = nn.Linear(config.width, config.width, bias=False)
        self.k_proj = nn.Linear(config.width, self.key_heads * self.channels, bias=False)
        self.v_proj = nn.Linear(config.width, self.key_heads * self.channels, bias=False)
        self.o_proj = nn.Linear(config.width, config.width, bias=False)

    def mask(self, tokens):
        return torch.ones(tokens, tokens, dtype=torch.bool).triu(1)

    def scale(self):
        return self.channels**-0.5

    def spread(self, x):
        return x.repeat_interleave(self.heads // self.key_heads, dim=-2)

    def softmax(self, scores):
        return functional.softmax(scores.float(), dim=-1).to(scores.dtype)

    def mix(self, q, k, v):
        scores = torch.einsum("...qhc,...khc->...hqk", q, self.spread(k)).float() * self.scale()
        scores = scores.masked_fill(self.mask(q.shape[-3]), float("-inf"))
        return torch.einsum("...hqk,...khc->...qhc", self.softmax(scores).to(v.dtype), self.spread(v))

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (-1, self.channels)) for f in (self.q_proj, self.k_proj, self.v_proj))
        return self.o_proj(self.mix(q, k, v).reshape(x.shape))


class Mlp(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.gate_proj = nn.Linear(config.width, config.hidden, bias=False)
        self.up_proj = nn.Linear(config.width, config.hidden, bias=False)
        self.down_proj = nn.Linear(config.hidden, config.width, bias=False)
        self.act = nn.SiLU()

    def gate(self, a, b):
        return a * b

    def forward(self, x):
        return self.down_proj(self.gate(self.act(self.gate_proj(x)), self.up_proj(x)))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.input_norm, self.post_norm = RMSNorm(config.width), RMSNorm(config.width)
        self.attn, self.mlp = Attention(config), Mlp(config)

    def add(self, x, update):
        return x + update

    def forward(self, x):
        x = self.add(x, self.attn(self.input_norm(x)))
        return x + self.mlp(self.post_norm(x))


class Gpt(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed, self.place = nn.Embedding(config.vocabulary, config.width), nn.Embedding(config.tokens, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.blocks))
        self.norm, self.head = RMSNorm(config.width), nn.Linear(config.width, config.vocabulary, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens) + self.place(torch.arange(tokens.shape[-1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def build(config, seed=0):
    generator = torch.Generator().manual_seed(seed)
    model = Gpt(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if "norm" in name:
                parameter.copy_(1 + 0.2 * noise)
            else:
                parameter.copy_(0.5 * noise if "embed" in name or "place" in name else noise / parameter.shape[-1] ** 0.5)
    return model.to(config.dtype).requires_grad_(False)


def inputs(config, seed=1):
    shape = (config.texts, config.tokens) if config.texts else (config.tokens,)
    return (torch.randint(0, config.vocabulary, shape, generator=torch.Generator().manual_seed(seed)),)


class _Loose:
    """A norm with another epsilon."""

    def __init__(self, module):
        self.weight, self.eps = module.weight, 0.1


def _nan(module, original, x):
    y = original(x).clone()
    y[2, 5] = float("nan")
    return y


FAULTS = {
    "norm_mean_subtracted": ("blocks.1.input_norm", forward(lambda m, f, x: f(x - x.float().mean(-1, keepdim=True).to(x.dtype)))),
    "norm_epsilon": ("blocks.2.post_norm", forward(lambda m, f, x: RMSNorm.forward(_Loose(m), x))),
    "causal_mask_off_by_one": ("blocks.1.attn", method("mask", lambda self, f, tokens: f(tokens).roll(1, 1).triu(2))),
    "wrong_scale": ("blocks.0.attn", method("scale", lambda self, f: self.channels**-1.0)),
    "key_heads_interleaved": ("blocks.1.attn", method("spread", lambda self, f, x: x.repeat(1, self.heads // self.key_heads, 1))),
    "gate_swapped_activation": ("blocks.2.mlp.act", forward(lambda m, f, x: functional.gelu(x))),
    "gate_added": ("blocks.1.mlp", method("gate", lambda self, f, a, b: a + b)),
    "residual_skipped": ("blocks.2", method("add", lambda self, f, x, update: update)),
    "dropped_k": ("blocks.0.mlp.down_proj", forward(lambda m, f, x: functional.linear(x[..., :-8], m.weight[:, :-8]))),
    "tokens_swapped": ("blocks.1.attn.v_proj", forward(lambda m, f, x: f(x)[[1, 0, *range(2, x.shape[0])]])),
    "position_off_by_one": ("place", forward(lambda m, f, index: functional.embedding((index + 1) % m.weight.shape[0], m.weight))),
    "nan_element": ("blocks.2.attn.q_proj", forward(_nan)),
}
