"""Operators without a row: their decompositions (PyTorch's, and ours) yield PyTorch's results, on both engines."""
import math

import pytest
import torch
from torch.utils._pytree import tree_leaves

from assay import torch_graph, torch_reference
from assay.elements import Place
from assay.torch import decompositions, own_decompositions
from assay.torch.aten_program import Composer, NoProgram
from assay.torch.runner import Runner

G = torch.Generator().manual_seed(3)


def normal(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=G, dtype=dtype)


def whole(high, *shape):
    return torch.randint(0, high, shape, generator=G)


SQUARE = normal(4, 4) + 3 * torch.eye(4)
POSITIVE = SQUARE @ SQUARE.mT
SINGULAR = torch.stack([torch.tensor([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]]), torch.zeros(3, 3), torch.eye(3), torch.tensor([[1.0, 2, 3], [2, 1, 4], [3, 4, -5]])])
A = torch.ops.aten
CASES = {
    "determinants with factors": (lambda x: (*A._linalg_slogdet(x), *A._linalg_det(x.mT), *A._linalg_det(x[None])), SQUARE),
    **{f"embedding_bag mode {mode}": (lambda w, i, mode=mode: A._embedding_bag(w, i, torch.tensor([0, 2, 2]), False, mode, False, None, False, 1), normal(7, 3), whole(7, 6)) for mode in range(3)},
    "embedding_bag with weights": (lambda w, i, p: A._embedding_bag(w, i, torch.tensor([0, 2, 2]), False, 0, False, p), normal(7, 3), whole(7, 6), normal(6)),
    **{f"gradient of embedding_bag mode {mode}": (lambda g, i, b=b, n=n, most=most, mode=mode: A._embedding_bag_backward(g, i, torch.tensor([0, 2, 2]), b, n, most, 7, False, mode, False, None, 1), normal(3, 3), torch.tensor([0, 1, 4, 4, 6, 2]))
       for mode, b, n, most in [(mode, torch.tensor([0, 0, 2, 2, 2, 2]), torch.tensor([1, 0, 4]), torch.tensor([[0] * 3, [0] * 3, [4, 6, 2]])) for mode in range(3)]},
    "gradient of embedding_bag's weights": (lambda g, w, i: A._embedding_bag_per_sample_weights_backward(g, w, i, torch.tensor([0, 2, 2]), torch.tensor([0, 0, 2, 2, 2, 2]), 0, 1), normal(3, 3), normal(7, 3), whole(7, 6)),
    "gradient of a weight norm": (lambda g, v, s: A._weight_norm_interface_backward(g, v, s, A._weight_norm_interface(v, s, 0)[1], 0), normal(3, 4), normal(3, 4), normal(3, 1)),
    "grouped heads": (lambda q, k, v: A._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, True), normal(1, 4, 5, 8), normal(1, 2, 5, 8), normal(1, 2, 5, 8)),
    "gradient of grouped heads": (lambda g, q, k, v: A._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, *A._scaled_dot_product_flash_attention_for_cpu(q, k, v), 0.0, False), normal(1, 4, 5, 8), normal(1, 4, 5, 8), normal(1, 2, 5, 8), normal(1, 2, 5, 8)),
    "_int_mm": (lambda x: torch._int_mm(x.to(torch.int8), x.to(torch.int8).t().contiguous()), whole(200, 32, 32) - 100),
    "fake quantisation": (lambda x: (A.fake_quantize_per_channel_affine_cachemask(x, torch.tensor([0.1, 0.3]), torch.tensor([0, 2], dtype=torch.int32), 1, -8, 7), A.fake_quantize_per_tensor_affine_cachemask(x, 0.25, 3, 0, 15)), normal(9, 2)),
    "copies of views": (lambda x: (A.detach_copy(x), A.select_copy.int(x, 0, 1), A.split_copy.Tensor(x, 2), A.t_copy(x)), normal(4, 3)),
    "diagonal": (lambda x: torch.diagonal(x, 1, 2, 0), normal(3, 2, 5)), "diagonal below": (lambda x: torch.diagonal(x, -2), normal(5, 3)),
    "searchsorted of one number": (lambda x, i: torch.searchsorted(x, torch.tensor(1.5), sorter=i), torch.tensor([3.0, 1, 2]), torch.tensor([1, 2, 0])),
    "a tensor twice, then two": (lambda x, y: (torch.xlogy(x, x), torch.xlogy(x, y)), torch.arange(1.0, 8), torch.arange(3.0, 10)),
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
    "lu_factor of singular matrices": (torch.linalg.lu_factor_ex, SINGULAR), "where an inverse fails": (lambda a: torch.linalg.inv_ex(a).info, SINGULAR),
    "where a solution fails": (lambda a: torch.linalg.solve_ex(a, a).info, SINGULAR), "where cholesky fails": (lambda a: (torch.linalg.cholesky_ex(a).info, torch.linalg.cholesky_ex(a.mT, upper=True).info), SINGULAR),
    "cholesky_solve": (lambda a, b: torch.cholesky_solve(b, torch.linalg.cholesky(a)), POSITIVE, normal(4, 2)), "cholesky_inverse": (lambda a: torch.cholesky_inverse(torch.linalg.cholesky(a)), POSITIVE),
    "qr": (torch.linalg.qr, normal(5, 3)), "qr of a wide matrix": (lambda a: torch.linalg.qr(a, mode="complete"), normal(3, 5)), "r alone": (lambda a: torch.linalg.qr(a, mode="r")[1], normal(4, 3)),
    "geqrf and its product": (lambda a: torch.linalg.householder_product(*torch.geqrf(a)), normal(4, 3)), "complex solve": (torch.linalg.solve, torch.complex(SQUARE, normal(4, 4)), torch.complex(normal(4, 2), normal(4, 2))),
    **{name: (getattr(torch.special, name), torch.linspace(-12, 12, 41)) for name in ("i0", "i0e", "i1", "modified_bessel_i0", "modified_bessel_i1", "bessel_j0", "bessel_j1", "spherical_bessel_j0", "airy_ai")},
    **{name: (getattr(torch.special, name), torch.cat([torch.linspace(0, 30, 31), -normal(1).abs()])) for name in ("modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "bessel_y0", "bessel_y1")},
    "erfcx": (torch.special.erfcx, torch.linspace(-3, 90, 40)), "log_ndtr": (torch.special.log_ndtr, torch.linspace(-30, 4, 18)), "ndtri": (torch.special.ndtri, torch.tensor([-0.1, 0, 1e-30, 1e-6, 0.1, 0.3, 0.5, 0.8, 0.999, 1, 2])),
    "a special function of integers": (torch.special.i0e, whole(9, 5)), "in 16 bits": (torch.special.i0e, normal(6, dtype=torch.float16)), "in 64 bits": (torch.special.i0e, normal(6, dtype=torch.float64)),
    **{f"embedding_bag {mode}": (lambda w, i, o, mode=mode: torch.nn.functional.embedding_bag(i, w, o, mode=mode, padding_idx=1), normal(6, 3), whole(6, 8), torch.tensor([0, 3, 3])) for mode in ("sum", "mean", "max")},
    "embedding_bag with weights": (lambda w, i, o, s: torch.nn.functional.embedding_bag(i, w, o, mode="sum", per_sample_weights=s, include_last_offset=True), normal(6, 3), whole(6, 8), torch.tensor([0, 3, 8]), normal(8)),
    **{f"segment_reduce {way}": (lambda x, n, way=way: torch.segment_reduce(x, way, lengths=n, unsafe=True, initial=1), normal(6, 2), torch.tensor([2, 0, 4])) for way in ("max", "min", "sum", "mean", "prod")},
    "segment_reduce by offsets": (lambda x, o: torch.segment_reduce(x, "mean", offsets=o, unsafe=True), normal(6, 2), torch.tensor([0, 2, 2, 6])),
    "histogram": (lambda x: torch.histogram(x, 5), normal(30)), "histogram in a range": (lambda x, w: torch.histogram(x, 4, range=(-1.0, 1.0), weight=w, density=True), normal(30), normal(30).abs()),
    "histogram of bins": (lambda x, e: torch.histogram(x, e.sort()[0]), normal(30), normal(6)), "histogramdd": (lambda x: torch.histogramdd(x, [3, 4])[0], normal(20, 2)), "edges of histogramdd": (lambda x: torch.histogramdd(x, [3, 2])[1], normal(20, 2)),
    "histogramdd of bins": (lambda x, a, b: torch.histogramdd(x, (a.sort()[0], b.sort()[0]), density=True)[0], normal(20, 2), normal(4), normal(3)),
    "antialiased": (lambda x: torch.nn.functional.interpolate(x, (3, 4), mode="bilinear", antialias=True), normal(1, 2, 7, 5)), "antialiased, larger": (lambda x: torch.nn.functional.interpolate(x, (9, 11), mode="bilinear", antialias=True, align_corners=True), normal(1, 2, 7, 5)),
    **{f"grid_sampler_3d {mode} {pad} {align}": (lambda x, g, mode=mode, pad=pad, align=align: torch.nn.functional.grid_sample(x, g, mode, pad, align), normal(2, 2, 3, 4, 5), normal(2, 2, 3, 2, 3) * 0.8)
       for mode, pad, align in (("bilinear", "zeros", True), ("bilinear", "border", False), ("bilinear", "reflection", False), ("nearest", "reflection", True), ("nearest", "zeros", False))},
    **{f"a loss in chunks, {way}": (lambda x, w, t, way=way: torch.nn.functional.linear_cross_entropy(x, w, t, reduction=way, options=torch.nn.LinearCrossEntropyOptions(batch_chunk_size=3)), normal(8, 3), normal(4, 3), whole(4, 8)) for way in ("mean", "none")},
    **{f"places of NaN, right {right}": (lambda x, b, right=right: (torch.bucketize(x, b, right=right), torch.searchsorted(b, x, right=right)), torch.tensor([float("nan"), 1, 2, 9]), torch.tensor([1.0, 2, 3])) for right in (False, True)},
    "overlapping blocks": (lambda x: torch.nn.functional.fold(x, (7, 9), (3, 2), dilation=(2, 3), padding=(1, 2), stride=(2, 1)), normal(2, 12, 30)), "blocks without a batch": (lambda x: torch.nn.functional.fold(x, (4, 5), 2), normal(8, 12)),
    "huber_loss": (lambda x, y: [torch.nn.functional.huber_loss(x, y, reduction=way, delta=0.7) for way in ("none", "mean", "sum")], normal(9), normal(9)),
    "a negative view": (torch._neg_view, normal(3)), "frexp": (torch.frexp, torch.tensor([0.0, -0.0, 1.0, -3.7, 1e-42, 3e38, 0.5, float("inf"), 1.1754942e-38])), "frexp in 16 bits": (torch.frexp, torch.tensor([6e-8, 65504, -0.3], dtype=torch.float16)),
    "frexp in 64 bits": (torch.frexp, torch.tensor([5e-324, 1.7e308, -0.3], dtype=torch.float64)),
    "values along a mask": (lambda x, m, y: A.index_put(x, [m], y), normal(4, 3), torch.tensor([True, False, True, True]), normal(3, 3)), "one row along a mask": (lambda x, m, y: A.index_put(x, [m], y, True), normal(4, 3), torch.tensor([True, False, True, True]), normal(3)),
    "det of nothing": (torch.linalg.det, torch.zeros(2, 0, 0)), "slogdet of nothing": (torch.linalg.slogdet, torch.zeros(0, 0)), "inverse of nothing": (torch.linalg.inv_ex, torch.zeros(0, 0)),
    **{f"lu_solve {left} {adjoint}": (lambda a, b, left=left, adjoint=adjoint: torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b, left=left, adjoint=adjoint), torch.complex(SQUARE, normal(4, 4)), torch.complex(normal(4, 4), normal(4, 4))) for left in (True, False) for adjoint in (True, False)},
    **{f"ormqr {left} {turned}": (lambda a, b, left=left, turned=turned: torch.ormqr(*torch.geqrf(a), b, left, turned), normal(4, 3), normal(4, 4)) for left in (True, False) for turned in (True, False)},
    "complex qr": (torch.linalg.qr, torch.complex(normal(4, 3), normal(4, 3))), "complex, square": (lambda a: torch.geqrf(a), torch.complex(normal(3, 3), normal(3, 3))), "complex ormqr": (lambda a, b: torch.ormqr(*torch.geqrf(a), b, True, True), torch.complex(normal(3, 3), normal(3, 3)), torch.complex(normal(3, 2), normal(3, 2))),
    "matrix_exp": (torch.linalg.matrix_exp, normal(2, 4, 4) * 2), "matrix_exp of small": (torch.linalg.matrix_exp, normal(3, 3) * 0.01), "complex matrix_exp": (torch.linalg.matrix_exp, torch.complex(normal(3, 3), normal(3, 3))),
    **{f"{f.__name__} of a number": (lambda x, f=f: f(x, 0) if f in (torch.max, torch.min) else f(x, 1), torch.tensor(1.5)) for f in (torch.max, torch.min, torch.topk, torch.kthvalue)},
    "gather from a number": (lambda x, i: torch.gather(x, 0, i), torch.tensor(1.5), torch.zeros(1, dtype=torch.int64)), "gather by a number": (lambda x, i: torch.gather(x, 0, i), normal(3), torch.tensor(2)),
    "take": (torch.take, normal(3, 4), whole(12, 2, 3) - 5), "take by a number": (torch.take, normal(1), torch.tensor(0)), "a mask of more dimensions": (lambda x, m, y: x.masked_scatter(m, y), normal(5), whole(2, 3, 5).bool(), normal(3, 5)),
    **{f"a mean of integers {itself}": (lambda x, i, y, itself=itself: x.scatter_reduce(1, i, y, "mean", include_self=itself), whole(90, 2, 5) - 45, whole(5, 2, 4), whole(90, 2, 4) - 45) for itself in (True, False)},
    "a sum of truths": (lambda x, i, y: x.scatter_reduce(0, i, y, "sum"), whole(2, 4).bool(), whole(4, 3), whole(2, 3).bool()), "embedding_renorm": (lambda w, i: A.embedding_renorm(w, i, 1.0, 2.0), normal(5, 3), whole(5, 3)),
    **{f"hash_tensor {kind}": (lambda x: (torch.hash_tensor(x).view(torch.int64), torch.hash_tensor(x, 1, keepdim=True).view(torch.int64)), (normal(3, 5) * 9).to(kind)) for kind in (torch.float32, torch.bfloat16, torch.int16, torch.bool)},
    "linspace of integers": (lambda x: x + torch.linspace(-2.0, -3, 7, dtype=torch.int64), whole(9, 7)), "linspace of complex numbers": (lambda x: x + torch.linspace(-2.0, 1 + 3j, 7, dtype=torch.complex64), normal(7)), "one step": (lambda x: x + torch.linspace(2.7, 9, 1, dtype=torch.int64), whole(9, 1)),
    **{name: (getattr(torch.special, name), torch.tensor([0.0, 1e-3, 0.4, 0.99, 1, 3, 30, 0, float("inf"), 2, 5, -1, 2])[:, None], torch.tensor([0.0, 1e-4, 0.3, 1.4, 2, 9, 40, float("inf"), -1])) for name in ("gammainc", "gammaincc")}, "gammainc in 16 bits": (torch.special.gammainc, normal(6, dtype=torch.float16).abs(), normal(6, dtype=torch.float16).abs()),
    "complex logcumsumexp": (lambda x: torch.logcumsumexp(x, 1), torch.complex(normal(2, 5), normal(2, 5))), "logcumsumexp of nothing": (lambda x: torch.logcumsumexp(x, 0), torch.zeros(0, 3)), "cholesky of nothing": (torch.linalg.cholesky_ex, torch.zeros(0, 0)),
    "addbmm of integers": (lambda x, a, b: torch.addbmm(x, a, b, beta=2, alpha=0.6), whole(9, 2, 4), whole(9, 3, 2, 5), whole(9, 3, 5, 4)), "zeta at its poles": (torch.special.zeta, torch.tensor([3.0, 2, 1, 0, 3]), torch.tensor([0.0, -1, -1, 0, 2])),
    "polygamma at its poles": (lambda x: (torch.polygamma(3, x), torch.polygamma(2, x)), torch.tensor([0.0, -1, -2, 1.5])),
    "nextafter that broadcasts": (torch.nextafter, normal(3, 4), normal(4)), "nothing": (lambda x: torch.nn.functional.unfold(x, 2), torch.zeros(0, 1, 5, 5)),
}  # fmt: skip


