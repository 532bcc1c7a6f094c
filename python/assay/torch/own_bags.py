"""Our decompositions for sums over bags, segments and bins, and for resampling: a boolean table has the elements of each bag."""
import itertools
import math

import torch

from .own_decompositions import body_of

aten = torch.ops.aten
LARGEST = 1 << 20  # elements of a table


def _table(*sizes):
    if math.prod(sizes) > LARGEST:
        raise NotImplementedError("a large table")


def _inside(starts, ends, count):
    """[bag, element]: whether it is in the bag."""
    _table(starts.shape[0], count)
    places = torch.arange(count)
    return (places >= starts.unsqueeze(-1)) & (places < ends.unsqueeze(-1))


def _spread(mask, x):
    """The mask [bag, element] with the dimensions of x [element, ...]."""
    return mask.reshape(*mask.shape, *[1] * (x.dim() - 1))


@body_of(aten._embedding_bag_forward_only.default)
def embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=-1):
    bags = offsets.shape[0] - include_last_offset
    count = indices.shape[0]
    starts = offsets[:bags].to(torch.int64)
    ends = torch.cat([offsets[1:].to(torch.int64), *([] if include_last_offset else [torch.full((1,), count)])])
    inside = _inside(starts, ends, count)
    if padding_idx >= 0:
        inside = inside & (indices != padding_idx)
    rows = weight.index_select(0, indices)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(-1)
    mask, members = _spread(inside, rows), inside.sum(-1, keepdim=True)
    if mode == 2:
        made = torch.where(members == 0, 0, torch.where(mask, rows, -math.inf).amax(1))
    else:
        made = torch.where(mask, rows, 0).sum(1)
        made = made / members.clamp(min=1) if mode == 1 else made
    none = torch.zeros(0, 0, 0, dtype=torch.int64)  # placeholders: only a backward pass reads these results
    return made.to(weight.dtype), none, none, none


@body_of(aten._embedding_bag.default)
def embedding_bag_trained(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=-1):
    """With the results that the backward pass reads: the bag of each element, sizes of bags and, in mode max, the index of the largest element."""
    made, _, _, _ = embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx)
    bags, count = offsets.shape[0] - include_last_offset, indices.shape[0]
    inside = _bag_of(offsets[:bags], count) == torch.arange(bags).unsqueeze(-1)
    inside = inside & (indices != padding_idx) if padding_idx >= 0 else inside
    sizes = inside.sum(-1).to(offsets.dtype) if mode else torch.zeros(bags, dtype=offsets.dtype)
    most = sizes
    if mode == 2:
        rows = weight.index_select(0, indices)
        most = torch.where(sizes.unsqueeze(-1) == 0, 0, indices[torch.where(_spread(inside, rows), rows, -math.inf).argmax(1)]).to(indices.dtype)
    return made, _bag_of(offsets[:bags], count).to(indices.dtype), sizes, most


def _bag_of(offsets, count):
    _table(offsets.shape[0], count)
    return (torch.arange(count) >= offsets.unsqueeze(-1)).sum(0) - 1


@body_of(aten._embedding_bag_backward.default)
def embedding_bag_backward(g, indices, offsets, bags, sizes, most, count, scale_grad_by_freq, mode, sparse, per_sample_weights, padding_idx=-1):
    if sparse or scale_grad_by_freq:
        raise NotImplementedError("a gradient with other weights")
    whole = torch.zeros(count, g.shape[-1], dtype=g.dtype)
    if mode == 2:
        return whole.scatter_add(0, most, torch.where(sizes.unsqueeze(-1) == 0, 0, g))
    bags = _bag_of(offsets, indices.shape[0])
    rows = g.index_select(0, bags)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(-1)
    if mode == 1:
        rows = rows / sizes[bags].clamp(min=1).unsqueeze(-1)
    return whole.index_add(0, indices, torch.where((indices == padding_idx).unsqueeze(-1), 0, rows))


