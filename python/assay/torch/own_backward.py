"""Gradients without a row: those of a linear operator are its transpose, which `torch.func.vjp` derives from the forward operator's decomposition;
those of a choice go to the place that its index names.
"""
import itertools
import math

import torch

from .own_decompositions import body_of

aten = torch.ops.aten


def _transposed(forward, x, g):
    """The gradient of a linear function of x."""
    return torch.func.vjp(forward, torch.zeros(x.shape if isinstance(x, torch.Tensor) else list(x), dtype=g.dtype))[1](g)[0]


def _decomposed(overload):
    from .decompositions import _body

    return _body(overload)


def _of_sizes(backward, forward):
    """Operators on (g, output size, input size, further words)."""

    def body(g, output_size, input_size, *words, **named):
        make = _decomposed(forward)
        return _transposed(lambda x: make(x, output_size, *words, **named), input_size, g)

    body_of(backward)(body)


for _name in ("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "_upsample_nearest_exact1d", "_upsample_nearest_exact2d", "_upsample_nearest_exact3d", "upsample_linear1d",
              "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):  # fmt: skip
    _of_sizes(getattr(aten, f"{_name}_backward").default, getattr(aten, _name).default)


# Gradients of functions, by differentiating their decomposition.


def _sampler_backward(forward):
    def body(g, x, grid, *words):
        *words, _ = words  # which gradients are wanted
        return torch.func.vjp(lambda x, grid: _decomposed(forward)(x, grid, *words), x, grid)[1](g)

    return body


body_of(aten.grid_sampler_2d_backward.default)(_sampler_backward(aten.grid_sampler_2d.default))
body_of(aten.grid_sampler_3d_backward.default)(_sampler_backward(aten.grid_sampler_3d.default))


@body_of(aten.multi_margin_loss_backward.default)
def multi_margin_loss_backward(g, x, *words):
    return torch.func.vjp(lambda x: _decomposed(aten.multi_margin_loss.default)(x, *words), x)[1](g)[0]


@body_of(aten.multilabel_margin_loss_backward.default)
def multilabel_margin_loss_backward(g, x, target, reduction, is_target):
    """Each named class, up to the first -1, against each other class, where the margin is violated."""
    rows, names = torch.atleast_2d(x), torch.atleast_2d(target)
    known = (names >= 0).to(torch.int64).cumprod(-1) > 0
    names = torch.where(known, names, 0)
    broken = (1 - rows.gather(1, names).unsqueeze(-1) + rows.unsqueeze(1) > 0) & known.unsqueeze(-1) & (torch.atleast_2d(is_target) == 0).unsqueeze(1)
    shares = broken.to(x.dtype) * (g.reshape(-1, 1, 1) / (rows.shape[1] * (rows.shape[0] if reduction == 1 else 1)))
    return shares.sum(1).scatter_add(1, names, -shares.sum(2)).reshape(x.shape)


@body_of(aten.replication_pad1d_backward.default, aten.replication_pad2d_backward.default, aten.replication_pad3d_backward.default)
def replication_pad_backward(g, x, padding):
    def padded(x):
        for i in range(len(padding) // 2):
            dim, (low, high) = x.dim() - 1 - i, padding[2 * i : 2 * i + 2]
            x = x.index_select(dim, (torch.arange(x.shape[dim] + low + high) - low).clamp(0, x.shape[dim] - 1))
        return x

    return _transposed(padded, x, g)


def _adaptive_avg_pool_backward(count, forward):
    def body(g, x):
        make = _decomposed(forward)
        return _transposed(lambda x: make(x, list(g.shape[-count:])), x, g)

    return body


body_of(aten._adaptive_avg_pool2d_backward.default)(_adaptive_avg_pool_backward(2, aten._adaptive_avg_pool2d.default))
body_of(aten._adaptive_avg_pool3d_backward.default)(_adaptive_avg_pool_backward(3, aten._adaptive_avg_pool3d.default))


def _spread(values, count):
    given = list(values) if isinstance(values, (list, tuple)) else [values]
    return given * count if len(given) == 1 else given


def _avg_pool(count, kernel, stride, padding, ceil_mode, include_pad, divisor):
    """A mean over windows: the sum of the slices that each place of the window sees."""
    kernel, padding = _spread(kernel, count), _spread(padding, count)
    stride = _spread(stride, count) if stride else kernel

    def forward(x, sizes):
        shape = x.shape[-count:]
        room = [(out - 1) * step + k for out, step, k in zip(sizes, stride, kernel)]
        pads = [(before, max(0, whole - size - before)) for before, whole, size in zip(padding, room, shape)]
        wide = torch.nn.functional.pad(x, [one for pair in reversed(pads) for one in pair])
        total = 0
        for place in itertools.product(*map(range, kernel)):
            part = wide
            for i, at in enumerate(place):
                part = part.narrow(i - count, at, (sizes[i] - 1) * stride[i] + 1)
                part = part.index_select(i - count, torch.arange(sizes[i]) * stride[i])
            total = total + part
        counts = torch.ones((), dtype=x.dtype)
        for i in range(count):
            first = torch.arange(sizes[i]) * stride[i] - padding[i]
            last = (first + kernel[i]).clamp(max=shape[i] + padding[i])
            inside = last - first if include_pad else last.clamp(max=shape[i]) - first.clamp(min=0)
            counts = counts * inside.to(x.dtype).reshape([-1 if j == i else 1 for j in range(count)])
        return total / (divisor or counts)

    return forward


def _avg_pool_backward(count):
    def body(g, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        forward = _avg_pool(count, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        return _transposed(lambda x: forward(x, list(g.shape[-count:])), x, g)

    return body


body_of(aten.avg_pool2d_backward.default)(_avg_pool_backward(2))
body_of(aten.avg_pool3d_backward.default)(_avg_pool_backward(3))


def _to_places(g, x, indices, count):
    """Adds each gradient at the place of x, among its last dimensions, that an index names."""
    flat = torch.zeros([*x.shape[: x.dim() - count], math.prod(x.shape[x.dim() - count :])], dtype=g.dtype)
    return flat.scatter_add(-1, indices.flatten(-count), g.flatten(-count)).reshape(x.shape)


@body_of(aten.adaptive_max_pool2d_backward.default)
def adaptive_max_pool2d_backward(g, x, indices):
    return _to_places(g, x, indices, 2)


@body_of(aten.adaptive_max_pool3d_backward.default)
def adaptive_max_pool3d_backward(g, x, indices):
    return _to_places(g, x, indices, 3)


@body_of(aten.max_pool3d_with_indices_backward.default)
def max_pool3d_backward(g, x, kernel_size, stride, padding, dilation, ceil_mode, indices):
    return _to_places(g, x, indices, 3)


@body_of(aten.masked_scatter_backward.default)
def masked_scatter_backward(g, mask, sizes):
    count = math.prod(sizes)
    places = torch.nonzero_static(mask.expand(g.shape).reshape(-1), size=count, fill_value=-1).reshape(-1)
    taken = g.reshape(-1).index_select(0, places.clamp(min=0))
    return torch.where(places >= 0, taken, torch.zeros((), dtype=g.dtype)).reshape(list(sizes))


@body_of(aten.hardshrink_backward.default, aten.softshrink_backward.default)
def shrink_backward(g, x, lambd):
    return torch.where((x >= -lambd) & (x <= lambd), torch.zeros((), dtype=g.dtype), g)


def _power_of_distance(difference, distance, p):
    """The derivative of a distance along each of its differences."""
    if p == 0:
        return difference * 0
    if p == 1:
        return torch.sign(difference)
    if p == math.inf:
        return torch.sign(difference) * (difference.abs() == distance).to(difference.dtype)
    none = distance == 0
    safe = torch.where(none, 1, distance)
    slope = difference / safe if p == 2 else torch.sign(difference) * (difference.abs() / safe).pow(p - 1)
    return torch.where(none, 0, slope)


@body_of(aten._cdist_backward.default)
def cdist_backward(g, x1, x2, p, cdist):
    return (g.unsqueeze(-1) * _power_of_distance(x1.unsqueeze(-2) - x2.unsqueeze(-3), cdist.unsqueeze(-1), p)).sum(-2)


@body_of(aten._pdist_backward.default)
def pdist_backward(g, x, p, pdist):
    first, second = torch.triu_indices(x.shape[0], x.shape[0], 1).unbind()
    slopes = g.unsqueeze(-1) * _power_of_distance(x.index_select(0, first) - x.index_select(0, second), pdist.unsqueeze(-1), p)
    none = torch.zeros(x.shape, dtype=x.dtype)
    return none.index_add(0, first, slopes).index_add(0, second, -slopes)


def _fractional_max_pool_backward(count):
    return lambda g, x, kernel_size, output_size, indices: _to_places(g, x, indices, count)


body_of(aten.fractional_max_pool2d_backward.default)(_fractional_max_pool_backward(2))
body_of(aten.fractional_max_pool3d_backward.default)(_fractional_max_pool_backward(3))


@body_of(aten._weight_norm_interface_backward.default)
def weight_norm_backward(g, v, size, norms, dim):
    others = [one for one in range(v.dim()) if one != dim]
    norms = norms.to(v.dtype)
    along = (g * v).sum(others, keepdim=True)
    return size * (g / norms - v * (along / norms**3)), along / norms


# Attention with fewer heads of keys than of queries.


def _repeated(q, *rows):
    if rows[0].shape[1] == q.shape[1]:
        raise NotImplementedError("as many heads")  # the row refuses these for another reason
    return [one.repeat_interleave(q.shape[1] // one.shape[1], 1) for one in rows]


@body_of(aten._scaled_dot_product_flash_attention_for_cpu.default)
def grouped_attention(q, k, v, *words, **named):
    return aten._scaled_dot_product_flash_attention_for_cpu(q, *_repeated(q, k, v), *words, **named)


@body_of(aten._scaled_dot_product_flash_attention_for_cpu_backward.default)
def grouped_attention_backward(g, q, k, v, *words, **named):
    query, *made = aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, *_repeated(q, k, v), *words, **named)
    return query, *(one.unflatten(1, (k.shape[1], -1)).sum(2) for one in made)
