"""Factorizations of small matrices, step by step as LAPACK defines them (pivots by the largest, Householder vectors with its signs): their
operators have no decomposition in PyTorch. A step is a few operators, so large matrices are left out.
"""
import torch

from .own_decompositions import body_of

aten = torch.ops.aten
LARGEST = 12


def _small(*matrices):
    if any(max(one.shape[-2:], default=0) > LARGEST or one.numel() == 0 for one in matrices):
        raise NotImplementedError("a large or empty matrix")


def _cell(x, row, column):
    return x[..., row : row + 1, column : column + 1]


def _sizes(x):
    """The magnitude by which pivots are chosen."""
    if not x.is_complex():
        return x.abs()
    parts = torch.view_as_real(x).abs()
    return parts.select(-1, 0) + parts.select(-1, 1)


def _swapped(x, first, second):
    """x with rows `first` (a number) and `second` (a tensor) exchanged, along its dimension before the last."""
    rows = torch.arange(x.shape[-2])
    order = torch.where(rows == first, second.unsqueeze(-1), torch.where(rows == second.unsqueeze(-1), first, rows))
    return x.gather(-2, order.unsqueeze(-1).expand(x.shape))


def _lu(a):
    """(L below and U in one matrix, pivots counted from 1)."""
    rows, columns = a.shape[-2:]
    if min(rows, columns) == 0:
        return a, torch.zeros(*a.shape[:-2], 0, dtype=torch.int32)
    _small(a)
    pivots = []
    for k in range(min(rows, columns)):
        at = _sizes(a[..., k:, k]).argmax(-1) + k
        pivots.append(at + 1)
        a = _swapped(a, k, at)
        pivot = _cell(a, k, k)
        factor = a[..., k + 1 :, k : k + 1] * torch.where(pivot == 0, torch.ones_like(pivot), pivot).reciprocal()  # a zero stands above zeros
        rest = a[..., k + 1 :, k + 1 :] - factor * a[..., k : k + 1, k + 1 :]
        below = torch.cat([a[..., k + 1 :, :k], factor, rest], -1)
        a = torch.cat([a[..., : k + 1, :], below], -2)
    return a, torch.stack(pivots, -1).to(torch.int32)


def _first(failed):
    """The index of the first failure along the last dimension, counted from 1; 0: none."""
    before = (failed.to(torch.int32).cumsum(-1) == 0).sum(-1)
    return torch.where(before == failed.shape[-1], 0, before + 1).to(torch.int32)


def _info(lu):
    """The first pivot that is zero."""
    return _first(lu.diagonal(0, -2, -1) == 0)


def _permuted(b, pivots, back=False):
    places = range(pivots.shape[-1])
    for k in reversed(places) if back else places:
        b = _swapped(b, k, pivots[..., k].to(torch.int64) - 1)
    return b


def _solved(a, b, upper, unit):
    """The solution of a triangular system."""
    _small(a)
    size, rows = a.shape[-1], {}
    for i in reversed(range(size)) if upper else range(size):
        known = sorted(rows)
        value = b[..., i : i + 1, :]
        if known:
            value = value - (a[..., i : i + 1, known[0] : known[-1] + 1] @ torch.cat([rows[j] for j in known], -2))
        rows[i] = value if unit else value * _cell(a, i, i).reciprocal()  # kernels that invert the diagonal once do so, too
    return torch.cat([rows[i] for i in range(size)], -2)


def _spread(a, b):
    lead = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return a.expand(*lead, *a.shape[-2:]), b.expand(*lead, *b.shape[-2:])


def _lu_solved(lu, pivots, b):
    lu, b = _spread(lu, b)
    b = _permuted(b, pivots.expand(*b.shape[:-2], pivots.shape[-1]))
    return _solved(lu, _solved(lu, b, False, True), True, False)


@body_of(aten.linalg_lu_factor_ex.default)
def lu_factor_ex(a, *, pivot=True, check_errors=False):
    if not pivot:
        raise NotImplementedError("without pivots")
    both, pivots = _lu(a)
    return both, pivots, _info(both)


def _unpacked(lu):
    rows, columns = lu.shape[-2:]
    size = min(rows, columns)
    return lu[..., :size].tril(-1) + torch.eye(rows, size, dtype=lu.dtype), lu[..., :size, :].triu()


def _permutation(pivots, rows, dtype):
    eye = torch.eye(rows, dtype=dtype).expand(*pivots.shape[:-1], rows, rows)
    return _permuted(eye, pivots).mT