@body_of(aten._embedding_bag_per_sample_weights_backward.default)
def embedding_bag_weights_backward(g, weight, indices, offsets, bags, mode, padding_idx=-1):
    made = (g.index_select(0, _bag_of(offsets, indices.shape[0])) * weight.index_select(0, indices)).sum(-1)
    return torch.where(indices == padding_idx, 0, made)


@body_of(aten.segment_reduce.default)
def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    given = lengths if lengths is not None else offsets
    if given is None or given.dim() != 1 or axis != 0:
        raise NotImplementedError("segments of their own in each row")
    ends = lengths.cumsum(0) if lengths is not None else offsets[1:]
    starts = ends - lengths if lengths is not None else offsets[:-1]
    inside = _inside(starts, ends, data.shape[0])
    mask, members = _spread(inside, data), (ends - starts).reshape(-1, *[1] * (data.dim() - 1))
    first = {"max": -math.inf, "min": math.inf, "sum": 0, "mean": 0, "prod": 1}[reduce] if initial is None else initial
    start = torch.full((), first, dtype=data.dtype)
    if reduce in ("max", "min"):
        least = -math.inf if reduce == "max" else math.inf
        kept = torch.where(mask, data, least)
        return torch.maximum(kept.amax(1), start) if reduce == "max" else torch.minimum(kept.amin(1), start)
    if reduce == "prod":
        return torch.where(mask, data, 1).prod(1) * start
    # Written as a scatter, whose bound in 16 bits allows for sums in that type, as PyTorch computes them.
    places = torch.where(mask, torch.arange(members.shape[0]).reshape(-1, *[1] * data.dim()), 0).sum(0).expand(data.shape)
    kept = torch.where(inside.any(0).reshape(-1, *[1] * (data.dim() - 1)), data, 0)
    total = start.expand(members.shape[0], *data.shape[1:]).scatter_add(0, places, kept)
    if reduce == "sum":
        return total
    return torch.where(members == 0, math.nan if initial is None else total, total / members)


# Histograms: a value at the last edge is in the last bin.


