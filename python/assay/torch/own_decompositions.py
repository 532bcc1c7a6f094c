"""Our decompositions for operators for which PyTorch has none, or one that relies on memory: here a tensor is only its values,
so views are written with indices.

    BODIES[overload](*args, **kwargs)      uses operators that have rows, or decompositions of PyTorch
"""
import math

import torch

aten = torch.ops.aten
BODIES = {}


def body_of(*overloads):
    def keep(body):
        BODIES.update(dict.fromkeys(overloads, body))
        return body

    return keep


def _positions(shape, like):
    """The place of each element in the flat tensor."""
    return torch.arange(math.prod(shape), device=like.device).reshape(shape)


def _taken(x, positions):
    return x.reshape(-1).index_select(0, positions.reshape(-1)).reshape(positions.shape)


def _written(x, positions, values, adds=False):
    values = values.to(x.dtype).expand(positions.shape).reshape(-1)
    flat = x.reshape(-1)
    made = flat.scatter_add(0, positions.reshape(-1), values) if adds else flat.scatter(0, positions.reshape(-1), values)
    return made.reshape(x.shape)


# Views.


@body_of(aten.diagonal.default, aten.diagonal_copy.default)
def diagonal(x, offset=0, dim1=0, dim2=1):
    x = x.movedim((dim1, dim2), (-2, -1))
    rows, columns = x.shape[-2:]
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    places = torch.arange(count) * (columns + 1) + (offset if offset >= 0 else -offset * columns)
    return x.reshape(*x.shape[:-2], rows * columns).index_select(-1, places)


@body_of(aten.unfold.default, aten.unfold_copy.default)
def unfold(x, dimension, size, step):
    if x.dim() == 0:
        return x.reshape(1)[:size]
    dimension %= x.dim()
    count = (x.shape[dimension] - size) // step + 1
    places = (torch.arange(count) * step).reshape(-1, 1) + torch.arange(size)
    picked = x.index_select(dimension, places.reshape(-1))
    return picked.reshape(*x.shape[:dimension], count, size, *x.shape[dimension + 1 :]).movedim(dimension + 1, -1)


def _memory(x):
    """(x as a vector in memory order, the permutation for that). Raises if x is not all of its memory."""
    order = sorted(range(x.dim()), key=lambda i: (-x.stride(i), -x.shape[i]))
    turned = x.permute(order)
    if x.storage_offset() != 0 or not turned.is_contiguous() or x.untyped_storage().nbytes() != x.numel() * x.element_size():
        raise NotImplementedError("a part of another tensor's memory")
    return turned, order


def _strided(size, stride, offset):
    places = torch.zeros(list(size), dtype=torch.int64) + int(offset or 0)
    for i, (count, step) in enumerate(zip(size, stride)):
        places = places + (torch.arange(count) * step).reshape(*[-1 if i == j else 1 for j in range(len(size))])
    return places


@body_of(aten.as_strided.default, aten.as_strided_copy.default)
def as_strided(x, size, stride, storage_offset=None):
    return _taken(_memory(x)[0], _strided(size, stride, storage_offset))


@body_of(aten.as_strided_scatter.default)
def as_strided_scatter(x, src, size, stride, storage_offset=None):
    turned, order = _memory(x)
    made = _written(turned, _strided(size, stride, storage_offset), src)
    return made.permute([order.index(i) for i in range(x.dim())])


@body_of(aten.diagonal_scatter.default)
def diagonal_scatter(x, src, offset=0, dim1=0, dim2=1):
    return _written(x, diagonal(_positions(x.shape, x), offset, dim1, dim2), src)


@body_of(aten._neg_view.default)
def neg_view(x):
    return -x


@body_of(aten.trace.default)
def trace(x):
    return diagonal(x).sum()


# Tensors of indices.


