"""Operators without a row: their decompositions (PyTorch's, and ours) give what PyTorch gives, on both engines."""
import pytest
import torch
from torch.utils._pytree import tree_leaves

from assay import torch_graph, torch_reference
from assay.elements import Place
from assay.torch import aten_program, decompositions, own_decompositions
from assay.torch.aten_program import Composer, NoProgram
from assay.torch.runner import Runner

G = torch.Generator().manual_seed(3)


def normal(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=G, dtype=dtype)


def whole(high, *shape):
    return torch.randint(0, high, shape, generator=G)


SQUARE = normal(4, 4) + 3 * torch.eye(4)
POSITIVE = SQUARE @ SQUARE.mT
A = torch.ops.aten
CASES = {
    "diagonal": (lambda x: torch.diagonal(x, 1, 2, 0), normal(3, 2, 5)), "diagonal below": (lambda x: torch.diagonal(x, -2), normal(5, 3)),
    "unfold": (lambda x: x.unfold(1, 3, 2), normal(2, 8)), "as_strided": (lambda x: torch.as_strided(x, (2, 3), (1, 2), 1), normal(4, 3)),
    "as_strided of a turned tensor": (lambda x: torch.as_strided(x.t(), (2, 3), (1, 2), 1), normal(4, 3)), "trace": (torch.trace, normal(3, 5)),
    "diagonal_scatter": (lambda x, y: torch.diagonal_scatter(x, y, 1), normal(4, 4), normal(3)), "as_strided_scatter": (lambda x, y: torch.as_strided_scatter(x, y, (2, 2), (1, 2)), normal(3, 3), normal(2, 2)),
    "slice_scatter": (lambda x, y: torch.slice_scatter(x, y, 1, 1, 5, 2), normal(2, 6), normal(2, 2)), "select_scatter": (lambda x, y: torch.select_scatter(x, y, 1, 2), normal(2, 6), normal(2)),
    "two indices": (lambda x, i, j: x[i, j], normal(4, 5, 2), whole(4, 3), whole(5, 3)), "indices apart": (lambda x, i, j: x[i, :, j], normal(4, 5, 2), whole(4, 3), whole(2, 3)),
    "indices that broadcast": (lambda x, i, j: x[:, i, j], normal(2, 4, 5), whole(4, 3, 1), whole(5, 2)), "indices from behind": (lambda x, i: x[i - 4], normal(4, 2), whole(4, 6)),
    "index_put": (lambda x, i, y: A.index_put(x, [None, i], y), normal(2, 5), torch.tensor([3, 0]), normal(2, 2)), "index_put that adds": (lambda x, i, y: x.index_put((i, i), y, True), normal(5, 5), whole(5, 4), normal(4)),
    "a mask": (lambda x: x.index_put((x > 0,), torch.tensor(7.0)), normal(3, 4)), "put": (lambda x, i, y: x.put(i, y, True), normal(3, 4), whole(12, 5), normal(5)),
    "index_add": (lambda x, i, y: x.index_add(1, i, y, alpha=0.5), normal(2, 4), whole(4, 3), normal(2, 3)), "index_copy": (lambda x, i, y: x.index_copy(1, i, y), normal(2, 4), torch.tensor([2, 0]), normal(2, 2)),
    "index_reduce": (lambda x, i, y: x.index_reduce(0, i, y, "amax", include_self=False), normal(4, 2), whole(4, 3), normal(3, 2)), "masked_scatter": (lambda x, y: x.masked_scatter(x > 0, y), normal(3, 4), normal(12)),
    "searchsorted": (lambda x, y: torch.searchsorted(x.sort(-1).values, y, right=True), normal(2, 6), normal(2, 3)), "isin": (torch.isin, whole(5, 6), whole(5, 2)),
    "median": (lambda x: torch.median(x, 1), normal(3, 6)), "median of all": (torch.median, normal(3, 5)), "median with a NaN": (lambda x: torch.median(torch.where(x > 1, float("nan"), x), 1)[0], normal(4, 6)),
    "nanmedian": (lambda x: torch.nanmedian(torch.where(x > 1, float("nan"), x), 1)[0], normal(4, 6)), "mode": (lambda x: torch.mode(x, 1), whole(3, 4, 7)),
    "logcumsumexp": (lambda x: torch.logcumsumexp(x, 1), normal(3, 6)), "logcumsumexp of many": (lambda x: torch.logcumsumexp(x, 0), normal(40, 2)), "round to decimals": (lambda x: torch.round(x * 90, decimals=2), normal(9)),
    "round to tens": (lambda x: torch.round(x * 900, decimals=-1), normal(9)), "histc": (lambda x: torch.histc(x, 5, -1, 1), normal(30)), "histc by itself": (lambda x: torch.histc(x, 4), normal(30)),
    "nonzero_static": (lambda x: torch.nonzero_static(x > 0.3, size=8), normal(3, 4)), "gcd": (torch.gcd, whole(90, 5), whole(90, 5)), "lcm": (torch.lcm, whole(20, 5), whole(20, 5)),
    "without dimensions": (lambda x: (x.amax(0), x.argmax(0), x.logsumexp(0), x.sum(0), x.all(0)), torch.tensor(1.5)),
    "rrelu in evaluation": (lambda x: A.rrelu_with_noise_functional(x, x * 0, 0.1, 0.3, False)[0], normal(6)), "addbmm": (lambda x, a, b: torch.addbmm(x, a, b, beta=0.5, alpha=2), normal(2, 4), normal(3, 2, 5), normal(3, 5, 4)),
    **{f"cdist {p}": (lambda x, y, p=p: torch.cdist(x, y, p), normal(2, 3), normal(4, 3)) for p in (0.0, 1.0, 2.0, 3.0, float("inf"))}, "pdist": (torch.pdist, normal(4, 3)), "bilinear": (torch.nn.functional.bilinear, normal(3, 2), normal(3, 4), normal(5, 2, 4)),
    "adaptive_max_pool": (lambda x: torch.nn.functional.adaptive_max_pool2d(x, (3, 2), return_indices=True), normal(2, 5, 7)), "adaptive_avg_pool": (lambda x: torch.nn.functional.adaptive_avg_pool2d(x, (3, 2)), normal(1, 2, 5, 7)),
    "adaptive_avg_pool3d": (lambda x: torch.nn.functional.adaptive_avg_pool3d(x, (2, 3, 2)), normal(1, 2, 5, 4, 3)), "adaptive_max_pool3d": (lambda x: torch.nn.functional.adaptive_max_pool3d(x, (2, 3, 2)), normal(1, 2, 5, 4, 3)),
    "circular padding": (lambda x: torch.nn.functional.pad(x, (2, 1), mode="circular"), normal(1, 2, 5)), "bilinear upsampling": (lambda x: torch.nn.functional.interpolate(x, (7, 5), mode="bilinear"), normal(1, 2, 4, 3)),
    "covariance": (torch.cov, normal(3, 6)), "inverse": (torch.linalg.inv, SQUARE), "solve": (torch.linalg.solve, SQUARE, normal(4, 2)), "solve a vector": (torch.linalg.solve, SQUARE, normal(4)),
    "solve from the right": (lambda a, b: torch.linalg.solve(a, b, left=False), SQUARE, normal(2, 4)), "det": (torch.linalg.det, normal(3, 4, 4)), "slogdet": (torch.linalg.slogdet, normal(4, 4)), "lu": (torch.linalg.lu, normal(4, 3)),
    "lu_factor and lu_solve": (lambda a, b: torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b), SQUARE, normal(4, 2)), "lu_unpack": (lambda a: torch.lu_unpack(*torch.linalg.lu_factor(a)), normal(4, 4)),
    "solve_triangular": (lambda a, b: torch.linalg.solve_triangular(a, b, upper=True), SQUARE, normal(4, 2)), "solve_triangular from the right": (lambda a, b: torch.linalg.solve_triangular(a, b, upper=True, left=False), SQUARE, normal(2, 4)),
    "triangular_solve": (lambda a, b: torch.triangular_solve(b, a, False, True)[0], SQUARE, normal(4, 2)), "cholesky": (torch.linalg.cholesky, POSITIVE), "cholesky above": (lambda a: torch.linalg.cholesky(a, upper=True), POSITIVE),
    "cholesky_solve": (lambda a, b: torch.cholesky_solve(b, torch.linalg.cholesky(a)), POSITIVE, normal(4, 2)), "cholesky_inverse": (lambda a: torch.cholesky_inverse(torch.linalg.cholesky(a)), POSITIVE),
    "qr": (torch.linalg.qr, normal(5, 3)), "qr of a wide matrix": (lambda a: torch.linalg.qr(a, mode="complete"), normal(3, 5)), "r alone": (lambda a: torch.linalg.qr(a, mode="r")[1], normal(4, 3)),
    "geqrf and its product": (lambda a: torch.linalg.householder_product(*torch.geqrf(a)), normal(4, 3)), "complex solve": (torch.linalg.solve, torch.complex(SQUARE, normal(4, 4)), torch.complex(normal(4, 2), normal(4, 2))),
    **{name: (getattr(torch.special, name), torch.linspace(-12, 12, 41)) for name in ("i0", "i0e", "i1", "modified_bessel_i0", "modified_bessel_i1", "bessel_j0", "bessel_j1", "spherical_bessel_j0", "airy_ai")},
    **{name: (getattr(torch.special, name), torch.cat([torch.linspace(0, 30, 31), -normal(1).abs()])) for name in ("modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "bessel_y0", "bessel_y1")},
    "erfcx": (torch.special.erfcx, torch.linspace(-3, 90, 40)), "log_ndtr": (torch.special.log_ndtr, torch.linspace(-30, 4, 18)), "ndtri": (torch.special.ndtri, torch.tensor([-0.1, 0, 1e-30, 1e-6, 0.1, 0.3, 0.5, 0.8, 0.999, 1, 2])),
    "a special function of integers": (torch.special.i0e, whole(9, 5)), "in 16 bits": (torch.special.i0e, normal(6, dtype=torch.float16)), "in 64 bits": (torch.special.i0e, normal(6, dtype=torch.float64)),
    "nextafter that broadcasts": (torch.nextafter, normal(3, 4), normal(4)), "nothing": (lambda x: torch.nn.functional.unfold(x, 2), torch.zeros(0, 1, 5, 5)),
}  # fmt: skip


def composed(function, tensors):
    called = torch_reference.Called(function, [Place(i) for i in range(len(tensors))], {})
    for method in (torch_graph.traced, torch_graph.exported):
        try:
            return Composer(method(called, tensors)).compose()
        except torch_graph.NotTraced:
            continue


@pytest.mark.parametrize("name", CASES)
def test_a_decomposition_gives_what_pytorch_gives(name):
    function, *tensors = CASES[name]
    with torch.no_grad():
        due = [one for one in tree_leaves(function(*tensors)) if isinstance(one, torch.Tensor)]
    text, slots = composed(function, tuple(tensors))
    for engine in ("reference", "native"):
        got = Runner(text, engine)([tensors[slot] if isinstance(slot, int) else slot for slot in slots])
        assert len(got) == len(due) > 0
        for one, other in zip(got, due):
            near = max(2e-4, torch.finfo(other.dtype).eps if other.is_floating_point() else 0)
            torch.testing.assert_close(one, other.contiguous(), rtol=near, atol=near, equal_nan=True)


def test_each_of_ours_is_run():
    """By name: an entry that no case reaches would be untried."""
    seen, right = set(), decompositions._body
    own = {overload: body for overload, body in own_decompositions.BODIES.items()}
    try:
        decompositions._body = lambda target: (seen.add(target), right(target))[1]
        decompositions._traced.clear()
        aten_program._rows.clear()
        for function, *tensors in CASES.values():
            composed(function, tuple(tensors))
    finally:
        decompositions._body = right
    bodies = {own[target] for target in seen if target in own}
    untried = {str(overload) for overload, body in own.items() if body not in bodies}
    same_road = {"aten._unsafe_masked_index.default", "aten._unsafe_masked_index_put_accumulate.default", "aten.amin.default", "aten.argmin.default", "aten.all.dims", "aten.any.dim",
                 "aten.any.dims", "aten.prod.dim_int", "aten.linalg_vector_norm.default", "aten.nanmedian.default", "aten.cholesky.default"}  # fmt: skip
    assert untried <= same_road, sorted(untried - same_road)


def test_what_cannot_be_taken_apart_is_named():
    with pytest.raises(NoProgram, match="linalg_eig"):
        composed(torch.linalg.eigvals, (SQUARE,))
    with pytest.raises(NoProgram, match="_linalg_svd"):
        composed(torch.linalg.svdvals, (SQUARE,))
