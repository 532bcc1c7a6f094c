"""The regularized incomplete gamma functions, by integrals whose integrand only falls:

    P(a, x) = x^a exp(-x) / gamma(a) times the integral of exp(x (1 - exp(-s)) - a s)    for x <= a
    Q(a, x) = x^a exp(-x) / gamma(a) times the integral of exp(a s - x (exp(s) - 1))     for x > a
"""
import math

import numpy
import torch

from .own_decompositions import body_of

aten = torch.ops.aten
_PIECES = (0, 1, 3, 6, 12, 28, 84)  # pieces of the integral, in units of the length along which the integrand falls
_NODES = 16


def _legendre():
    """Gauss-Legendre nodes and weights over the pieces."""
    roots, shares = numpy.polynomial.legendre.leggauss(_NODES)
    pairs = list(zip(_PIECES, _PIECES[1:]))
    return [numpy.concatenate(one).tolist() for one in ([(high + low + (high - low) * roots) / 2 for low, high in pairs], [(high - low) / 2 * shares for low, high in pairs])]


_RULE = []


def _integral(falling, unit):
    """The integral of exp(falling(s)) over s > 0; `unit`: the length along which it falls."""
    if not _RULE:
        _RULE.extend(_legendre())
    places, weights = (torch.tensor(one, dtype=unit.dtype) for one in _RULE)
    return (falling(places * unit.unsqueeze(-1)).exp() * weights).sum(-1) * unit


def _both(a, x):
    """(P, Q) of finite a > 0 and x > 0."""
    small = (a < 1) & (x < 1.5)  # P(a, x) = P(a + 1, x) + x^a exp(-x) / gamma(a + 1)
    b = torch.where(small, a + 1, a)
    front = (b * x.log() - x - torch.lgamma(b)).exp()
    wide, far = b.unsqueeze(-1), x.unsqueeze(-1)
    root = b.sqrt()
    low = front * _integral(lambda s: far * -torch.expm1(-s) - wide * s, 1 / (root + (b - x).clamp(min=0)))
    high = front * _integral(lambda s: wide * s - far * torch.expm1(s), 1 / (root + (x - b).clamp(min=0)))
    least = x <= b
    p, q = torch.where(least, low, 1 - high), torch.where(least, 1 - low, high)
    step = torch.where(small, (a * x.log() - x - torch.lgamma(a + 1)).exp(), 0)
    return p + step, q - step


def _at_ends(a, x, at_zero, at_infinity):
    """The values where a or x is zero or infinite, in the order in which PyTorch tests them."""
    of_infinity = torch.where(x == math.inf, math.nan, at_zero)
    later = torch.where(a == math.inf, of_infinity, torch.where(x == math.inf, at_infinity, math.nan))
    known = torch.where(a == 0, torch.where(x > 0, at_infinity, math.nan), torch.where(x == 0, at_zero, later))
    return torch.where((a < 0) | (x < 0), math.nan, known)


def _function(overload, at_zero, at_infinity, pick):
    def call(a, x):
        kind = torch.promote_types(a.dtype, x.dtype)
        a, x = torch.broadcast_tensors(*(one.to(torch.promote_types(kind, torch.float32)) for one in (a, x)))
        plain = (a > 0) & (x > 0) & (a < math.inf) & (x < math.inf)
        made = _both(torch.where(plain, a, 1), torch.where(plain, x, 1))[pick]
        return torch.where(plain, made, _at_ends(a, x, at_zero, at_infinity)).to(kind)

    body_of(overload)(call)


_function(aten.igamma.default, 0.0, 1.0, 0)
_function(aten.igammac.default, 1.0, 0.0, 1)
