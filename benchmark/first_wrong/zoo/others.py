"""Recommenders, graphs, mixers, and models of no other group."""
import math

import torch
import torch.nn.functional as F
from torch import nn

from . import ints, model, rand


@model
def recommender():
    """Bags of embeddings, products of pairs."""

    class Dlrm(nn.Module):
        def __init__(self):
            super().__init__()
            self.bags = nn.ModuleList([nn.EmbeddingBag(12, 6, mode=mode) for mode in ("sum", "mean")])
            self.dense, self.top = nn.Sequential(nn.Linear(5, 6), nn.ReLU()), nn.Sequential(nn.Linear(9, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())

        def forward(self, dense, sparse, offsets):
            x = self.dense(dense)
            parts = torch.stack([x] + [bag(sparse, offsets) for bag in self.bags], 1)
            products = torch.bmm(parts, parts.transpose(1, 2))
            i, j = torch.tril_indices(3, 3, -1)
            return self.top(torch.cat([x, products[:, i, j]], 1))

    return Dlrm(), (rand(4, 5), ints(12, 11), torch.tensor([0, 3, 5, 8]))


@model
def factorisation():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.users, self.items, self.bias = nn.Embedding(9, 5), nn.Embedding(9, 5), nn.Embedding(9, 1)

        def forward(self, u, i):
            return (self.users(u) * self.items(i)).sum(-1) + self.bias(i).squeeze(-1)

    return M(), (ints(9, 7), ints(9, 7, seed=5))


@model
def graph_convolution():
    class Gcn(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.norm = nn.Linear(5, 8), nn.Linear(8, 3), nn.LayerNorm(8)

        def spread(self, x, edges):
            degree = torch.zeros(len(x)).index_add(0, edges[1], torch.ones(edges.shape[1])).clamp(min=1)
            return torch.zeros_like(x).index_add(0, edges[1], x[edges[0]]) / degree[:, None]

        def forward(self, x, edges):
            x = F.relu(self.norm(self.first(self.spread(x, edges))))
            return self.second(self.spread(x, edges))

    return Gcn(), (rand(6, 5), ints(6, 2, 14))


@model
def graph_attention():
    class Gat(nn.Module):
        def __init__(self):
            super().__init__()
            self.proj, self.a, self.b, self.slope = nn.Linear(5, 8, bias=False), nn.Linear(8, 1), nn.Linear(8, 1), 0.2

        def forward(self, x, adjacency):
            h = self.proj(x)
            scores = F.leaky_relu(self.a(h) + self.b(h).t(), self.slope)
            scores = scores.masked_fill(adjacency == 0, -1e9)
            return F.elu(torch.softmax(scores, 1) @ h)

    return Gat(), (rand(6, 5), (ints(3, 6, 6) + torch.eye(6, dtype=torch.long)).clamp(max=1))


@model
def perceptron():
    return nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 12), nn.Tanh(), nn.Dropout(0.25), nn.Linear(12, 3), nn.LogSoftmax(-1)), (rand(5, 6),)


@model
def activations():
    acts = [nn.LeakyReLU(0.1), nn.ELU(0.7), nn.SELU(), nn.CELU(0.5), nn.GELU(), nn.SiLU(), nn.Mish(), nn.Softplus(2.0), nn.Softsign(), nn.Hardtanh(-0.8, 0.9),
            nn.Hardswish(), nn.Hardshrink(0.1), nn.Softshrink(0.1), nn.Tanhshrink(), nn.LogSigmoid(), nn.Threshold(-3.0, 0.1)]
    layers = [layer for act in acts for layer in (nn.Linear(8, 8), act)]
    return nn.Sequential(*layers), (rand(4, 8),)


@model
def autoencoder():
    return nn.Sequential(nn.Linear(10, 6), nn.Sigmoid(), nn.Linear(6, 3), nn.Linear(3, 6), nn.Sigmoid(), nn.Linear(6, 10)), (rand(4, 10),)


@model
def variational_autoencoder():
    class Vae(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.mean, self.spread = nn.Linear(8, 6), nn.Linear(6, 3), nn.Linear(6, 3)
            self.decoder = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 8))

        def forward(self, x):
            h = torch.relu(self.encoder(x))
            mean, spread = self.mean(h), self.spread(h)
            z = mean + torch.randn_like(mean) * torch.exp(0.5 * spread)
            return self.decoder(z), -0.5 * (1 + spread - mean.pow(2) - spread.exp()).sum(-1)

    return Vae(), (rand(4, 8),)