def _indexed(x, indices):
    """The places in flat x of each element of x[indices]."""
    if any(one is not None and one.dtype in (torch.bool, torch.uint8) for one in indices):
        raise NotImplementedError("a mask as index")
    given = [i for i, one in enumerate(indices) if one is not None]
    spread = torch.broadcast_tensors(*[indices[i].to(torch.int64) for i in given])
    near = given == list(range(given[0], given[-1] + 1))
    rest = [i for i in range(x.dim()) if i not in given]
    before = [i for i in rest if i < given[0]] if near else []
    after = [i for i in rest if i not in before]
    shape = [*(x.shape[i] for i in before), *spread[0].shape, *(x.shape[i] for i in after)]
    strides = [math.prod(x.shape[i + 1 :]) for i in range(x.dim())]
    places = torch.zeros(shape, dtype=torch.int64)
    for i, one in zip(given, spread):
        one = torch.where(one < 0, one + x.shape[i], one) * strides[i]
        places = places + one.reshape(*one.shape, *[1] * len(after))
    for number, i in enumerate([*before, *after]):
        at = number if i in before else number + spread[0].dim()
        places = places + (torch.arange(x.shape[i]) * strides[i]).reshape([-1 if j == at else 1 for j in range(len(shape))])
    return places


@body_of(aten.index.Tensor, aten._unsafe_index.Tensor)
def index(x, indices):
    return _taken(x, _indexed(x, indices))


@body_of(aten.index_put.default, aten._unsafe_index_put.default)
def index_put(x, indices, values, accumulate=False):
    masks = [one for one in indices if one is not None]
    if len(masks) == 1 and masks[0].dtype is torch.bool:
        at = next(i for i, one in enumerate(indices) if one is not None)
        rest = x.dim() - at - masks[0].dim()
        mask = masks[0].reshape([1] * at + list(masks[0].shape) + [1] * rest)
        if values.numel() == 1:
            values = values.reshape(())
        elif values.dim() > rest:  # one row for each element that the mask selects
            if at or values.dim() > rest + 1 or values.shape[0] == 0:
                raise NotImplementedError("values that broadcast along a mask's dimensions")
            number = (masks[0].reshape(-1).to(torch.int64).cumsum(0) - 1).clamp(0, values.shape[0] - 1)
            values = values.index_select(0, number).reshape(*masks[0].shape, *values.shape[1:])
        written = values.to(x.dtype)
        return torch.where(mask, x + written if accumulate else written, x)
    return _written(x, _indexed(x, indices), values, accumulate)


@body_of(aten._unsafe_masked_index.default)
def _unsafe_masked_index(x, mask, indices, fill):
    clamped = [None if one is None else one.clamp(0, x.shape[i] - 1) for i, one in enumerate(indices)]
    return torch.where(mask, index(x, clamped), torch.full((), fill, dtype=x.dtype))