def _edges(x, bins, limits):
    low, high = (torch.full((), float(one), dtype=x.dtype) for one in limits) if limits is not None else (x.amin(), x.amax())
    same = low == high
    low, high = torch.where(same, low - 0.5, low), torch.where(same, high + 0.5, high)
    step, places = (high - low) / bins, torch.arange(bins + 1)
    return torch.where(places < (bins + 1) // 2, low + step * places, high - step * (bins - places)).to(x.dtype)  # from both ends, like linspace


def _hot(x, edges):
    """[element, bin]"""
    _table(x.shape[0], edges.shape[0])
    x = x.unsqueeze(-1)
    last = torch.arange(edges.shape[0] - 1) == edges.shape[0] - 2
    return (x >= edges[:-1]) & ((x < edges[1:]) | (last & (x == edges[1:])))


def _histogram(x, edges, weight, density):
    """The histogram of points [element, dimension]."""
    _table(x.shape[0], *(one.shape[0] for one in edges))
    sizes = [one.shape[0] - 1 for one in edges]
    kept = (torch.ones(x.shape[0], dtype=x.dtype) if weight is None else weight.reshape(-1)).unsqueeze(-1)
    for i, one in enumerate(edges):
        kept = torch.where(_hot(x[:, i], one).unsqueeze(1), kept.unsqueeze(-1), 0).reshape(x.shape[0], -1)
    made = kept.sum(0).reshape(sizes)
    if density:
        made = made / made.sum()
        for i, one in enumerate(edges):
            made = made / (one[1:] - one[:-1]).reshape([-1 if j == i else 1 for j in range(len(sizes))])
    return made.to(x.dtype)


@body_of(aten.histogram.bin_ct)
def histogram(x, bins=100, *, range=None, weight=None, density=False):
    edges = _edges(x.reshape(-1), bins, range)
    return _histogram(x.reshape(-1, 1), [edges], weight, density), edges


@body_of(aten.histogram.bins_tensor)
def histogram_of_bins(x, bins, *, weight=None, density=False):
    return _histogram(x.reshape(-1, 1), [bins], weight, density), bins.clone()


@body_of(aten._histogramdd_bin_edges.default)
def histogramdd_edges(x, bins, *, range=None, weight=None, density=False):
    points = x.reshape(-1, x.shape[-1])
    return tuple(_edges(points[:, i], one, None if range is None else range[2 * i : 2 * i + 2]) for i, one in enumerate(bins))


@body_of(aten._histogramdd_from_bin_cts.default)
def histogramdd(x, bins, *, range=None, weight=None, density=False):
    return _histogram(x.reshape(-1, x.shape[-1]), histogramdd_edges(x, bins, range=range), weight, density)


@body_of(aten._histogramdd_from_bin_tensors.default)
def histogramdd_of_bins(x, bins, *, weight=None, density=False):
    return _histogram(x.reshape(-1, x.shape[-1]), bins, weight, density)


# Resampling.


def _triangle(x):
    return (1 - x).clamp(min=0)


def _cubic(x):
    """Keys' cubic with a = -1/2."""
    near, far = (1.5 * x - 2.5) * x * x + 1, ((-0.5 * x + 2.5) * x - 4) * x + 2
    return torch.where(x < 1, near, torch.where(x < 2, far, 0))


def _weights(reach, filter_, size, count, align, factor, dtype):
    """[out, in]: weights of a filter that is stretched to one output, up to `reach` of its units; in the type of the values, as in PyTorch's kernels."""
    _table(size, count)
    if align:
        scale = (size - 1) / (count - 1) if count > 1 else 0.0
    else:
        scale = 1 / factor if factor is not None and factor > 0 else size / count
    width = max(scale, 1.0)
    ends = [(scale * (i + 0.5) - reach * width + 0.5, scale * (i + 0.5) + reach * width + 0.5) for i in range(count)]
    taken = torch.tensor([[max(int(first), 0) <= j < min(int(last), size) for j in range(size)] for first, last in ends])
    center = (torch.arange(count, dtype=dtype) + 0.5) * scale
    far = (torch.arange(size, dtype=dtype) - center.unsqueeze(-1) + 0.5).abs() / width
    weights = torch.where(taken, filter_(far), 0)
    return weights / weights.sum(-1, keepdim=True)


def _antialiased(reach, filter_):
    def upsample(x, output_size, align_corners, scales_h=None, scales_w=None):
        tall = _weights(reach, filter_, x.shape[-2], output_size[0], align_corners, scales_h, x.dtype)
        wide = _weights(reach, filter_, x.shape[-1], output_size[1], align_corners, scales_w, x.dtype)
        return tall @ (x @ wide.mT)

    return upsample


body_of(aten._upsample_bilinear2d_aa.default)(_antialiased(1, _triangle))
body_of(aten._upsample_bicubic2d_aa.default)(_antialiased(2, _cubic))


def _fractional_max_pool(x, kernel, output, samples):
    """Windows begin at places that the random numbers determine, different ones for each channel."""
    count = len(kernel)
    lead, sizes = list(x.shape[: x.dim() - count]), x.shape[x.dim() - count :]
    channels, places = math.prod(lead), torch.zeros((), dtype=torch.int64)
    samples = samples.reshape(-1, samples.shape[-1])
    for i, (size, window, out) in enumerate(zip(sizes, kernel, output)):
        sample = samples[:, count - 1 - i if count == 2 else i].unsqueeze(-1)  # the first of PyTorch's two sizes is the width
        steps = torch.arange(out, dtype=samples.dtype)
        apart = (size - window) / (out - 1) if out > 1 else 0.0
        first = ((steps + sample) * apart).to(torch.int64) - (sample * apart).to(torch.int64)
        first = torch.where(torch.arange(out) == out - 1, size - window, first)
        inside = first.unsqueeze(-1) + torch.arange(window)  # [channel, out, window]
        shape = [channels, *(out if j == i else 1 for j in range(count)), *(window if j == i else 1 for j in range(count))]
        places = places * size + inside.reshape(shape)
    flat = places.reshape(channels, -1)
    seen = x.reshape(channels, -1).gather(1, flat).reshape(channels, math.prod(output), -1)
    best = torch.argmax(seen, -1, keepdim=True)
    at = flat.reshape(seen.shape).gather(-1, best)
    return seen.gather(-1, best).reshape(*lead, *output), at.reshape(*lead, *output)


body_of(aten.fractional_max_pool2d.default, aten.fractional_max_pool3d.default)(_fractional_max_pool)


def _at(x, size, padding, align):
    """Converts coordinates in [-1, 1] to positions in the input."""
    x = (x + 1) / 2 * (size - 1) if align else ((x + 1) * size - 1) / 2
    if padding == 2:
        low, span = (0.0, size - 1.0) if align else (-0.5, float(size))
        if span == 0:
            return torch.zeros_like(x)
        x = (x - low).abs()
        rest, turns = torch.fmod(x, span), (x / span).floor()
        x = torch.where(torch.fmod(turns, 2) == 0, rest + low, span - rest + low)
    return x.clamp(0, size - 1) if padding else x


@body_of(aten.grid_sampler_3d.default)
def grid_sampler_3d(x, grid, interpolation_mode, padding_mode, align_corners):
    batch, channels, *sizes = x.shape
    places = [_at(grid[..., 2 - i], size, padding_mode, align_corners) for i, size in enumerate(sizes)]
    table = x.movedim(1, -1).reshape(-1, channels)  # one row per position of each batch entry
    lows = [one.round() if interpolation_mode == 1 else one.floor() for one in places]
    parts = []
    for corner in itertools.product((0, 1), repeat=3) if interpolation_mode == 0 else [(0, 0, 0)]:
        at, weight, known = torch.arange(batch).reshape(-1, 1, 1, 1), 1, True
        for low, place, size, far in zip(lows, places, sizes, corner):
            one = low + far
            known = known & (one >= 0) & (one <= size - 1)
            at = at * size + one.clamp(0, size - 1).to(torch.int64)
            weight = weight * (place - low if far else low + 1 - place)
        taken = table.index_select(0, at.reshape(-1)).reshape(*grid.shape[:4], channels)
        taken = torch.where(known.unsqueeze(-1), taken, 0)
        parts.append(taken * weight.unsqueeze(-1) if interpolation_mode == 0 else taken)
    return sum(parts[1:], parts[0]).movedim(-1, 1)


@body_of(aten.fft_fftfreq.default)
def fftfreq(n, d=1.0, *, dtype=None, **_):
    numbers = torch.arange(n, dtype=dtype or torch.get_default_dtype())
    return torch.where(numbers > (n - 1) // 2, numbers - n, numbers) * (1.0 / (n * d))


@body_of(aten.fft_rfftfreq.default)
def rfftfreq(n, d=1.0, *, dtype=None, **_):
    return torch.arange(n // 2 + 1, dtype=dtype or torch.get_default_dtype()) * (1.0 / (n * d))


def chunked_losses():
    """torch.nn's chunked linear cross-entropy, where this PyTorch has it."""
    try:
        from torch.nn.modules import linear_cross_entropy  # noqa: F401
    except ImportError:
        return
    space, loss = torch.ops.torch_nn, torch.nn.functional.cross_entropy

    @body_of(space._linear_cross_entropy_batch_chunked.default)
    def reduced(x, linear, target, bias, weight, reduction, ignore_index, label_smoothing, *rest):
        if any(rest[-3:]):
            raise NotImplementedError("gradients with it")
        made = loss(torch.nn.functional.linear(x, linear, bias), target, weight, reduction=reduction, ignore_index=ignore_index, label_smoothing=label_smoothing)
        return made, x.new_zeros(0), linear.new_zeros(0), linear.new_zeros(0)

    @body_of(space._linear_cross_entropy_batch_chunked_no_reduction.default)
    def each(x, linear, target, bias, weight, ignore_index, *rest):
        return loss(torch.nn.functional.linear(x, linear, bias), target, weight, reduction="none", ignore_index=ignore_index)


chunked_losses()