@model
def mlp_mixer():
    class Mixer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(8), nn.LayerNorm(8)
            self.tokens, self.channels = nn.Sequential(nn.Linear(6, 10), nn.GELU(), nn.Linear(10, 6)), nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))

        def forward(self, x):
            x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
            return x + self.channels(self.norm2(x))

    return nn.Sequential(Mixer(), Mixer()), (rand(2, 6, 8),)


@model
def gated_mlp():
    class Gmlp(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.inp, self.gate_norm, self.spatial, self.out = nn.LayerNorm(8), nn.Linear(8, 16), nn.LayerNorm(8), nn.Conv1d(6, 6, 1), nn.Linear(8, 8)

        def forward(self, x):
            u, v = F.gelu(self.inp(self.norm(x))).chunk(2, -1)
            return x + self.out(u * self.spatial(self.gate_norm(v)))

    return Gmlp(), (rand(2, 6, 8),)


@model
def fourier_mixing():
    class Fnet(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2, self.ff = nn.LayerNorm(8), nn.LayerNorm(8), nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))

        def forward(self, x):
            x = self.norm1(x + torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real * 0.1)
            return self.norm2(x + self.ff(x))

    return Fnet(), (rand(2, 6, 8),)


@model
def siamese():
    class Siamese(nn.Module):
        def __init__(self):
            super().__init__()
            self.tower = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))

        def forward(self, a, b, c):
            a, b, c = self.tower(a), self.tower(b), self.tower(c)
            return F.cosine_similarity(a, b, dim=-1), F.triplet_margin_loss(a, b, c, reduction="none"), F.pairwise_distance(a, c)

    return Siamese(), (rand(4, 6), rand(4, 6, seed=7), rand(4, 6, seed=8))


@model
def deep_sets():
    class Sets(nn.Module):
        def __init__(self):
            super().__init__()
            self.phi, self.rho = nn.Sequential(nn.Linear(4, 8), nn.SiLU()), nn.Linear(16, 3)

        def forward(self, x):
            y = self.phi(x)
            return self.rho(torch.cat([y.mean(1), y.std(1)], -1))

    return Sets(), (rand(3, 5, 4),)


@model
def bilinear_fusion():
    class Fusion(nn.Module):
        def __init__(self):
            super().__init__()
            self.left, self.right, self.pair = nn.Linear(5, 4), nn.Linear(6, 4), nn.Bilinear(4, 4, 3)

        def forward(self, a, b):
            return self.pair(torch.tanh(self.left(a)), torch.tanh(self.right(b)))

    return Fusion(), (rand(4, 5), rand(4, 6, seed=7))


@model
def neural_ode():
    """Runge-Kutta steps through one small network, called eight times."""

    class Ode(nn.Module):
        def __init__(self):
            super().__init__()
            self.field, self.step = nn.Sequential(nn.Linear(4, 10), nn.Tanh(), nn.Linear(10, 4)), 0.25

        def forward(self, x):
            for _ in range(2):
                a = self.field(x)
                b = self.field(x + self.step / 2 * a)
                c = self.field(x + self.step / 2 * b)
                d = self.field(x + self.step * c)
                x = x + self.step / 6 * (a + 2 * b + 2 * c + d)
            return x

    return Ode(), (rand(3, 4),)


@model
def highway():
    class Highway(nn.Module):
        def __init__(self):
            super().__init__()
            self.plain, self.gate = nn.Linear(8, 8), nn.Linear(8, 8)

        def forward(self, x):
            gate = torch.sigmoid(self.gate(x))
            return gate * F.relu(self.plain(x)) + (1 - gate) * x

    return nn.Sequential(*[Highway() for _ in range(3)]), (rand(4, 8),)