@body_of(aten.col2im.default)
def col2im(x, output_size, kernel_size, dilation, padding, stride):
    """Adds blocks at the places from which im2col takes them, in the type of x."""
    padded = [size + 2 * pad for size, pad in zip(output_size, padding)]
    (high, wide), (across, columns) = padded, (kernel_size[1], (padded[1] - dilation[1] * (kernel_size[1] - 1) - 1) // stride[1] + 1)
    rows = (high - dilation[0] * (kernel_size[0] - 1) - 1) // stride[0] + 1
    at = (torch.arange(kernel_size[0]) * dilation[0]).reshape(-1, 1, 1, 1) + (torch.arange(rows) * stride[0]).reshape(-1, 1)
    beside = (torch.arange(across) * dilation[1]).reshape(-1, 1, 1) + torch.arange(columns) * stride[1]
    outer = [*x.shape[:-2], x.shape[-2] // math.prod(kernel_size)]
    places = (at * wide + beside).reshape(-1)
    blocks = x.reshape(math.prod(outer), places.shape[0])
    made = torch.zeros(blocks.shape[0], high * wide, dtype=x.dtype).scatter_add(1, places.expand(blocks.shape), blocks).reshape(*outer, high, wide)
    return made[..., padding[0] : padding[0] + output_size[0], padding[1] : padding[1] + output_size[1]]


@body_of(aten._unsafe_masked_index_put_accumulate.default)
def _unsafe_masked_index_put_accumulate(x, mask, indices, values):
    clamped = [None if one is None else one.clamp(-x.shape[i], x.shape[i] - 1) for i, one in enumerate(indices)]
    return index_put(x, clamped, torch.where(mask, values, torch.zeros((), dtype=values.dtype)), True)


@body_of(aten.put.default)
def put(x, index, source, accumulate=False):
    places = torch.where(index < 0, index + x.numel(), index)
    return _written(x, places.reshape(-1), source.reshape(-1), accumulate)


@body_of(aten.index_reduce.default)
def index_reduce(x, dim, index, source, reduce, *, include_self=True):
    shape = [-1 if i == dim % max(x.dim(), 1) else 1 for i in range(x.dim())]
    return torch.scatter_reduce(x, dim, index.reshape(shape).expand(source.shape), source, reduce, include_self=include_self)


@body_of(aten.index_add.default)
def index_add(x, dim, index, source, *, alpha=1):
    if x.dim() == 0:
        return x + alpha * source.reshape(-1)[0] if source.numel() == 1 else NotImplemented
    shape = [-1 if i == dim % x.dim() else 1 for i in range(x.dim())]
    return x.scatter_add(dim, index.reshape(shape).expand(source.shape), source if alpha == 1 else source * alpha)


@body_of(aten.masked_scatter.default)
def masked_scatter(x, mask, source):
    x, mask = torch.broadcast_tensors(x, mask)
    places = (mask.reshape(-1).to(torch.int64).cumsum(0) - 1).clamp(0, max(source.numel() - 1, 0))
    return torch.where(mask, _taken(source, places).reshape(x.shape), x)


@body_of(aten.searchsorted.Tensor)
def searchsorted(sorted_sequence, self, *, out_int32=False, right=False, side=None, sorter=None):
    if sorter is not None:
        sorted_sequence = sorted_sequence.gather(-1, sorter)
    bounds, values = sorted_sequence.unsqueeze(-2), self.unsqueeze(-1)
    before = ~(bounds > values) if right or side == "right" else ~(bounds >= values)  # NaN is after all of them
    return before.sum(-1).reshape(self.shape).to(torch.int32 if out_int32 else torch.int64)


# Sorts and scans.

_STEPS = 32  # the most steps of a recurrence that is unrolled


@body_of(aten.round.decimals)
def round_decimals(x, *, decimals):
    if not x.is_floating_point():
        return x.clone() if decimals >= 0 else NotImplemented
    scale = float(10 ** abs(decimals))
    if decimals == 0:
        return x.round()
    return (x * scale).round() / scale if decimals > 0 else (x / scale).round() * scale


def _middle(x, dim, values, places):
    """The lower median of a sorted vector, or its first NaN."""
    missing = torch.isnan(x).sum(dim, keepdim=True) if x.is_floating_point() else torch.zeros_like(x).sum(dim, keepdim=True).to(torch.int64)
    size = x.shape[dim]
    at = torch.where(missing > 0, size - missing, (size - 1) // 2)
    return values.gather(dim, at), places.gather(dim, at)


@body_of(aten.median.dim)
def median_dim(x, dim, keepdim=False):
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64)
    made = _middle(x, dim % x.dim(), *torch.sort(x, dim=dim, stable=True))
    return made if keepdim else tuple(one.squeeze(dim) for one in made)


@body_of(aten.median.default)
def median(x):
    return median_dim(x.reshape(-1), 0)[0]


@body_of(aten.nanmedian.dim)
def nanmedian_dim(x, dim, keepdim=False):
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64)
    values, places = torch.sort(x, dim=dim, stable=True)
    known = x.shape[dim] - (torch.isnan(x).sum(dim, keepdim=True) if x.is_floating_point() else 0 * x.sum(dim, keepdim=True).to(torch.int64))
    at = torch.div(known - 1, 2, rounding_mode="floor").clamp(min=0)
    made = values.gather(dim, at), places.gather(dim, at)
    return made if keepdim else tuple(one.squeeze(dim) for one in made)


@body_of(aten.nanmedian.default)
def nanmedian(x):
    return nanmedian_dim(x.reshape(-1), 0)[0]


@body_of(aten.mode.default)
def mode(x, dim=-1, keepdim=False):
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64)
    values, places = torch.sort(x, dim=dim, stable=True)
    values, places = values.movedim(dim, -1), places.movedim(dim, -1)
    same = values.unsqueeze(-1) == values.unsqueeze(-2)
    counts, size = same.sum(-1), x.shape[dim]
    at = torch.argmax(counts, -1, keepdim=True)  # the smallest of the most frequent, at its first place
    at = at + counts.gather(-1, at) - 1  # PyTorch returns the last such place
    made = [one.gather(-1, at.clamp(max=size - 1)).movedim(-1, dim) for one in (values, places)]
    return tuple(made) if keepdim else tuple(one.squeeze(dim) for one in made)


