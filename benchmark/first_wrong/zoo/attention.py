"""Attention in its many forms, PyTorch's own layers, and caches."""
import torch
import torch.nn.functional as F
from torch import nn

from . import ints, model, rand
from .transformers import Attention, MLP, RMSNorm

D, H, T, B, V = 16, 4, 6, 2, 29


@model
def torch_multihead():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.attn, self.norm = nn.MultiheadAttention(D, H, batch_first=True), nn.LayerNorm(D)

        def forward(self, x):
            y, weights = self.attn(x, x, x, need_weights=True)
            return self.norm(x + y), weights

    return M(), (rand(B, T, D),)


@model
def torch_cross_multihead():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.attn = nn.MultiheadAttention(D, H, kdim=8, vdim=8)
            self.ff = MLP()

        def forward(self, x, memory, padding):
            y, _ = self.attn(x, memory, memory, key_padding_mask=padding, need_weights=False)
            return self.ff(x + y)

    padding = torch.zeros(B, 5, dtype=torch.bool)
    padding[1, 3:] = True
    return M(), (rand(T, B, D), rand(5, B, 8, seed=6), padding)


@model
def torch_encoder():
    layer = nn.TransformerEncoderLayer(D, H, 32, dropout=0.1, batch_first=True, activation="gelu")
    return nn.Sequential(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(D, 4)), (rand(B, T, D),)


@model
def torch_decoder():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            layer = nn.TransformerDecoderLayer(D, H, 32, dropout=0.0, batch_first=True, norm_first=True)
            self.decoder, self.head = nn.TransformerDecoder(layer, 2), nn.Linear(D, V)

        def forward(self, x, memory):
            mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
            return self.head(self.decoder(x, memory, tgt_mask=mask, tgt_is_causal=True))

    return M(), (rand(B, T, D), rand(B, 4, D, seed=6))


@model
def torch_transformer():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(V, D)
            self.net = nn.Transformer(D, H, 1, 1, 24, 0.0, batch_first=True)

        def forward(self, source, target):
            return self.net(self.embed(source), self.embed(target))

    return M(), (ints(V, B, T), ints(V, B, 4, seed=8))


@model
def linear_attention():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.out = nn.Linear(D, 3 * D), nn.Linear(D, D)

        def forward(self, x):
            q, k, v = self.qkv(x).chunk(3, -1)
            q, k = F.elu(q) + 1, F.elu(k) + 1
            kv = torch.einsum("btd,bte->bde", k, v)
            z = 1 / (torch.einsum("btd,bd->bt", q, k.sum(1)) + 1e-6)
            return self.out(torch.einsum("btd,bde,bt->bte", q, kv, z))

    return M(), (rand(B, T, D),)


@model
def masked_sdpa():
    """Scaled dot product attention with a float mask, padding and dropout."""

    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.out, self.p = nn.Linear(D, 3 * D), nn.Linear(D, D), 0.1

        def forward(self, x, lengths):
            q, k, v = (y.unflatten(-1, (H, -1)).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
            mask = torch.arange(x.shape[1])[None] < lengths[:, None]
            bias = torch.zeros(mask.shape).masked_fill(~mask, -1e4)[:, None, None]
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=self.p)
            return self.out(y.transpose(1, 2).flatten(2)) * mask[..., None]

    return M(), (rand(B, T, D), torch.tensor([6, 4]))


