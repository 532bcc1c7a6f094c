"""Operators whose results have sizes that depend on values, written for results of a known size: what a graph of given values is made of.

    SIZED[overload](made, *args, **kwargs)      `made`: what the operator gave, for its sizes
"""
import torch

aten = torch.ops.aten


def _nonzero(made, x):
    return torch.nonzero_static(x, size=made.shape[0])


def _masked_select(made, x, mask):
    x, mask = torch.broadcast_tensors(x, mask)
    return x.reshape(-1).index_select(0, torch.nonzero_static(mask.reshape(-1), size=made.shape[0]).reshape(-1))


def _runs(made, starts, order, shape):
    """(the place of each run's first element, the run of every element, the lengths) of elements in order; `starts`: which begin one."""
    first = torch.nonzero_static(starts, size=made[0].shape[0]).reshape(-1)
    number = starts.to(torch.int64).cumsum(0) - 1
    if order is not None:
        number = torch.zeros_like(number).scatter(0, order, number)
    ends = torch.cat([first[1:], torch.full((1,), starts.shape[0])])
    return first, number.reshape(shape), ends - first


def _begins(x):
    """Which of the rows differ from the one before."""
    if not x.shape[0]:
        return torch.zeros(0, dtype=torch.bool)
    rows = x.reshape(x.shape[0], -1)
    return torch.cat([torch.ones(1, dtype=torch.bool), (rows[1:] != rows[:-1]).any(-1)])


def _of_rows(made, rows, order, dim, shape):
    first, number, counts = _runs(made, _begins(rows), order, shape)
    values = rows.index_select(0, first)
    values = values if dim is None else values.movedim(0, dim)
    return tuple(one if known.numel() or not one.numel() else torch.zeros(known.shape, dtype=known.dtype) for one, known in zip((values, number, counts), made))


def _unique(made, x, sorted=True, return_inverse=False, return_counts=False):
    values, order = torch.sort(x.reshape(-1), stable=True)
    return _of_rows(made, values, order, None, x.shape)


def _unique_dim(made, x, dim, sorted=True, return_inverse=False, return_counts=False):
    rows = x.movedim(dim, 0)
    flat, order = rows.reshape(rows.shape[0], -1), torch.arange(rows.shape[0])
    for column in reversed(range(flat.shape[1])):
        again = torch.sort(flat.index_select(0, order)[:, column], stable=True)[1]
        order = order.index_select(0, again)
    return _of_rows(made, rows.index_select(0, order), order, dim, (rows.shape[0],))


def _unique_consecutive(made, x, return_inverse=False, return_counts=False, dim=None):
    rows = x.reshape(-1) if dim is None else x.movedim(dim, 0)
    return _of_rows(made, rows, None, dim, x.shape if dim is None else (rows.shape[0],))


def _bincount(made, x, weights=None, minlength=0):
    hot = x.unsqueeze(-1) == torch.arange(made.shape[0])
    return hot.sum(0) if weights is None else (hot * weights.to(made.dtype).unsqueeze(-1)).sum(0)


SIZED = {
    aten.nonzero.default: _nonzero, aten.masked_select.default: _masked_select, aten._unique2.default: _unique, aten.unique_dim.default: _unique_dim,
    aten.unique_consecutive.default: _unique_consecutive, aten.unique_dim_consecutive.default: lambda made, x, dim, *flags: _unique_consecutive(made, x, dim=dim),
    aten.bincount.default: _bincount,
}  # fmt: skip