def _log_of_two(a, b):
    """log(exp(a) + exp(b)), accurate enough for a running sum."""
    return torch.logsumexp(torch.stack([a, b], -1), -1)


def _log_of_both(a, b):
    """_log_of_two() of complex numbers, on the branch of the one with the larger real part."""
    less = torch.real(a) < torch.real(b)
    least, most = torch.where(less, a, b), torch.where(less, b, a)
    return most + torch.log(1 + torch.exp(least - most))


@body_of(aten.logcumsumexp.default)
def logcumsumexp(x, dim):
    if x.dim() == 0:
        return x.clone()
    moved = x.movedim(dim, -1)
    size = moved.shape[-1]
    if size == 0:
        return x.clone()
    if size <= _STEPS:
        together, made = _log_of_both if x.is_complex() else _log_of_two, [moved.narrow(-1, 0, 1)]
        for i in range(1, size):
            made.append(together(made[-1], moved.narrow(-1, i, 1)))
        return torch.cat(made, -1).movedim(-1, dim)
    if x.is_complex():
        raise NotImplementedError("many complex numbers")
    upto = torch.arange(size).reshape(1, -1) <= torch.arange(size).reshape(-1, 1)
    wide = torch.where(upto, moved.unsqueeze(-2), torch.full((), -math.inf, dtype=x.dtype))
    return torch.logsumexp(wide, -1).movedim(-1, dim)


@body_of(aten.histc.default)
def histc(x, bins=100, min=0, max=0):
    flat = x.reshape(-1)
    low, high = torch.full((), min, dtype=x.dtype), torch.full((), max, dtype=x.dtype)
    if min == max:
        low, high = flat.amin(), flat.amax()
        alone = low == high
        low, high = torch.where(alone, low - 1, low), torch.where(alone, high + 1, high)
    place = ((flat - low) / (high - low) * bins).floor().clamp(max=bins - 1)
    inside = (flat >= low) & (flat <= high)
    return ((place.unsqueeze(-1) == torch.arange(bins)) & inside.unsqueeze(-1)).sum(0).to(x.dtype)


@body_of(aten.nonzero_static.default)
def nonzero_static(x, *, size, fill_value=-1):
    count = x.numel()
    places = torch.where(x.reshape(-1) != 0, torch.arange(count), count)
    places = torch.cat([places, torch.full((size,), count)]).sort().values[:size]
    made = []
    for i in range(x.dim()):
        step = math.prod(x.shape[i + 1 :])
        made.append(torch.div(places, step, rounding_mode="floor") % x.shape[i])
    return torch.where((places == count).unsqueeze(-1), fill_value, torch.stack(made, -1)) if made else places.new_zeros((size, 0))


