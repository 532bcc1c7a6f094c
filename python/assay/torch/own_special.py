"""Special functions that StableHLO has no operation for. A function is smooth after its behaviour at the ends (an exponential, a logarithm, a
wave) is factored out; the smooth rest is a sum of Chebyshev polynomials, whose coefficients mpmath (a part of every PyTorch) computes here:

    sum_j c[j] cos(j t),  cos t: the argument, mapped to [-1, 1]

Its absolute accuracy is that of its arguments, and so is its derived bound. The forms: Abramowitz and Stegun, chapters 7, 9 and 10.
"""
import functools
import math

import mpmath
import torch

from .own_decompositions import body_of

aten = torch.ops.aten
_NODES = 64


@functools.lru_cache(maxsize=None)
def _coefficients(smooth, low, high):
    """The coefficients of the polynomials on [low, high], as many as matter in f64."""
    with mpmath.workdps(30):
        angles = [mpmath.pi * (k + mpmath.mpf(1) / 2) / _NODES for k in range(_NODES)]
        values = [smooth((high - low) / mpmath.mpf(2) * mpmath.cos(angle) + (high + low) / mpmath.mpf(2)) for angle in angles]
        found = [mpmath.mpf(2 if j else 1) / _NODES * mpmath.fsum(value * mpmath.cos(j * angle) for value, angle in zip(values, angles)) for j in range(_NODES)]
        most = max(map(abs, found))
        while len(found) > 1 and abs(found[-1]) < most * 1e-18:
            found.pop()
        return [float(one) for one in found]


def _sum(smooth, low, high, x):
    """The smooth function; x is clamped to its range."""
    given = _coefficients(smooth, low, high)
    angle = ((x.clamp(low, high) * 2 - (high + low)) / (high - low)).clamp(-1, 1).acos()
    degrees = torch.arange(len(given), dtype=x.dtype)
    return ((angle.unsqueeze(-1) * degrees).cos() * torch.tensor(given, dtype=x.dtype)).sum(-1)


def _function(*overloads):
    """In f32 at least; integers become the default type."""

    def keep(body):
        def call(x):
            kind = x.dtype if x.is_floating_point() else torch.get_default_dtype()
            return body(x.to(torch.promote_types(kind, torch.float32))).to(kind)

        for overload in overloads:
            body_of(overload)(functools.wraps(body)(lambda x: call(x)))
        return body

    return keep


def _from_zero(x, at_zero, inside):
    """A function that is defined for x > 0 only."""
    return torch.where(x > 0, inside, torch.where(x == 0, at_zero, math.nan))


# Modified Bessel functions.


@_function(aten.special_i0e.default)
def i0e(x):
    size = x.abs()
    near = _sum(_i0e_near, 0, 8, size)
    return torch.where(size <= 8, near, _sum(_i0e_far, 0, 1, 8 / size.clamp(min=8)) / size.clamp(min=8).sqrt())


def _i0e_near(x):
    return mpmath.besseli(0, x) * mpmath.exp(-x)


def _i0e_far(u):
    return _i0e_near(8 / u) * mpmath.sqrt(8 / u)


@_function(aten.i0.default, aten.special_modified_bessel_i0.default)
def i0(x):
    return i0e(x) * x.abs().exp()


@_function(aten.special_i1.default, aten.special_modified_bessel_i1.default)
def i1(x):
    return torch.special.i1e(x) * x.abs().exp()


def _k_scaled(order, x, near):
    """exp(x) K(x): `near` up to 2, then in powers of 1 / x."""
    wide = x.clamp(min=2)
    return torch.where(x <= 2, near * x.exp(), _sum(_k_far[order], 0, 1, 2 / wide) / wide.sqrt())


def _k0_near(square):
    x = mpmath.sqrt(square)
    return mpmath.besselk(0, x) + mpmath.log(x / 2) * mpmath.besseli(0, x)


def _k1_near(square):
    x = mpmath.sqrt(square)
    return x * (mpmath.besselk(1, x) - mpmath.log(x / 2) * mpmath.besseli(1, x))