@body_of(aten.linalg_lu.default)
def lu(a, *, pivot=True):
    if not pivot:
        raise NotImplementedError("without pivots")
    both, pivots = _lu(a)
    return _permutation(pivots, a.shape[-2], a.dtype), *_unpacked(both)


@body_of(aten.lu_unpack.default)
def lu_unpack(lu, pivots, unpack_data=True, unpack_pivots=True):
    _small(lu)
    if not (unpack_data and unpack_pivots):
        raise NotImplementedError("a part alone")
    return _permutation(pivots, lu.shape[-2], lu.dtype), *_unpacked(lu)


@body_of(aten._linalg_solve_ex.default)
def solve_ex(a, b, *, left=True, check_errors=False):
    vector = b.dim() == 1 or (a.dim() - 1 == b.dim() and b.shape == a.shape[:-1])
    right = b.unsqueeze(-1) if vector else b
    if not left:
        a, right = a.mT, right.mT
    both, pivots = _lu(a)
    made = _lu_solved(both, pivots, right)
    made = made if left else made.mT
    return made.squeeze(-1) if vector else made, both, pivots, _info(both)


@body_of(aten.linalg_lu_solve.default)
def lu_solve(lu, pivots, b, *, left=True, adjoint=False):
    if not left:
        return lu_solve(lu, pivots, b.mH, adjoint=not adjoint).mH
    if not adjoint:
        return _lu_solved(lu, pivots, b)
    lu, b = _spread(lu, b)
    made = _solved(lu.mH, _solved(lu.mH, b, False, False), True, True)
    return _permuted(made, pivots.expand(*b.shape[:-2], pivots.shape[-1]), back=True)


@body_of(aten.linalg_inv_ex.default)
def inv_ex(a, *, check_errors=False):
    if a.shape[-1] == 0:
        return a.clone(), _info(a)
    both, pivots = _lu(a)
    return _lu_solved(both, pivots, torch.eye(a.shape[-1], dtype=a.dtype).expand(a.shape)), _info(both)


def _parity(pivots):
    """1 for an even number of exchanges, else -1."""
    exchanged = (pivots != torch.arange(1, pivots.shape[-1] + 1)).sum(-1)
    return 1 - 2 * (exchanged % 2)


def _as_read(a):
    """The matrix that PyTorch factors for a determinant: its gradient relies on contiguous rows being read as columns."""
    return a.mT if a.is_contiguous() else a


@body_of(aten._linalg_det.default)
def det(a):
    both, pivots = _lu(_as_read(a))
    return both.diagonal(0, -2, -1).prod(-1) * _parity(pivots), both, pivots


@body_of(aten._linalg_slogdet.default)
def slogdet(a):
    both, pivots = _lu(_as_read(a))
    along = both.diagonal(0, -2, -1)
    return torch.sgn(along).prod(-1) * _parity(pivots), along.abs().log().sum(-1), both, pivots


@body_of(aten.linalg_solve_triangular.default)
def solve_triangular(a, b, *, upper, left=True, unitriangular=False):
    a, b = _spread(a, b) if left else _spread(a.mT, b.mT)
    made = _solved(a, b, upper == left, unitriangular)
    return made if left else made.mT


@body_of(aten.triangular_solve.default)
def triangular_solve(b, a, upper=True, transpose=False, unitriangular=False):
    wide, right = _spread(a, b)
    made = _solved(wide.mT if transpose else wide, right, upper != transpose, unitriangular)
    return made, wide.clone()


def _cholesky(a):
    """The lower factor, from the lower triangle."""
    _small(a)
    size, columns = a.shape[-1], []
    for k in range(size):
        column = a[..., k:, k : k + 1]
        if columns:
            before = torch.cat([one[..., k:, :] for one in columns], -1)
            column = column - before @ before[..., :1, :].mH
        root = (column[..., :1, :].real if a.is_complex() else column[..., :1, :]).sqrt()
        column = torch.cat([root.to(a.dtype), column[..., 1:, :] / root], -2)
        above = torch.zeros(*a.shape[:-2], k, 1, dtype=a.dtype)
        columns.append(torch.cat([above, column], -2))
    return torch.cat(columns, -1)


@body_of(aten.linalg_cholesky_ex.default)
def cholesky_ex(a, *, upper=False, check_errors=False):
    if a.numel() == 0:
        return a.clone(), _info(a)
    factor = _cholesky(a.mH if upper else a)
    roots = factor.diagonal(0, -2, -1)
    return factor.mH if upper else factor, _first(~((roots.real if a.is_complex() else roots) > 0))