@body_of(aten.gcd.default)
def gcd(a, b):
    a, b = torch.broadcast_tensors(a.abs(), b.abs())
    for _ in range(92 if a.dtype is torch.int64 else 47):  # neighbouring Fibonacci numbers take the most steps
        none = b == 0
        a, b = torch.where(none, a, b), torch.where(none, 0, torch.remainder(a, torch.where(none, 1, b)))
    return a


# Tensors without dimensions, which count as vectors for some operators.


def _as_vector(overload, *places):
    """The operator on a vector of one element; `places`: of its dimension among the arguments."""

    def body(x, *args, **kwargs):
        if x.dim() != 0:
            raise NotImplementedError("a tensor with dimensions")
        args = [([0] if isinstance(one, (list, tuple)) else 0) if i in places and one is not None else one for i, one in enumerate(args)]
        return overload(x.reshape(1), *args, **kwargs).reshape(())

    BODIES[overload] = body


for _overload in (aten.amax.default, aten.amin.default, aten.argmax.default, aten.argmin.default, aten.all.dim, aten.any.dim, aten.all.dims, aten.any.dims,
                  aten.sum.dim_IntList, aten.prod.dim_int, aten.linalg_vector_norm.default):  # fmt: skip
    _as_vector(_overload, 1 if _overload is aten.linalg_vector_norm.default else 0)


# Functions.


@body_of(aten.huber_loss.default)
def huber_loss(x, y, reduction=1, delta=1.0):
    """In the type of x, in which PyTorch keeps the losses before it takes their mean."""
    size = (x - y).abs()
    loss = torch.where(size < delta, 0.5 * size * size, delta * (size - 0.5 * delta))
    return (loss, loss.mean(), loss.sum())[reduction] if reduction in (0, 1, 2) else NotImplemented


@body_of(aten.frexp.Tensor)
def frexp(x):
    """Multiplies exactly by powers of two until the size is in [1, 2)."""
    high = (math.frexp(torch.finfo(x.dtype).max)[1] - 1).bit_length() - 1
    steps = [2**i for i in range(high, -1, -1)]
    plain = (x != 0) & (x.abs() < math.inf)
    size, exponent = torch.where(plain, x.abs(), 1), torch.ones(x.shape, dtype=torch.int32)
    for step in steps:
        large = size >= 2.0**step
        size, exponent = torch.where(large, size * 2.0**-step, size), torch.where(large, exponent + step, exponent)
    for step in [steps[0], steps[0], *steps]:  # the smallest numbers need more
        small = size < 2.0 ** (1 - step)
        size, exponent = torch.where(small, size * 2.0**step, size), torch.where(small, exponent - step, exponent)
    return torch.where(plain, torch.copysign(size / 2, x), x), torch.where(plain, exponent, 0).to(torch.int32)


@body_of(aten.nextafter.default)
def nextafter(x, y):
    if x.shape == y.shape:
        raise NotImplementedError("equal shapes, which have a row")
    return torch.nextafter(*torch.broadcast_tensors(x, y))


@body_of(aten.rrelu_with_noise_functional.default)
def rrelu(x, noise, lower=0.125, upper=1 / 3, training=False, generator=None):
    if training:
        raise NotImplementedError("random slopes")
    return torch.where(x > 0, x, x * ((lower + upper) / 2)), noise.clone()


# Products and distances.


@body_of(aten.addbmm.default)
def addbmm(x, batch1, batch2, *, beta=1, alpha=1):
    if not (x.is_floating_point() or x.is_complex()):
        beta, alpha = int(beta), int(alpha)
    product = torch.bmm(batch1, batch2).sum(0) * alpha
    return product if beta == 0 else x * beta + product


def _length(difference, p):
    if p == 2:
        return (difference * difference).sum(-1).sqrt()
    if p == 0:
        return (difference != 0).to(difference.dtype).sum(-1)
    if p == 1:
        return difference.abs().sum(-1)
    return difference.abs().amax(-1) if p == math.inf else difference.abs().pow(p).sum(-1).pow(1 / p)