def gradient(function):
    """The gradients of a function's floats; its first arguments are the gradients of its first result."""
    def call(g, *tensors):
        with torch.enable_grad():
            own = [one.detach().requires_grad_() if one.is_floating_point() else one for one in tensors]
            made = function(*own)
            return torch.autograd.grad(made[0] if isinstance(made, tuple) else made, [one for one in own if one.requires_grad], g)

    return call


def spread(*shape):
    """Numbers in [-1, 1) in irregular order, independent of other cases."""
    return (torch.arange(1, math.prod(shape) + 1) * 0.6180339887498949 % 1 * 2 - 1).reshape(shape)


F = torch.nn.functional
CASES.update({
    **{f"gradient of {mode} in {len(size)}": (gradient(lambda x, mode=mode, size=size: F.interpolate(x, size, mode=mode)), normal(1, 2, *size), normal(1, 2, *(4, 3, 2)[: len(size)]))
       for mode, size in (("nearest", (7,)), ("nearest", (7, 5)), ("nearest", (7, 5, 3)), ("nearest-exact", (7,)), ("nearest-exact", (7, 5)), ("nearest-exact", (7, 5, 3)), ("linear", (7,)), ("bilinear", (7, 5)), ("trilinear", (7, 5, 3)), ("bicubic", (7, 5)))},
    "gradient of an antialiased image": (gradient(lambda x: F.interpolate(x, (3, 4), mode="bilinear", antialias=True)), normal(1, 2, 3, 4), normal(1, 2, 7, 5)),
    **{f"gradient of repeated edges in {n}": (gradient(lambda x, n=n: F.pad(x, [1, 2] * n, mode="replicate")), normal(1, 2, *[7, 6, 5][:n]), normal(1, 2, *[4, 3, 2][:n])) for n in (1, 2, 3)},
    "gradient of adaptive_avg_pool2d": (gradient(lambda x: F.adaptive_avg_pool2d(x, (3, 2))), normal(1, 2, 3, 2), normal(1, 2, 5, 7)), "gradient of adaptive_avg_pool3d": (gradient(lambda x: F.adaptive_avg_pool3d(x, (3, 2, 2))), normal(1, 2, 3, 2, 2), normal(1, 2, 5, 7, 3)),
    "gradient of avg_pool2d": (gradient(lambda x: F.avg_pool2d(x, (3, 2), (2, 1), (1, 0), ceil_mode=True)), normal(1, 2, 4, 6), normal(1, 2, 7, 7)), "gradient of avg_pool2d without its edges": (gradient(lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False)), normal(1, 2, 4, 4), normal(1, 2, 7, 7)),
    "gradient of avg_pool3d": (gradient(lambda x: F.avg_pool3d(x, 2, 1, 1, divisor_override=3)), normal(1, 2, 4, 5, 4), normal(1, 2, 3, 4, 3)), "gradient of adaptive_max_pool2d": (gradient(lambda x: F.adaptive_max_pool2d(x, (3, 2))), normal(1, 2, 3, 2), normal(1, 2, 5, 7)),
    "gradient of adaptive_max_pool3d": (gradient(lambda x: F.adaptive_max_pool3d(x, (3, 2, 2))), normal(1, 2, 3, 2, 2), normal(1, 2, 5, 7, 3)), "gradient of max_pool3d": (gradient(lambda x: F.max_pool3d(x, 2, 1, return_indices=True)), normal(1, 2, 2, 3, 2), normal(1, 2, 3, 4, 3)),
    "gradient of masked_scatter": (gradient(lambda x, m, y: x.masked_scatter(m, y)), normal(3, 4), normal(3, 4), whole(2, 3, 4).bool(), normal(14)),
    **{f"gradient of cdist {p}": (gradient(lambda x, y, p=p: torch.cdist(x, y, p)), normal(3, 4), normal(3, 2), normal(4, 2)) for p in (0.0, 1.0, 2.0, 3.0, float("inf"))},
    "gradient of hardshrink": (gradient(lambda x: F.hardshrink(x, 0.5)), normal(4), torch.tensor([-0.5, 0.2, 0.7, float("nan")])), "gradient of softshrink": (gradient(lambda x: F.softshrink(x, 0.5)), normal(4), torch.tensor([-0.5, 0.2, 0.7, 0.5])),
    "a bicubic antialiased image": (lambda x: F.interpolate(x, (4, 9), mode="bicubic", antialias=True), spread(1, 2, 7, 5)), "fftfreq": (lambda x: x + torch.fft.fftfreq(7, 0.3), spread(7)), "rfftfreq": (lambda x: x + torch.fft.rfftfreq(8, 2.0), spread(5)),
    "gradient of a bicubic antialiased image": (gradient(lambda x: F.interpolate(x, (3, 4), mode="bicubic", antialias=True)), spread(1, 2, 3, 4), spread(1, 2, 7, 5)),
    **{f"fractional_max_pool{len(size)}d": (lambda x, at, size=size: getattr(A, f"fractional_max_pool{len(size)}d").default(x, [2] * len(size), [3, 4, 2][: len(size)], at), spread(2, 3, *size), torch.linspace(0.02, 0.98, 6 * len(size)).reshape(2, 3, -1)) for size in ((7, 9), (7, 9, 5))},
    **{f"gradient of fractional_max_pool{len(size)}d": (gradient(lambda x, at, size=size: getattr(A, f"fractional_max_pool{len(size)}d").default(x, [2] * len(size), [3, 4, 2][: len(size)], at.detach())[0] + 0 * at.sum()),
       spread(2, 3, *[3, 4, 2][: len(size)]), spread(2, 3, *size), torch.linspace(0.02, 0.98, 6 * len(size)).reshape(2, 3, -1)) for size in ((7, 9), (7, 9, 5))},
    **{f"gradient of grid_sample {mode} {pad} {len(size)}": (gradient(lambda x, at, mode=mode, pad=pad: F.grid_sample(x, at, mode, pad, False)), spread(1, 2, *[3, 2, 4][: len(size)]), spread(1, 2, *size), 2 * spread(1, *[3, 2, 4][: len(size)], len(size)) - 0.7)
       for mode, pad, size in (("bilinear", "zeros", (4, 5)), ("bilinear", "reflection", (4, 5)), ("nearest", "border", (4, 5)), ("bicubic", "border", (4, 5)), ("bilinear", "border", (3, 4, 5)), ("nearest", "zeros", (3, 4, 5)))},
    "gradient of multi_margin_loss": (gradient(lambda x, t: F.multi_margin_loss(x, t, p=2)), torch.tensor(1.5), spread(3, 4), torch.tensor([1, 0, 3])), "gradient of multilabel_margin_loss": (gradient(lambda x, t: F.multilabel_margin_loss(x, t)), torch.tensor(1.5), spread(2, 4), torch.tensor([[1, 3, -1, 0], [0, -1, 2, 2]])),
    **{f"gradient of pdist {p}": (gradient(lambda x, p=p: torch.pdist(x, p)), spread(6), spread(4, 3)) for p in (1.0, 2.0, 3.0, float("inf"))},
    "gradient with writes in place": (gradient(lambda x: torch.quantile(x, torch.tensor([0.3, 0.6]), dim=1)), normal(2, 3), normal(3, 6)),
})  # fmt: skip