@body_of(aten.cholesky.default)
def cholesky(a, upper=False):
    return _cholesky(a.mH).mH if upper else _cholesky(a)


@body_of(aten.cholesky_solve.default)
def cholesky_solve(b, factor, upper=False):
    lower, b = _spread(factor.mH if upper else factor, b)
    return _solved(lower.mH, _solved(lower, b, False, False), True, False)


@body_of(aten.cholesky_inverse.default)
def cholesky_inverse(factor, upper=False):
    return cholesky_solve(torch.eye(factor.shape[-1], dtype=factor.dtype).expand(factor.shape), factor, upper)


def _householder(a):
    """(vectors below R, their factors)."""
    _small(a)
    rows, columns = a.shape[-2:]
    factors = []
    for k in range(min(rows, columns)):
        alpha, below = _cell(a, k, k), a[..., k + 1 :, k : k + 1]
        if k + 1 == rows and not a.is_complex():
            factors.append(torch.zeros_like(alpha))
            continue
        length = (_squared(alpha) + _squared(below).sum(-2, keepdim=True)).sqrt()
        beta = -torch.copysign(length, torch.real(alpha))
        none = (below == 0).all(-2, keepdim=True)
        none = none & (torch.imag(alpha) == 0) if a.is_complex() else none
        tau = torch.where(none, 0, (beta - alpha) / torch.where(none, 1, beta))
        vector = torch.where(none, 0, below / torch.where(none, 1, alpha - beta))
        whole = torch.cat([torch.ones_like(alpha), vector], -2)
        right = a[..., k:, k + 1 :]
        right = right - tau.conj() * (whole @ (whole.mH @ right))
        left = torch.cat([torch.where(none, alpha, beta.to(a.dtype)), vector], -2)
        a = torch.cat([a[..., :k, :], torch.cat([a[..., k:, :k], left, right], -1)], -2)
        factors.append(tau)
    return a, torch.cat(factors, -1).squeeze(-2)


def _squared(x):
    return (x * x.conj()).real if x.is_complex() else x * x


def _product(a, tau, columns):
    """The first columns of the product of the reflections."""
    rows = a.shape[-2]
    q = torch.eye(rows, columns, dtype=a.dtype).expand(*a.shape[:-2], rows, columns)
    for k in reversed(range(tau.shape[-1])):
        one = torch.ones_like(_cell(a, k, k))
        vector = torch.cat([torch.zeros(*a.shape[:-2], k, 1, dtype=a.dtype), one, a[..., k + 1 :, k : k + 1]], -2)
        q = q - tau[..., k : k + 1].unsqueeze(-1) * (vector @ (vector.mH @ q))
    return q


@body_of(aten.geqrf.default)
def geqrf(a):
    return _householder(a)


@body_of(aten.linalg_householder_product.default)
def householder_product(a, tau):
    _small(a)
    return _product(a, tau, a.shape[-1])


@body_of(aten.ormqr.default)
def ormqr(a, tau, other, left=True, transpose=False):
    _small(a)
    q = _product(a, tau, a.shape[-2])
    q = q.mH if transpose else q
    return q @ other if left else other @ q


_TERMS, _HALVINGS = 18, 24


@body_of(aten.linalg_matrix_exp.default)
def matrix_exp(a):
    """The Taylor series of a / 2^s, squared s times; s brings the largest sum of a column below 1."""
    _small(a)
    size = a.abs().sum(-2).amax(-1).reshape(*a.shape[:-2], 1, 1)
    eye, times = torch.eye(a.shape[-1], dtype=a.dtype), []
    for _ in range(_HALVINGS):
        times.append(size >= 1)
        a, size = torch.where(times[-1], a / 2, a), torch.where(times[-1], size / 2, size)
    made = eye + a / _TERMS
    for k in reversed(range(1, _TERMS)):
        made = eye + (a @ made) / k
    for one in times:
        made = torch.where(one, made @ made, made)
    return made


@body_of(aten.linalg_qr.default)
def qr(a, mode="reduced"):
    both, tau = _householder(a)
    rows, columns = a.shape[-2:]
    size = rows if mode == "complete" else min(rows, columns)
    return torch.empty(0, dtype=a.dtype) if mode == "r" else _product(both, tau, size), both[..., :size, :].triu()