@body_of(aten._cdist_forward.default)
def cdist(x1, x2, p, compute_mode):
    if 0 in (x1.shape[-1], x1.shape[-2], x2.shape[-2]):
        raise NotImplementedError("nothing to compare")
    return _length(x1.unsqueeze(-2) - x2.unsqueeze(-3), p)


@body_of(aten._pdist_forward.default)
def pdist(x, p=2):
    rows = [(i, j) for i in range(x.shape[0]) for j in range(i + 1, x.shape[0])]
    if not rows:
        raise NotImplementedError("nothing to compare")
    first, second = (torch.tensor(part) for part in zip(*rows))
    return _length(x.index_select(0, first) - x.index_select(0, second), p)


@body_of(aten._trilinear.default)
def trilinear(i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim=1):
    def spread(x, dims):
        for dim in sorted(dims):
            x = x.unsqueeze(dim)
        return x

    product = spread(i1, expand1) * spread(i2, expand2) * spread(i3, expand3)
    return product.sum(list(sumdim)) if sumdim else product


# Pools whose windows differ in size.


def _windows(size, parts):
    """[parts, size]: the elements of each window."""
    at, part = torch.arange(size).reshape(1, -1), torch.arange(parts).reshape(-1, 1)
    first = torch.div(part * size, parts, rounding_mode="floor")
    last = torch.div((part + 1) * size + parts - 1, parts, rounding_mode="floor")
    return (at >= first) & (at < last)


def _adaptive(x, output_size):
    """(x spread over its windows, a mask of the elements in each window), with the windows' dimensions last."""
    count = len(output_size)
    inside = torch.ones((), dtype=torch.bool)
    for i, parts in enumerate(output_size):
        mask = _windows(x.shape[i - count], parts)
        inside = inside & mask.reshape([parts if j == i else mask.shape[1] if j == i + count else 1 for j in range(2 * count)])
    return x.reshape(*x.shape[: x.dim() - count], *[1] * count, *x.shape[x.dim() - count :]), inside


@body_of(aten.adaptive_max_pool2d.default, aten.adaptive_max_pool3d.default)
def adaptive_max_pool(x, output_size):
    count = len(output_size)
    spread, inside = _adaptive(x, output_size)
    kept = torch.where(inside, spread, torch.full((), -math.inf, dtype=x.dtype)).flatten(-count)
    best = torch.argmax(kept, -1)
    return kept.amax(-1), best


@body_of(aten._adaptive_avg_pool2d.default, aten._adaptive_avg_pool3d.default)
def adaptive_avg_pool(x, output_size):
    count = len(output_size)
    spread, inside = _adaptive(x, output_size)
    axes = list(range(-count, 0))
    kept = torch.where(inside, spread, torch.zeros((), dtype=x.dtype)).sum(axes)
    return kept / inside.to(x.dtype).sum(axes)


@body_of(aten._int_mm.default)
def int_mm(x, y):
    return x.to(torch.int32) @ y.to(torch.int32)


@body_of(aten.fake_quantize_per_channel_affine_cachemask.default)
def fake_quantize_per_channel(x, scale, zero_point, axis, least, most):
    scale, zero_point = (one.reshape([-1 if i == axis else 1 for i in range(x.dim())]) for one in (scale, zero_point))
    return _fake_quantized(x, scale, zero_point.to(x.dtype), least, most)


@body_of(aten.fake_quantize_per_tensor_affine_cachemask.default)
def fake_quantize_per_tensor(x, scale, zero_point, least, most):
    return _fake_quantized(x, torch.full((), scale), zero_point, least, most)


def _fake_quantized(x, scale, zero_point, least, most):
    steps = torch.round(x * (1 / scale)) + zero_point
    return (torch.clamp(steps, least, most) - zero_point) * scale, (steps >= least) & (steps <= most)