@model
def key_value_cache():
    """Tokens one by one; keys and values are written into buffers in place."""

    class Cached(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v, self.o = (nn.Linear(D, D) for _ in range(4))
            self.register_buffer("keys", torch.zeros(B, 8, D))
            self.register_buffer("values", torch.zeros(B, 8, D))

        def forward(self, x, at):
            self.keys[:, at] = self.k(x)
            self.values[:, at] = self.v(x)
            scores = torch.einsum("bd,btd->bt", self.q(x), self.keys[:, : at + 1].clone()) * D ** -0.5
            return self.o(torch.einsum("bt,btd->bd", torch.softmax(scores, -1), self.values[:, : at + 1].clone()))

    class Generator(nn.Module):
        forward_only = True

        def __init__(self):
            super().__init__()
            self.embed, self.attn, self.norm, self.head = nn.Embedding(V, D), Cached(), RMSNorm(D), nn.Linear(D, V)

        def forward(self, tokens):
            outs = []
            for at in range(tokens.shape[1]):
                x = self.embed(tokens[:, at])
                outs.append(self.head(self.norm(x + self.attn(x, at))))
            return torch.stack(outs, 1)

    return Generator(), (ints(V, B, 5),)


@model
def talking_heads():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.out = nn.Linear(D, 3 * D, bias=False), nn.Linear(D, D)
            self.before, self.after = nn.Parameter(torch.eye(H)), nn.Parameter(torch.eye(H))

        def forward(self, x):
            q, k, v = (y.unflatten(-1, (H, -1)).permute(0, 2, 1, 3) for y in self.qkv(x).chunk(3, -1))
            scores = torch.einsum("bhqd,bhkd,hg->bgqk", q, k, self.before) / 2.0
            weights = torch.einsum("bhqk,hg->bgqk", scores.softmax(-1), self.after)
            return self.out((weights @ v).transpose(1, 2).reshape(x.shape))

    return M(), (rand(B, T, D),)


@model
def sparse_topk_attention():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v = nn.Linear(D, D), nn.Linear(D, D), nn.Linear(D, D)

        def forward(self, x):
            scores = self.q(x) @ self.k(x).mT / 4.0
            kept, at = scores.topk(3, -1)
            weights = torch.zeros_like(scores).scatter(-1, at, kept.softmax(-1))
            return weights @ self.v(x)

    return M(), (rand(B, T, D),)


@model
def pooled_attention():
    """Additive attention that pools a sequence, two heads with shared keys."""

    class Pool(nn.Module):
        def __init__(self):
            super().__init__()
            self.proj, self.score = nn.Linear(D, D), nn.Linear(D, 1, bias=False)

        def forward(self, x, mask):
            scores = self.score(torch.tanh(self.proj(x))).squeeze(-1).masked_fill(~mask, float("-inf"))
            return (scores.softmax(-1)[..., None] * x).sum(1)

    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.pools, self.head = nn.ModuleList([Pool(), Pool()]), nn.Linear(2 * D, 3)

        def forward(self, x, lengths):
            mask = torch.arange(x.shape[1]) < lengths[:, None]
            return self.head(torch.cat([pool(x, mask) for pool in self.pools], -1))

    return M(), (rand(3, T, D), torch.tensor([6, 2, 4]))


@model
def axial_attention():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.rows, self.columns, self.norm = Attention(), Attention(), nn.LayerNorm(D)

        def forward(self, x):
            b, h, w, c = x.shape
            x = x + self.rows(x.reshape(b * h, w, c)).view(b, h, w, c)
            y = x.transpose(1, 2).reshape(b * w, h, c)
            return self.norm(x + self.columns(y).view(b, w, h, c).transpose(1, 2))

    return M(), (rand(B, 3, 4, D),)


@model
def lora():
    """A frozen projection with a low-rank module beside it."""

    class Lora(nn.Module):
        def __init__(self, rank=2, alpha=4.0):
            super().__init__()
            self.base, self.scaling = nn.Linear(D, D), alpha / rank
            self.base.requires_grad_(False)
            self.lora_A, self.lora_B = nn.Linear(D, rank, bias=False), nn.Linear(rank, D, bias=False)

        def forward(self, x):
            return self.base(x) + self.lora_B(self.lora_A(x)) * self.scaling

    attention = Attention(causal=True)
    attention.q_proj, attention.v_proj = Lora(), Lora()
    return nn.Sequential(nn.LayerNorm(D), attention), (rand(B, T, D),)
