"""Cases that the rows of some operators do not support: tensors without dimensions, means of integers, negative indices,
complex numbers."""
import torch

from .own_decompositions import body_of

aten = torch.ops.aten


@body_of(aten.kthvalue.default, aten.max.dim, aten.min.dim, aten.topk.default)
def of_a_number(x, *args, **kwargs):
    if x.dim() != 0:
        raise NotImplementedError("a tensor with dimensions")
    return x.clone(), torch.zeros((), dtype=torch.int64)


@body_of(aten.gather.default)
def gather(x, dim, index, *, sparse_grad=False):
    if x.dim() == 0:
        return x.expand(index.shape).clone()
    if index.dim() == 0 and x.dim() == 1:
        return x.index_select(0, index.reshape(1)).reshape(())
    raise NotImplementedError("what its row takes")


@body_of(aten.take.default)
def take(x, index):
    places = torch.where(index < 0, index + x.numel(), index).reshape(-1)
    return x.reshape(-1).index_select(0, places).reshape(index.shape)


@body_of(aten.scatter_reduce.two)
def scatter_reduce(x, dim, index, src, reduce, *, include_self=True):
    if x.dtype is torch.bool and reduce == "sum":
        return aten.scatter_reduce(x, dim, index, src, "amax", include_self=include_self)
    if reduce != "mean" or x.is_floating_point() or x.is_complex() or x.dtype is torch.bool:
        raise NotImplementedError("what its row takes")
    total = aten.scatter_reduce(x, dim, index, src, "sum", include_self=include_self)
    start = torch.ones_like(x) if include_self else torch.zeros_like(x)
    count = aten.scatter_reduce(start, dim, index, torch.ones_like(src), "sum", include_self=True).clamp(min=1)
    return torch.div(total, count, rounding_mode="floor")


@body_of(aten.embedding_renorm.default)
def embedding_renorm(weight, indices, max_norm, norm_type):
    """Scales rows that are named and longer than the limit to that length."""
    length = torch.linalg.vector_norm(weight, norm_type, 1, keepdim=True)
    named = (indices.reshape(1, -1) == torch.arange(weight.shape[0]).reshape(-1, 1)).any(1, keepdim=True)
    return torch.where(named & (length > max_norm), weight * (max_norm / (length + 1e-7)), weight)


@body_of(aten.hash_tensor.default)
def hash_tensor(x, dim=(), *, keepdim=False, mode=0):
    """The exclusive or of the elements' bits, as floats of 64 bits or as integers."""
    if mode != 0:
        raise NotImplementedError("another mode")
    dims = sorted(one % max(x.dim(), 1) for one in dim) or list(range(x.dim()))
    kept = [1 if i in dims else size for i, size in enumerate(x.shape)]
    bits = x.to(torch.float64).view(torch.int64) if x.is_floating_point() else x.to(torch.int64)
    rest = [i for i in range(x.dim()) if i not in dims]
    bits = bits.permute(rest + dims).reshape(*[x.shape[i] for i in rest], -1) if x.dim() else bits.reshape(1)
    while bits.shape[-1] > 1:
        half = bits.shape[-1] // 2
        both = torch.bitwise_xor(bits[..., :half], bits[..., half : 2 * half])
        bits = torch.cat([both, bits[..., 2 * half :]], -1)
    made = bits.squeeze(-1).view(torch.uint64)
    return made.reshape(kept) if keepdim else made


@body_of(aten.linspace.default)
def linspace(start, end, steps, *, dtype=None, layout=None, device=None, pin_memory=None):
    """From both ends to the middle, in f64; integers drop the fraction."""
    if dtype is None or dtype.is_floating_point:
        raise NotImplementedError("what its row takes")
    if dtype.is_complex:
        part = torch.float32 if dtype is torch.complex64 else torch.float64
        ends = [(complex(start).real, complex(end).real), (complex(start).imag, complex(end).imag)]
        return torch.complex(*[torch.linspace(*each, steps, dtype=part) for each in ends])
    first, last = int(start), int(end)
    step = (last - first) / (steps - 1) if steps > 1 else 0.0
    values = [int(first + step * i) if i < steps // 2 else int(last - step * (steps - 1 - i)) for i in range(steps)]
    return torch.tensor(values if steps != 1 else [first], dtype=dtype)