def _k_far_of(order):
    return lambda u: mpmath.besselk(order, 2 / u) * mpmath.exp(2 / u) * mpmath.sqrt(2 / u)


_k_far = [_k_far_of(0), _k_far_of(1)]


@_function(aten.special_scaled_modified_bessel_k0.default)
def k0_scaled(x):
    small = x.clamp(0, 2)
    near = _sum(_k0_near, 0, 4, small * small) - (small / 2).log() * i0(small)
    return _from_zero(x, math.inf, _k_scaled(0, x, near))


@_function(aten.special_scaled_modified_bessel_k1.default)
def k1_scaled(x):
    small = x.clamp(0, 2)
    near = (small / 2).log() * i1(small) + _sum(_k1_near, 0, 4, small * small) / small
    return _from_zero(x, math.inf, _k_scaled(1, x, near))


@_function(aten.special_modified_bessel_k0.default)
def k0(x):
    return torch.where(x == 0, math.inf, k0_scaled(x) * (-x).exp())


@_function(aten.special_modified_bessel_k1.default)
def k1(x):
    return torch.where(x == 0, math.inf, k1_scaled(x) * (-x).exp())


# Bessel functions: up to 8 in powers of x^2; then waves with an amplitude P and, shifted by a quarter, Q.


def _wave(order, turned):
    """P, or x / 8 of Q, of 64 / x^2."""

    def smooth(t):
        x = 8 / mpmath.sqrt(t)
        angle, length = x - (2 * order + 1) * mpmath.pi / 4, mpmath.sqrt(mpmath.pi * x / 2)
        j, y = mpmath.besselj(order, x), mpmath.bessely(order, x)
        if turned:
            return length * (y * mpmath.cos(angle) - j * mpmath.sin(angle)) * x / 8
        return length * (j * mpmath.cos(angle) + y * mpmath.sin(angle))

    return smooth


_waves = {(order, turned): _wave(order, turned) for order in (0, 1) for turned in (False, True)}


def _far(order, x, second):
    """J, or where `second` Y, for x >= 8."""
    x = x.clamp(min=8)
    t = (8 / x) ** 2
    p, q = _sum(_waves[order, False], 0, 1, t), _sum(_waves[order, True], 0, 1, t) * (8 / x)
    angle = x - (2 * order + 1) * math.pi / 4
    first, other = (angle.sin(), angle.cos()) if second else (angle.cos(), -angle.sin())
    return (2 / (math.pi * x)).sqrt() * (p * first + q * other)


def _j0_near(square):
    return mpmath.besselj(0, mpmath.sqrt(square))


def _j1_near(square):
    return mpmath.besselj(1, mpmath.sqrt(square)) / mpmath.sqrt(square)


def _y0_near(square):
    x = mpmath.sqrt(square)
    return mpmath.bessely(0, x) - 2 / mpmath.pi * mpmath.log(x) * mpmath.besselj(0, x)


def _y1_near(square):
    x = mpmath.sqrt(square)
    return (mpmath.bessely(1, x) - 2 / mpmath.pi * (mpmath.log(x) * mpmath.besselj(1, x) - 1 / x)) / x


def _near(smooth, x):
    return _sum(smooth, 0, 64, x.clamp(max=8) ** 2)


@_function(aten.special_bessel_j0.default)
def j0(x):
    size = x.abs()
    return torch.where(size <= 8, _near(_j0_near, size), _far(0, size, False))


@_function(aten.special_bessel_j1.default)
def j1(x):
    size = x.abs()
    return torch.where(size <= 8, x * _near(_j1_near, size), _far(1, size, False) * torch.sign(x))


@_function(aten.special_bessel_y0.default)
def y0(x):
    small = x.clamp(0, 8)
    near = _near(_y0_near, small) + 2 / math.pi * small.log() * _near(_j0_near, small)
    return _from_zero(x, -math.inf, torch.where(x <= 8, near, _far(0, x, True)))


