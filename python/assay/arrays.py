"""Arrays of NumPy, PyTorch and JAX as bytes and back, without importing a framework that is not in use.

A framework is known by the module of an object's class; it is imported only to make arrays of it.
"""
import ctypes
import sys

import numpy

from .elements import WORDS, Spec, count, item_size, numpy_dtype, packed_bits

FRAMEWORKS = ("numpy", "torch", "jax")


def framework_of(value):
    """"numpy", "torch", "jax", or None for other objects."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return "numpy"
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if torch is not None and isinstance(value, torch.Tensor):
        return "torch"
    if jax is not None and isinstance(value, jax.Array):
        return "jax"
    return None


def is_tensor(value):
    return isinstance(value, Spec) or framework_of(value) is not None


def dtype_of(value):
    """NumPy's name of the element type. Raises ValueError for one that Assay does not have."""
    name = str(value.dtype).removeprefix("torch.")
    if name not in WORDS:
        raise ValueError(f"arrays of {name} are not supported; there are {', '.join(WORDS)}")
    return name


def shape_of(value):
    return tuple(int(size) for size in value.shape)


def device_of(value):
    """The device, such as "cuda:0", of a tensor that is not in the host's memory, else None."""
    if framework_of(value) != "torch" or value.device.type == "cpu":
        return None
    return str(value.device)


def host_bytes(value):
    """The elements as a dense one-dimensional NumPy array of bytes in the host's memory (a copy where needed)."""
    kind = framework_of(value)
    if kind == "torch":
        import torch

        value = value.detach().resolve_conj().resolve_neg()
        value = value.cpu().contiguous()
        return value.reshape(-1).view(torch.uint8).numpy() if value.numel() else numpy.zeros(0, numpy.uint8)
    value = numpy.asarray(value)
    return numpy.ascontiguousarray(value).reshape(-1).view(numpy.uint8) if value.size else numpy.zeros(0, numpy.uint8)


def at_address(address, size, writable=True):
    """`size` bytes of memory as a NumPy array of bytes; the array does not own it."""
    if size == 0:
        return numpy.zeros(0, numpy.uint8)
    view = numpy.frombuffer((ctypes.c_char * size).from_address(address), numpy.uint8)
    view.flags.writeable = writable
    return view


def strided(address, dtype, shape, strides, writable=True):
    """A NumPy array at an address; strides in elements."""
    kind = numpy_dtype(dtype)
    last = sum((size - 1) * step for size, step in zip(shape, strides))
    data = at_address(address, (last + 1) * kind.itemsize if count(shape) else 0)
    array = numpy.ndarray(shape, kind, buffer=data, strides=[step * kind.itemsize for step in strides])
    array.flags.writeable = writable
    return array


def write_elements(address, dtype, shape, strides, data):
    """Writes dense bytes into a tensor of this layout."""
    width = item_size(dtype)
    kind = numpy.dtype({1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "V16"}[width])
    if not count(shape):
        return
    last = sum((size - 1) * step for size, step in zip(shape, strides))
    memory = at_address(address, (last + 1) * width)
    target = numpy.ndarray(shape, kind, buffer=memory, strides=[step * width for step in strides])
    target[...] = data.view(kind).reshape(shape)


def _bits_at(dtype, shape, strides):
    """(bits of an element, byte, shift) of every element of a tensor whose elements share bytes, low bits first."""
    bits = packed_bits(dtype)
    at = sum((numpy.arange(size).reshape([-1 if d == axis else 1 for d in range(len(shape))]) * step
              for axis, (size, step) in enumerate(zip(shape, strides))), numpy.zeros(shape, int)) * bits  # fmt: skip
    return bits, at.reshape(-1) >> 3, at.reshape(-1) & 7


def unpacked(address, dtype, shape, strides):
    """A byte for each element of a tensor whose elements share bytes; integers with their sign."""
    bits, byte, shift = _bits_at(dtype, shape, strides)
    memory = at_address(address, int(byte.max(initial=-1)) + 1, False)
    codes = memory[byte] >> shift.astype(numpy.uint8) & ((1 << bits) - 1)
    sign = 1 << (bits - 1) if dtype.startswith("int") else 0
    return ((codes ^ sign) - sign).astype(numpy.uint8)


def write_packed(address, dtype, shape, strides, data):
    """Writes elements, given as a byte each, into a tensor whose elements share bytes."""
    bits, byte, shift = _bits_at(dtype, shape, strides)
    memory, mask = at_address(address, int(byte.max(initial=-1)) + 1), (1 << bits) - 1
    for place in range(0, 8, bits):
        here = shift == place
        memory[byte[here]] = memory[byte[here]] & ~numpy.uint8(mask << place) | (data[here] & mask) << place


def as_framework(address, dtype, shape, strides, framework, device, writable):
    """An array of the framework on this memory; PyTorch on the CPU shares it, other devices and JAX copy.

    PyTorch has no read-only tensors: there the protection of the memory prevents writes.
    """
    if framework == "numpy":
        return strided(address, dtype, shape, strides, writable)
    if framework == "jax":
        import jax

        if dtype in ("float64", "int64", "uint64", "complex128"):
            jax.config.update("jax_enable_x64", True)
        return jax.numpy.asarray(numpy.array(strided(address, dtype, shape, strides)))
    import torch

    kind = getattr(torch, dtype, None)
    if kind is None:
        raise ValueError(f"PyTorch has no {dtype}")
    last = sum((size - 1) * step for size, step in zip(shape, strides)) + 1
    if not count(shape):
        return torch.empty(shape, dtype=kind, device=device or "cpu")
    raw = at_address(address, last * torch.empty((), dtype=kind).element_size())
    tensor = torch.from_numpy(raw).view(kind).as_strided(shape, strides)
    return tensor.to(device) if device else tensor


def of_bytes(data, dtype, shape, framework):
    """An array of the framework with a copy of these dense bytes."""
    return of_memory(numpy.frombuffer(bytearray(data), numpy.uint8), dtype, shape, framework)


def of_memory(data, dtype, shape, framework):
    """An array of the framework on this memory: a dense array of bytes that nothing writes to while the array exists."""
    if framework == "torch":
        import torch

        kind = getattr(torch, dtype)
        if not count(shape):
            return torch.empty(shape, dtype=kind)
        return torch.from_numpy(data).view(kind).reshape(shape).detach()  # not a view: autograd's tensors may be written in place
    array = data.view(numpy_dtype(dtype)).reshape(shape)
    if framework == "jax":
        import jax

        return jax.numpy.asarray(array)
    return array


def address_range(value):
    """(first, after the last) byte of an array in the host's memory, or None."""
    kind = framework_of(value)
    if kind == "torch" and value.device.type == "cpu" and value.numel():
        storage = value.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    if kind == "numpy" and isinstance(value, numpy.ndarray) and value.size:
        return numpy.lib.array_utils.byte_bounds(value)
    return None
