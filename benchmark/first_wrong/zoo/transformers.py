"""Small blocks of the families of transformers that people port."""
import math

import torch
import torch.nn.functional as F
from torch import nn

from . import ints, model, models_of, rand

D, H, T, B, V = 16, 4, 6, 2, 29


class RMSNorm(nn.Module):
    """x / rms(x) * (offset + weight): Llama with offset 0, Gemma with 1."""

    def __init__(self, width, eps=1e-5, offset=0.0):
        super().__init__()
        self.eps, self.offset = eps, offset
        self.weight = nn.Parameter(torch.ones(width) - offset)

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * (self.weight + self.offset)


def rotary(x, base=10000.0):
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[-2])[:, None] * base ** (-torch.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


class Attention(nn.Module):
    """Self or cross attention with the variations of the families."""

    def __init__(self, width=D, heads=H, kv_heads=None, causal=False, rope=False, fused=False, bias=True, window=None, alibi=False,
                 cap=None, qk_norm=False, one_projection=False, scale=None, dropout=0.0):
        super().__init__()
        self.heads, self.kv_heads, self.size = heads, kv_heads or heads, width // heads
        self.causal, self.rope, self.fused, self.window, self.alibi, self.cap = causal, rope, fused, window, alibi, cap
        self.scale = scale or self.size ** -0.5
        self.one_projection = one_projection
        if one_projection:
            self.qkv_proj = nn.Linear(width, (heads + 2 * self.kv_heads) * self.size, bias=bias)
        else:
            self.q_proj = nn.Linear(width, width, bias=bias)
            self.k_proj = nn.Linear(width, self.kv_heads * self.size, bias=bias)
            self.v_proj = nn.Linear(width, self.kv_heads * self.size, bias=bias)
        self.out_proj = nn.Linear(width, width, bias=bias)
        if qk_norm:
            self.q_norm, self.k_norm = RMSNorm(self.size), RMSNorm(self.size)
        self.qk_norm = qk_norm
        self.dropout = nn.Dropout(dropout) if dropout else None

    def split(self, x, heads):
        return x.view(x.shape[0], x.shape[1], heads, self.size).transpose(1, 2)

    def mask(self, t, s, x):
        allowed = torch.ones(t, s, dtype=torch.bool)
        if self.causal:
            allowed = torch.tril(allowed)
        if self.window is not None:
            allowed = allowed & torch.triu(torch.ones(t, s, dtype=torch.bool), -self.window)
        return allowed

    def forward(self, x, memory=None):
        memory = x if memory is None else memory
        if self.one_projection:
            q, k, v = self.qkv_proj(x).split([self.heads * self.size, self.kv_heads * self.size, self.kv_heads * self.size], -1)
        else:
            q, k, v = self.q_proj(x), self.k_proj(memory), self.v_proj(memory)
        q, k, v = self.split(q, self.heads), self.split(k, self.kv_heads), self.split(v, self.kv_heads)
        if self.qk_norm:
            q, k = self.q_norm(q), self.k_norm(k)
        if self.rope:
            q, k = rotary(q), rotary(k)
        if self.kv_heads != self.heads:
            k, v = (y.repeat_interleave(self.heads // self.kv_heads, dim=1) for y in (k, v))
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal, scale=self.scale)
        else:
            scores = q @ k.transpose(-1, -2) * self.scale
            if self.cap:
                scores = torch.tanh(scores / self.cap) * self.cap
            if self.alibi:
                distance = torch.arange(k.shape[2])[None] - torch.arange(q.shape[2])[:, None]
                slopes = 2.0 ** -torch.arange(1, self.heads + 1)
                scores = scores + (slopes[:, None, None] * distance).to(scores.dtype)
            if self.causal or self.window is not None:
                scores = scores.masked_fill(~self.mask(q.shape[2], k.shape[2], x), -1e4)
            weights = F.softmax(scores, dim=-1)
            if self.dropout is not None:
                weights = self.dropout(weights)
            y = weights @ v
        return self.out_proj(y.transpose(1, 2).reshape(x.shape))


class MLP(nn.Module):
    def __init__(self, width=D, hidden=32, act=None):
        super().__init__()
        self.fc1, self.act, self.fc2 = nn.Linear(width, hidden), act or nn.GELU(), nn.Linear(hidden, width)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


class GatedMLP(nn.Module):
    def __init__(self, width=D, hidden=24, gate="silu"):
        super().__init__()
        self.gate = gate
        self.gate_proj = nn.Linear(width, hidden, bias=False)
        self.up_proj = nn.Linear(width, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        act = F.silu if self.gate == "silu" else F.gelu
        return self.down_proj(act(self.gate_proj(x)) * self.up_proj(x))


class Block(nn.Module):
    """One layer: norm before, norm after, parallel or sandwich."""

    def __init__(self, norm, attention, mlp, style="before"):
        super().__init__()
        self.norm1, self.attn, self.norm2, self.mlp, self.style = norm(), attention(), norm(), mlp(), style
        if style == "sandwich":
            self.norm3, self.norm4 = norm(), norm()

    def forward(self, x):
        if self.style == "after":
            x = self.norm1(x + self.attn(x))
            return self.norm2(x + self.mlp(x))
        if self.style == "parallel":
            y = self.norm1(x)
            return x + self.attn(y) + self.mlp(y)
        if self.style == "sandwich":
            x = x + self.norm3(self.attn(self.norm1(x)))
            return x + self.norm4(self.mlp(self.norm2(x)))
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Decoder(nn.Module):
    """Token embeddings, layers, a head."""

    def __init__(self, block, layers=2, positions=False, scale=1.0, final=None, tied=False, dropout=0.0, cap=None):
        super().__init__()
        self.embed, self.scale, self.cap = nn.Embedding(V, D), scale, cap
        self.positions = nn.Embedding(T, D) if positions else None
        self.drop = nn.Dropout(dropout) if dropout else None
        self.layers = nn.ModuleList([block() for _ in range(layers)])
        self.final = final() if final else None
        self.head = nn.Linear(D, V, bias=False)
        if tied:
            self.head.weight = self.embed.weight

    def forward(self, tokens):
        x = self.embed(tokens)
        if self.scale != 1.0:
            x = x * self.scale
        if self.positions is not None:
            x = x + self.positions(torch.arange(tokens.shape[1]))
        if self.drop is not None:
            x = self.drop(x)
        for layer in self.layers:
            x = layer(x)
        if self.final is not None:
            x = self.final(x)
        logits = self.head(x)
        return logits if self.cap is None else torch.tanh(logits / self.cap) * self.cap


def _layer_norm():
    return nn.LayerNorm(D)


def _decoder(attention, mlp=MLP, norm=_layer_norm, style="before", **others):
    return dict(block=lambda: Block(norm, lambda: Attention(**attention), mlp, style), final=None if style == "after" else norm, **others)


def _tokens():
    return (ints(V, B, T),)


models_of([
    ("gpt2", Decoder, _decoder(dict(causal=True, one_projection=True, dropout=0.1), lambda: MLP(act=nn.GELU("tanh")), positions=True, tied=True, dropout=0.1), _tokens),
    ("gpt_neox", Decoder, _decoder(dict(causal=True, rope=True), style="parallel"), _tokens),
    ("llama", Decoder, _decoder(dict(causal=True, rope=True, bias=False), GatedMLP, lambda: RMSNorm(D)), _tokens),
    ("llama_grouped", Decoder, _decoder(dict(causal=True, rope=True, bias=False, kv_heads=2, fused=True), GatedMLP, lambda: RMSNorm(D)), _tokens),
    ("mistral", Decoder, _decoder(dict(causal=True, rope=True, bias=False, kv_heads=2, window=3), GatedMLP, lambda: RMSNorm(D)), _tokens),
    ("gemma2", Decoder, _decoder(dict(causal=True, rope=True, bias=False, cap=5.0), lambda: GatedMLP(gate="gelu"), lambda: RMSNorm(D, 1e-6, 1.0), "sandwich", scale=4.0, cap=3.0), _tokens),
    ("qwen3", Decoder, _decoder(dict(causal=True, rope=True, qk_norm=True, kv_heads=1), GatedMLP, lambda: RMSNorm(D)), _tokens),
    ("falcon", Decoder, _decoder(dict(causal=True, kv_heads=1, rope=True, one_projection=True), style="parallel"), _tokens),
    ("bloom", Decoder, _decoder(dict(causal=True, alibi=True, one_projection=True)), _tokens),
    ("opt", Decoder, _decoder(dict(causal=True), lambda: MLP(act=nn.ReLU()), positions=True), _tokens),
    ("bert", Decoder, _decoder(dict(dropout=0.1), style="after", positions=True, dropout=0.1), _tokens),
    ("roberta_fused", Decoder, _decoder(dict(fused=True), style="after", positions=True), _tokens),
])


@model
def albert():
    """One layer's weights, used at every depth."""

    class Albert(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.up = nn.Embedding(V, 8), nn.Linear(8, D)
            self.layer = Block(_layer_norm, Attention, MLP, "after")
            self.pooler = nn.Linear(D, D)

        def forward(self, tokens):
            x = self.up(self.embed(tokens))
            for _ in range(3):
                x = self.layer(x)
            return torch.tanh(self.pooler(x[:, 0]))

    return Albert(), _tokens()


@model
def t5():
    """Encoder and decoder with relative positions, no scale."""

    class RelativeBias(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(8, H)

        def forward(self, t, s):
            distance = torch.arange(s)[None] - torch.arange(t)[:, None]
            return self.table((distance + 4).clamp(0, 7)).permute(2, 0, 1)

    class BiasedAttention(nn.Module):
        def __init__(self, causal=False):
            super().__init__()
            self.causal, self.bias = causal, RelativeBias()
            self.q, self.k, self.v, self.o = (nn.Linear(D, D, bias=False) for _ in range(4))

        def forward(self, x, memory):
            q, k, v = (f(y).view(y.shape[0], -1, H, D // H).transpose(1, 2) for f, y in ((self.q, x), (self.k, memory), (self.v, memory)))
            scores = torch.matmul(q, k.transpose(2, 3)) + self.bias(q.shape[2], k.shape[2])
            if self.causal:
                scores = scores + torch.full((q.shape[2], k.shape[2]), -1e4).triu(1)
            return self.o(torch.matmul(F.softmax(scores, -1), v).transpose(1, 2).flatten(2))

    class T5(nn.Module):
        def __init__(self):
            super().__init__()
            self.shared = nn.Embedding(V, D)
            self.encoder, self.decoder, self.cross = BiasedAttention(), BiasedAttention(True), BiasedAttention()
            self.norms = nn.ModuleList([RMSNorm(D, 1e-6) for _ in range(4)])
            self.ff = MLP(act=nn.ReLU())

        def forward(self, source, target):
            x, y = self.shared(source), self.shared(target)
            n = self.norms[0](x)
            x = x + self.encoder(n, n)
            n = self.norms[1](y)
            y = y + self.decoder(n, n)
            y = y + self.cross(self.norms[2](y), x)
            y = y + self.ff(self.norms[3](y))
            return F.linear(y * D ** -0.5, self.shared.weight)

    return T5(), (ints(V, B, T), ints(V, B, 5, seed=9))


@model
def whisper():
    """Convolutions over frames, sinusoids, encoder, decoder with cross attention."""

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.self_attn, self.cross_attn, self.mlp = Attention(causal=True), Attention(), MLP()
            self.ln1, self.ln2, self.ln3 = _layer_norm(), _layer_norm(), _layer_norm()

        def forward(self, x, memory):
            x = x + self.self_attn(self.ln1(x))
            x = x + self.cross_attn(self.ln2(x), memory)
            return x + self.mlp(self.ln3(x))

    class Whisper(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.conv2 = nn.Conv1d(5, D, 3, padding=1), nn.Conv1d(D, D, 3, stride=2, padding=1)
            self.encoder = Block(_layer_norm, Attention, MLP)
            self.ln_post, self.embed, self.layer, self.ln = _layer_norm(), nn.Embedding(V, D), Layer(), _layer_norm()
            time = torch.arange(8)[:, None] * 10000 ** (-torch.arange(D // 2) / (D // 2 - 1))
            self.register_buffer("sinusoids", torch.cat([time.sin(), time.cos()], 1))

        def forward(self, mel, tokens):
            x = F.gelu(self.conv2(F.gelu(self.conv1(mel)))).permute(0, 2, 1)
            memory = self.ln_post(self.encoder(x + self.sinusoids[: x.shape[1]]))
            y = self.layer(self.embed(tokens) + self.sinusoids[: tokens.shape[1]], memory)
            return self.ln(y) @ self.embed.weight.t()

    return Whisper(), (rand(B, 5, 14), ints(V, B, 5))


@model
def wav2vec2():
    class Wav2Vec2(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv0, self.norm0 = nn.Conv1d(1, 8, 5, stride=2, bias=False), nn.GroupNorm(8, 8)
            self.conv1, self.norm1 = nn.Conv1d(8, D, 3, stride=2), nn.LayerNorm(D)
            self.position = nn.utils.parametrizations.weight_norm(nn.Conv1d(D, D, 4, padding=2, groups=4), dim=2)
            self.encoder = Block(_layer_norm, Attention, MLP, "after")
            self.head = nn.Linear(D, 7)

        def forward(self, wave):
            x = F.gelu(self.norm0(self.conv0(wave)))
            x = F.gelu(self.norm1(self.conv1(x).transpose(1, 2)))
            x = x + F.gelu(self.position(x.transpose(1, 2))[..., :-1]).transpose(1, 2)
            return F.log_softmax(self.head(self.encoder(x)), -1)

    return Wav2Vec2(), (rand(B, 1, 35),)


@model
def vit():
    class ViT(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch = nn.Conv2d(3, D, 4, stride=4)
            self.cls = nn.Parameter(torch.randn(1, 1, D))
            self.pos = nn.Parameter(torch.randn(1, 5, D) * 0.1)
            self.blocks = nn.Sequential(*[Block(_layer_norm, lambda: Attention(one_projection=True, fused=True), MLP) for _ in range(2)])
            self.norm, self.head = nn.LayerNorm(D, eps=1e-6), nn.Linear(D, 5)

        def forward(self, images):
            x = self.patch(images).flatten(2).transpose(1, 2)
            x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1) + self.pos
            return self.head(self.norm(self.blocks(x))[:, 0])

    return ViT(), (rand(B, 3, 8, 8),)


@model
def mixture_of_experts():
    class MoE(nn.Module):
        def __init__(self, experts=4, top=2):
            super().__init__()
            self.router = nn.Linear(D, experts, bias=False)
            self.experts, self.top = nn.ModuleList([GatedMLP() for _ in range(experts)]), top

        def forward(self, x):
            flat = x.reshape(-1, D)
            weights, chosen = F.softmax(self.router(flat), -1).topk(self.top, -1)
            weights = weights / weights.sum(-1, keepdim=True)
            out = torch.zeros_like(flat)
            for i, expert in enumerate(self.experts):
                row, slot = torch.where(chosen == i)
                out.index_add_(0, row, expert(flat[row]) * weights[row, slot, None])
            return out.view_as(x)

    block = lambda: Block(lambda: RMSNorm(D), lambda: Attention(causal=True, rope=True, bias=False), MoE)  # noqa: E731
    return Decoder(block, 1, final=lambda: RMSNorm(D)), _tokens()


@model
def deepseek():
    """Keys and values from a narrow latent, separate rotary parts, a shared expert."""

    class Latent(nn.Module):
        def __init__(self, rank=6, size=4, rope=2):
            super().__init__()
            self.size, self.rope = size, rope
            self.q = nn.Linear(D, H * (size + rope), bias=False)
            self.kv_down, self.kv_norm = nn.Linear(D, rank + rope, bias=False), RMSNorm(rank)
            self.kv_up = nn.Linear(rank, H * 2 * size, bias=False)
            self.o = nn.Linear(H * size, D, bias=False)

        def forward(self, x):
            b, t, _ = x.shape
            q, q_rope = self.q(x).view(b, t, H, -1).transpose(1, 2).split([self.size, self.rope], -1)
            latent, k_rope = self.kv_down(x).split([self.kv_down.out_features - self.rope, self.rope], -1)
            k, v = self.kv_up(self.kv_norm(latent)).view(b, t, H, -1).transpose(1, 2).chunk(2, -1)
            q = torch.cat([q, rotary(q_rope)], -1)
            k = torch.cat([k, rotary(k_rope[:, None]).expand(-1, H, -1, -1)], -1)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.o(y.transpose(1, 2).flatten(2))

    class Shared(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate, self.shared, self.routed = nn.Linear(D, 2, bias=False), GatedMLP(), nn.ModuleList([GatedMLP(), GatedMLP()])

        def forward(self, x):
            scores = torch.sigmoid(self.gate(x))
            return self.shared(x) + sum(scores[..., i : i + 1] * expert(x) for i, expert in enumerate(self.routed))

    return Decoder(lambda: Block(lambda: RMSNorm(D), Latent, Shared), 1, final=lambda: RMSNorm(D)), _tokens()


@model
def clip():
    class Clip(nn.Module):
        def __init__(self):
            super().__init__()
            self.vision = nn.Sequential(nn.Conv2d(3, D, 4, stride=4), nn.Flatten(2))
            self.vision_norm, self.text = nn.LayerNorm(D), nn.Embedding(V, D)
            self.text_block, self.image_proj, self.text_proj = Block(_layer_norm, lambda: Attention(causal=True), MLP), nn.Linear(D, 8, bias=False), nn.Linear(D, 8, bias=False)
            self.logit_scale = nn.Parameter(torch.tensor(math.log(10.0)))

        def forward(self, images, tokens):
            image = self.image_proj(self.vision_norm(self.vision(images).mean(-1)))
            text = self.text_proj(self.text_block(self.text(tokens))[:, -1])
            image, text = F.normalize(image, dim=-1), F.normalize(text, dim=-1)
            return self.logit_scale.exp() * image @ text.t()

    return Clip(), (rand(4, 3, 8, 8), ints(V, 4, T))


@model
def diffusion_transformer():
    """Layers whose norms are modulated by a condition."""

    class Modulated(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(D, elementwise_affine=False), nn.LayerNorm(D, elementwise_affine=False)
            self.attn, self.mlp, self.ada = Attention(fused=True), MLP(act=nn.GELU("tanh")), nn.Sequential(nn.SiLU(), nn.Linear(D, 6 * D))

        def forward(self, x, c):
            s1, b1, g1, s2, b2, g2 = self.ada(c)[:, None].chunk(6, -1)
            x = x + g1 * self.attn(self.norm1(x) * (1 + s1) + b1)
            return x + g2 * self.mlp(self.norm2(x) * (1 + s2) + b2)

    class DiT(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.time, self.block, self.out = nn.Linear(8, D), nn.Linear(D, D), Modulated(), nn.Linear(D, 8)

        def forward(self, x, t):
            angles = t[:, None] * torch.exp(-torch.arange(D // 2) / 2.0)
            c = self.time(torch.cat([angles.cos(), angles.sin()], -1))
            return self.out(self.block(self.inp(x), c))

    return DiT(), (rand(B, T, 8), torch.tensor([3.0, 7.0]))


@model
def swin():
    """Windows, shifted by roll, and a bias from a table."""

    class WindowBlock(nn.Module):
        def __init__(self, shift):
            super().__init__()
            self.shift, self.norm, self.attn, self.mlp, self.norm2 = shift, _layer_norm(), Attention(), MLP(), _layer_norm()

        def forward(self, x):
            b, h, w, c = x.shape
            y = torch.roll(self.norm(x), (-self.shift, -self.shift), (1, 2))
            y = y.view(b, h // 2, 2, w // 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, c)
            y = self.attn(y).view(b, h // 2, w // 2, 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
            x = x + torch.roll(y, (self.shift, self.shift), (1, 2))
            return x + self.mlp(self.norm2(x))

    class Swin(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.b0, self.b1 = nn.Conv2d(3, D, 2, stride=2), WindowBlock(0), WindowBlock(1)
            self.merge = nn.Linear(4 * D, 2 * D, bias=False)

        def forward(self, images):
            x = self.b1(self.b0(self.embed(images).permute(0, 2, 3, 1)))
            x = torch.cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]], -1)
            return self.merge(x)

    return Swin(), (rand(B, 3, 8, 8),)


@model
def perceiver():
    class Perceiver(nn.Module):
        def __init__(self):
            super().__init__()
            self.latents = nn.Parameter(torch.randn(3, D))
            self.inp, self.cross, self.own = nn.Linear(5, D), Attention(), Block(_layer_norm, Attention, MLP)

        def forward(self, x):
            memory, y = self.inp(x), self.latents.expand(len(x), -1, -1)
            for _ in range(2):
                y = self.own(y + self.cross(y, memory))
            return y.mean(1)

    return Perceiver(), (rand(B, 9, 5),)
