"""Operators whose results have sizes, or a rank, that depend on values, written for known values: parts of a graph for given values.

    GIVEN[overload](made, *args, **kwargs)      `made`: the operator's result, for its sizes; None: not for these values
"""
import torch

aten = torch.ops.aten


def _nonzero(made, x):
    return torch.nonzero_static(x, size=made.shape[0])


def _masked_select(made, x, mask):
    x, mask = torch.broadcast_tensors(x, mask)
    return x.reshape(-1).index_select(0, torch.nonzero_static(mask.reshape(-1), size=made.shape[0]).reshape(-1))


def _runs(made, starts, order, shape):
    """(the place of each run's first element, the run of every element, the lengths) of elements in order; `starts`: where runs begin."""
    first = torch.nonzero_static(starts, size=made[0].shape[0]).reshape(-1)
    number = starts.to(torch.int64).cumsum(0) - 1
    if order is not None:
        number = torch.zeros_like(number).scatter(0, order, number)
    ends = torch.cat([first[1:], torch.full((1,), starts.shape[0])])
    return first, number.reshape(shape), ends - first


def _begins(x):
    """The rows that differ from the row before."""
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


def _repeat_interleave(made, repeats, *, output_size=None):
    ends, places = repeats.to(torch.int64).cumsum(0), torch.arange(made.shape[0])
    return (ends.unsqueeze(0) <= places.unsqueeze(1)).sum(1).to(made.dtype)


# Least squares of full rank: Q R of the matrix, or of its transpose if it is wide.


def _full_rank(a, *tolerances):
    """The rank, if every matrix has the same; else None."""
    with torch.utils._python_dispatch._disable_current_modes():
        ranks = torch.linalg.matrix_rank(a, **dict(zip(("atol", "rtol"), tolerances))).unique()
        return int(ranks) if ranks.numel() == 1 else None


def _solution(a, b):
    rows, columns = a.shape[-2:]
    if rows >= columns:
        q, r = torch.linalg.qr(a)
        return torch.linalg.solve_triangular(r, q.mH @ b, upper=True)
    q, r = torch.linalg.qr(a.mH)
    return q @ torch.linalg.solve_triangular(r.mH, b, upper=False)


def _lstsq(made, a, b, rcond=None, *, driver=None):
    solution, residuals, rank, values = made
    if values.numel() or _full_rank(a) != min(a.shape[-2:]):
        return None
    vector = b.dim() == 1 or (a.dim() - 1 == b.dim() and b.shape == a.shape[:-1])
    right = b.unsqueeze(-1) if vector else b
    found = _solution(a, right)
    rest = (right - a @ found).abs().square().sum(-2) if residuals.numel() else torch.zeros(residuals.shape, dtype=residuals.dtype)
    ranks = torch.full(rank.shape, min(a.shape[-2:]), dtype=rank.dtype)
    return found.squeeze(-1) if vector else found, rest, ranks, torch.zeros(values.shape, dtype=values.dtype)


def _pinv(made, a, *, atol=None, rtol=None, hermitian=False):
    if not made.numel():
        return torch.zeros(made.shape, dtype=made.dtype)
    if hermitian:  # only the lower triangle is read, with a real diagonal
        below, along = a.tril(-1), torch.diag_embed(torch.diagonal(a, 0, -2, -1))
        a = below + below.mH + ((along + along.conj()) / 2 if a.is_complex() else along)
    rank = _full_rank(a, atol, rtol)
    if rank == 0:
        return a.mH * 0
    return _solution(a, torch.eye(a.shape[-2], dtype=a.dtype).expand(*a.shape[:-1], a.shape[-2])) if rank == min(a.shape[-2:]) else None


GIVEN = {
    aten.nonzero.default: _nonzero, aten.masked_select.default: _masked_select, aten._unique2.default: _unique, aten.unique_dim.default: _unique_dim,
    aten.unique_consecutive.default: _unique_consecutive, aten.unique_dim_consecutive.default: lambda made, x, dim, *flags: _unique_consecutive(made, x, dim=dim),
    aten.bincount.default: _bincount, aten.repeat_interleave.Tensor: _repeat_interleave, aten.linalg_lstsq.default: _lstsq, aten.linalg_pinv.atol_rtol_tensor: _pinv,
}  # fmt: skip
