"""Rows of complex numbers and Fourier transforms: every dimension, length, direction and normalization."""
import torch

DRAWS = {}


def made(d, shape):
    kind = d.pick(torch.float64, torch.float32)
    return torch.complex(d.floats(shape, dtype=kind), d.floats(shape, dtype=kind))


def either(d, shape):
    return made(d, shape) if d.chance(0.7) else d.floats(shape, dtype=torch.float32)


def pair(d):
    d.dtype = d.pick(torch.float64, torch.float32)
    return d.pair(d.floats), {}


def pairs(d):
    return (d.floats([*d.shape(0, 3), 2], dtype=d.pick(torch.float64, torch.float32)),), {}


def along(d, x, *rest):
    dims = [at % x.dim() for at in d.axes(x.dim())]
    return (x, dims, d.pick(0, 1, 2), *rest), {}


def to_real(d):
    shape = d.shape(1, 3, most=7)
    x = made(d, shape)
    dims = [at % x.dim() for at in d.axes(x.dim())]
    odd = d.chance(0.5)
    length = 2 * (shape[dims[-1]] - 1) + odd or 1
    back = torch.fft.rfftn(torch.randn([*(length if i == dims[-1] else size for i, size in enumerate(shape))], generator=d.torch, dtype=x.real.dtype), dim=dims)
    return (back, dims, d.pick(0, 1, 2), length), {}


DRAWS["complex.default"], DRAWS["view_as_complex.default"] = pair, pairs
DRAWS["view_as_real.default"] = lambda d: ((made(d, d.shape(0, 3)),), {})
for name in ("_conj", "_conj_physical", "angle", "sgn"):
    DRAWS[f"{name}.default"] = lambda d: ((either(d, d.shape(0, 4)),), {})
DRAWS["_fft_c2c.default"] = lambda d: along(d, made(d, d.shape(1, 3, most=7)), d.chance(0.5))
DRAWS["_fft_r2c.default"] = lambda d: along(d, d.floats(d.shape(1, 3, most=7), dtype=d.pick(torch.float64, torch.float32)), d.chance(0.6))
DRAWS["_fft_c2r.default"] = to_real
