"""Factors of a matrix that are unique only up to signs, phases, an order or a basis, judged by the conditions that they must satisfy, as in LAPACK's
own tests:

    ||A - Q R||, ||A V - V diag(L)||, ||A - U diag(S) V^H|| <= 30 n eps ||A||,  ||Q^H Q - 1|| <= 30 n eps

with Q, U and V of orthonormal columns, R upper triangular, the singular values falling, Hermitian eigenvalues rising; the eigenvectors of a general
matrix have length 1, each eigenvalue l makes A - l nearly singular, and their sum is the trace.

    found = Factors.of(results, calls)            calls: (operator, its arguments, its results) of a run
    found.settled(results, due)                   the results, with `due` in place of factors that satisfy this
"""
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

aten = torch.ops.aten
_FACTOR = 30.0  # the threshold of LAPACK's tests


class Watched(TorchDispatchMode):
    """Keeps the calls of operators that make factors."""

    def __init__(self):
        super().__init__()
        self.calls, self.kept = [], []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        self.kept.append(made)  # kept alive, so that another tensor does not get its id
        if function in SATISFIED:
            self.calls.append((function, args, kwargs or {}, [made] if isinstance(made, torch.Tensor) else list(made)))
        return made


class Factors:
    def __init__(self, groups):
        self.groups = groups

    @classmethod
    def of(cls, results, calls):
        """None where no result is a factor."""
        groups = []
        for function, args, kwargs, made in calls:
            parts = {}
            for number, result in enumerate(results):
                part = next((i for i, one in enumerate(made) if one is result), None)
                if part is not None:
                    parts[part] = number
            if parts:
                groups.append((function, args, kwargs, made, parts))
        return cls(groups) if groups else None

    def settled(self, results, due):
        results = list(results)
        for function, args, kwargs, made, parts in self.groups:
            given = {part: results[number] for part, number in parts.items()}
            fits = all(one.shape == made[part].shape and one.dtype == made[part].dtype for part, one in given.items())
            if fits and made[0].numel() and _holds(function, args, kwargs, made, given):
                for number in parts.values():
                    results[number] = due[number]
        return results


def _holds(function, args, kwargs, made, given):
    eps = torch.finfo(args[0].dtype).eps
    whole = [_wide(given.get(part, one)) for part, one in enumerate(made)]
    if any(not bool(torch.isfinite(torch.view_as_real(one) if one.is_complex() else one).all()) for one in whole):
        return False
    return SATISFIED[function](_wide(args[0]), whole, set(given), _FACTOR * max(args[0].shape[-2:]) * eps, *args[1:], **kwargs)


def _wide(x):
    return x.to(torch.complex128 if x.is_complex() else torch.float64)


def _small(difference, size, most):
    """Whether a difference is small, in every matrix of a batch."""
    return bool((torch.linalg.matrix_norm(difference) <= most * size).all())


def _size(x):
    return torch.linalg.matrix_norm(x)


def _orthonormal(q, most):
    return _small(q.mH @ q - torch.eye(q.shape[-1], dtype=q.dtype), 1.0, most)


def _qr(a, made, given, most, mode="reduced"):
    q, r = made
    if mode == "r":
        return _small(a.mH @ a - r.mH @ r, _size(a) ** 2, most) and bool((r.tril(-1) == 0).all())
    return _orthonormal(q, most) and bool((r.tril(-1) == 0).all()) and _small(a - q @ r, _size(a), most)


def _eigh(a, made, given, most, UPLO="L", compute_v=True):
    values, vectors = made
    lower = a.tril(-1) if UPLO.upper() == "L" else a.triu(1)
    a = lower + lower.mH + torch.diag_embed(a.diagonal(0, -2, -1).real if a.is_complex() else a.diagonal(0, -2, -1)).to(a.dtype)
    true = torch.linalg.eigvalsh(a)
    good = bool(((values - true).abs() <= most * _size(a).unsqueeze(-1)).all()) and bool((values.diff(dim=-1) >= 0).all())
    return good and (1 not in given or (_orthonormal(vectors, most) and _small(a @ vectors - vectors * values.unsqueeze(-2), _size(a), most)))


def _svd(a, made, given, most, full_matrices=False, compute_uv=True, driver=None):
    u, values, vh = made
    count = min(a.shape[-2:])
    good = bool(((values - torch.linalg.svdvals(a)).abs() <= most * _size(a).unsqueeze(-1)).all()) and bool((values.diff(dim=-1) <= 0).all()) and bool((values >= 0).all())
    if not good or not given & {0, 2}:
        return good
    if not {0, 2} <= given:
        return False  # only one side: its signs depend on the other's
    whole = (u[..., :count] * values.unsqueeze(-2).to(u.dtype)) @ vh[..., :count, :]
    return _orthonormal(u, most) and _orthonormal(vh.mH, most) and _small(a - whole, _size(a), most)


def _eig(a, made, given, most, *, compute_v=True):
    a, values = a.to(torch.complex128), made[0]
    size, eye = _size(a), torch.eye(a.shape[-1], dtype=torch.complex128)
    least = torch.linalg.svdvals(a.unsqueeze(-3) - values[..., None, None] * eye)[..., -1]
    trace = (values.sum(-1) - a.diagonal(0, -2, -1).sum(-1)).abs()
    good = bool((least <= most * size.unsqueeze(-1)).all()) and bool((trace <= most * a.shape[-1] * size).all())
    if not good or 1 not in given:
        return good
    vectors = made[1]
    lengths = torch.linalg.vector_norm(vectors, dim=-2)
    return bool(((lengths - 1).abs() <= most).all()) and _small(a @ vectors - vectors * values.unsqueeze(-2), size * _size(vectors), most)


SATISFIED = {
    aten.linalg_qr.default: _qr, aten._linalg_eigh.default: _eigh, aten._linalg_svd.default: _svd, aten.linalg_eig.default: _eig,
    aten.linalg_eigvals.default: _eig, aten._linalg_eigvals.default: _eig,
}  # fmt: skip


def watched(function, tensors):
    """(the results of a function as a flat list, the calls that made factors)."""
    watch = Watched()
    with torch.no_grad(), watch:
        made = function(*tensors)
    return [one for one in tree_leaves(made) if one is not None], watch.calls