@_function(aten.special_bessel_y1.default)
def y1(x):
    small = x.clamp(0, 8)
    near = small * _near(_y1_near, small) + 2 / math.pi * (small.log() * small * _near(_j1_near, small) - 1 / small)
    return _from_zero(x, -math.inf, torch.where(x <= 8, near, _far(1, x, True)))


@_function(aten.special_spherical_bessel_j0.default)
def spherical_j0(x):
    return torch.where(x == 0, 1, torch.where(x.isinf(), 0, x.sin() / x))


# The Airy function: directly up to 2, then decaying to the right and a wave to the left.


def _airy_near(x):
    return mpmath.airyai(x)


def _decay(x):
    return 2 * x ** mpmath.mpf(1.5) / 3


def _airy_right(u):
    x = (3 / (2 * u)) ** (mpmath.mpf(2) / 3) * 2
    return mpmath.airyai(x) * 2 * mpmath.sqrt(mpmath.pi) * x ** mpmath.mpf(0.25) * mpmath.exp(_decay(x))


def _airy_wave(turned):
    def smooth(u):
        x = (3 / (2 * u)) ** (mpmath.mpf(2) / 3) * 2
        angle, length = _decay(x) + mpmath.pi / 4, mpmath.sqrt(mpmath.pi) * x ** mpmath.mpf(0.25)
        ai, bi = mpmath.airyai(-x), mpmath.airybi(-x)
        if turned:
            return length * (bi * mpmath.sin(angle) - ai * mpmath.cos(angle))
        return length * (ai * mpmath.sin(angle) + bi * mpmath.cos(angle))

    return smooth


_airy_waves = [_airy_wave(False), _airy_wave(True)]


@_function(aten.special_airy_ai.default)
def airy_ai(x):
    size = x.abs().clamp(min=2)
    decay = size**1.5 * (2 / 3)
    u = 3 / 2 * (2 / size) ** 1.5
    root = math.sqrt(math.pi) * size.sqrt().sqrt()
    right = (-decay).exp() * _sum(_airy_right, 0, 1.5, u) / (2 * root)
    angle = decay + math.pi / 4
    left = (_sum(_airy_waves[0], 0, 1.5, u) * angle.sin() - _sum(_airy_waves[1], 0, 1.5, u) * angle.cos()) / root
    made = torch.where(x > 2, right, torch.where(x < -2, left, _sum(_airy_near, -2, 2, x)))
    return torch.where(x.isinf(), math.nan, made)


# The quantiles of the normal distribution.


def _erfcx_far(u):
    x = 4 / u - 4
    return mpmath.erfc(x) * mpmath.exp(x * x) / u


@_function(aten.special_erfcx.default)
def erfcx(x):
    u = 4 / (4 + x.abs())
    made = _sum(_erfcx_far, 0, 1, u) * u
    return torch.where(x < 0, 2 * (x * x).exp() - made, made)


def _ndtri(p):
    return mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1)


def _ndtri_middle(square):
    y = mpmath.sqrt(square)
    return _ndtri(y + mpmath.mpf(1) / 2) / y


def _ndtri_tail(u):
    x = 2 / u
    with mpmath.workdps(60 + int(x * x / 4)):
        return -_ndtri(mpmath.exp(-x * x / 2)) - x + mpmath.log(x) / x


@_function(aten.special_ndtri.default)
def ndtri(p):
    y = p - 0.5
    middle = y * _sum(_ndtri_middle, 0, 0.1369140625, y * y)  # to 0.37, beyond 1/2 - exp(-2)
    tail = torch.where(y < 0, p, 1 - p)
    x = (-2 * tail.clamp(0, 0.25).log()).sqrt().clamp(min=1.5)
    far = x - x.log() / x + _sum(_ndtri_tail, 0.05, 1.25, 2 / x)
    made = torch.where(y.abs() <= 0.36, middle, torch.where(y < 0, -far, far))
    edges = torch.where(p == 0, -math.inf, torch.where(p == 1, math.inf, math.nan))
    return torch.where((p > 0) & (p < 1), made, edges)