def composed(function, tensors):
    called = torch_reference.Called(function, [Place(i) for i in range(len(tensors))], {})
    for method in torch_graph.methods(tensors):
        try:
            return Composer(method(called, tensors)).compose()
        except torch_graph.NotTraced:
            continue
        except RuntimeError:  # torch.export refuses gradients
            continue


@pytest.fixture(scope="module")
def composed_targets():
    """Names of the cases that were composed, and the operators whose decompositions they took."""
    names, targets, right = set(), set(), decompositions._body
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decompositions, "_body", lambda target: (targets.add(target), right(target))[1])
        yield names, targets


@pytest.mark.parametrize("name", CASES)
def test_a_decomposition_gives_what_pytorch_gives(name, composed_targets):
    function, *tensors = CASES[name]
    composed_targets[0].add(name)
    with torch.no_grad():
        due = [one for one in tree_leaves(function(*tensors)) if isinstance(one, torch.Tensor)]
    text, slots = composed(function, tuple(tensors))
    for engine in ("reference", "native"):
        got = Runner(text, engine)([tensors[slot] if isinstance(slot, int) else slot for slot in slots])
        assert len(got) == len(due) > 0
        for one, other in zip(got, due):
            near = max(2e-4, torch.finfo(other.dtype).eps if other.is_floating_point() else 0)
            torch.testing.assert_close(one, other.contiguous(), rtol=near, atol=near, equal_nan=True)


def test_each_of_ours_is_run(composed_targets):
    """By name: an entry that no case reaches would be untried."""
    done, seen = composed_targets
    own = own_decompositions.BODIES
    for function, *tensors in (CASES[name] for name in CASES if name not in done):
        composed(function, tuple(tensors))
    bodies = {own[target] for target in seen if target in own}
    untried = {str(overload) for overload, body in own.items() if body not in bodies}
    same_road = {"aten._unsafe_masked_index.default", "aten._unsafe_masked_index_put_accumulate.default", "aten.amin.default", "aten.argmin.default", "aten.all.dims", "aten.any.dim",
                 "aten.any.dims", "aten.prod.dim_int", "aten.linalg_vector_norm.default", "aten.nanmedian.default", "aten.cholesky.default"}  # fmt: skip
    assert untried <= same_road, sorted(untried - same_road)


def test_what_cannot_be_taken_apart_is_named():
    with pytest.raises(NoProgram, match="linalg_eig"):
        composed(torch.linalg.eigvals, (SQUARE,))
    with pytest.raises(NoProgram, match="_linalg_svd"):
        composed(lambda a: torch.linalg.svd(a)[0], (SQUARE,))