@model
def maxout():
    class Maxout(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin, self.out = nn.Linear(6, 15), nn.Linear(5, 2)

        def forward(self, x):
            return self.out(self.lin(x).view(-1, 5, 3).max(-1).values)

    return Maxout(), (rand(4, 6),)


@model
def film():
    class Film(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.condition, self.norm = nn.Conv2d(2, 6, 3, padding=1), nn.Linear(4, 12), nn.BatchNorm2d(6, affine=False)

        def forward(self, x, c):
            gain, shift = self.condition(c)[..., None, None].chunk(2, 1)
            return F.relu(self.norm(self.conv(x)) * (1 + gain) + shift)

    return Film(), (rand(3, 2, 5, 5), rand(3, 4, seed=8))


@model
def hypernetwork():
    class Hyper(nn.Module):
        def __init__(self):
            super().__init__()
            self.maker = nn.Linear(3, 20)

        def forward(self, x, z):
            weight = self.maker(z).view(5, 4)
            return torch.tanh(F.linear(x, weight))

    return Hyper(), (rand(4, 4), rand(3, seed=8))


@model
def capsules():
    class Capsules(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(3, 5, 4, 4) * 0.3)

        def squash(self, v):
            n = v.pow(2).sum(-1, keepdim=True)
            return n / (1 + n) * v / (n + 1e-8).sqrt()

        def forward(self, u):
            votes = torch.einsum("jiab,nib->njia", self.weight, u)
            logits = votes.new_zeros(votes.shape[:3])
            for _ in range(2):
                v = self.squash((logits.softmax(1)[..., None] * votes).sum(2))
                logits = logits + (votes * v[:, :, None]).sum(-1)
            return v

    return Capsules(), (rand(2, 5, 4),)


@model
def polynomials():
    """Functions on the edges: a sum of Chebyshev polynomials."""

    class Kan(nn.Module):
        def __init__(self, inp, out):
            super().__init__()
            self.coefficients = nn.Parameter(torch.randn(inp, out, 4) * 0.3)

        def forward(self, x):
            x = torch.tanh(x)
            terms = [torch.ones_like(x), x]
            for _ in range(2):
                terms.append(2 * x * terms[-1] - terms[-2])
            return torch.einsum("nik,iok->no", torch.stack(terms, -1), self.coefficients)

    return nn.Sequential(Kan(4, 6), Kan(6, 2)), (rand(5, 4),)


@model
def gaussian_mixture_head():
    class Mdn(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.weight, self.mean, self.spread = nn.Linear(3, 8), nn.Linear(8, 4), nn.Linear(8, 4), nn.Linear(8, 4)

        def forward(self, x, y):
            h = torch.tanh(self.body(x))
            spread = F.softplus(self.spread(h)) + 1e-3
            log = -0.5 * ((y - self.mean(h)) / spread) ** 2 - spread.log() - 0.5 * math.log(2 * math.pi)
            return torch.logsumexp(F.log_softmax(self.weight(h), -1) + log, -1)

    return Mdn(), (rand(5, 3), rand(5, 1, seed=8))


@model
def learned_losses():
    class Losses(nn.Module):
        def __init__(self):
            super().__init__()
            self.net, self.ce, self.kl = nn.Linear(5, 4), nn.CrossEntropyLoss(label_smoothing=0.1), nn.KLDivLoss(reduction="batchmean")
            self.huber, self.bce = nn.SmoothL1Loss(beta=0.5), nn.BCEWithLogitsLoss()

        def forward(self, x, classes, soft):
            y = self.net(x)
            return self.ce(y, classes) + self.kl(F.log_softmax(y, -1), soft.softmax(-1)) + self.huber(y, soft) + self.bce(y, soft.sigmoid())

    return Losses(), (rand(6, 5), ints(4, 6), rand(6, 4, seed=9))


@model
def quantiser():
    """Nearest codes, with the gradient carried straight through."""

    class Vq(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.codes, self.decoder = nn.Linear(6, 4), nn.Embedding(8, 4), nn.Linear(4, 6)

        def forward(self, x):
            z = self.encoder(x)
            nearest = torch.cdist(z, self.codes.weight).argmin(-1)
            q = self.codes(nearest)
            return self.decoder(z + (q - z).detach()), (q - z.detach()).pow(2).mean()

    return Vq(), (rand(5, 6),)


@model
def radiance_field():
    class Nerf(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.density, self.colour = nn.Sequential(nn.Linear(18, 12), nn.ReLU()), nn.Linear(12, 1), nn.Linear(12, 3)

        def forward(self, points):
            freqs = 2.0 ** torch.arange(3)
            angles = (points[..., None] * freqs).flatten(-2)
            h = self.body(torch.cat([angles.sin(), angles.cos()], -1))
            alpha = 1 - torch.exp(-F.relu(self.density(h)) * 0.3)
            through = torch.cumprod(1 - alpha + 1e-6, dim=1)
            return (alpha * through * torch.sigmoid(self.colour(h))).sum(1)

    return Nerf(), (rand(3, 5, 3),)
