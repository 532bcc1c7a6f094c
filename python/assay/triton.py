"""Kernels of Triton as functions of JAX: `assay.equiv` and `assay.check` take them like any other.

    import os; os.environ["TRITON_INTERPRET"] = "1"       # before the kernel is defined

    def launch(x, y, out):
        add[(4,)](x, y, out, x.numel(), BLOCK=128)

    f = assay.triton.function(launch, assay.f32[512])     # out's type
    assay.equiv(f, lambda x, y: x + y, assay.f32[512], assay.f32[512])

Triton's interpreter runs the kernel, program by program, on tensors of PyTorch that serve only for their addresses; loads become values
that JAX traces, and stores become the result. Addresses, masks of addresses and loops are numbers, so a kernel with addresses that
depend on loaded values (and atomics, narrow floats, scans) is refused."""

import contextlib

import numpy


def _is_traced(value):
    import jax

    if isinstance(value, (list, tuple)):
        return any(map(_is_traced, value))
    return isinstance(value, jax.Array)


class _Numpy:
    """NumPy for numbers, jax.numpy for traced values."""

    def __getattr__(self, name):
        import jax.numpy as jnp

        plain = getattr(numpy, name)
        if isinstance(plain, type) or not callable(plain):
            return plain

        def call(*args, **keywords):
            if not _is_traced(args):
                return plain(*args, **keywords)
            if name == "matmul":
                keywords = {"preferred_element_type": keywords.pop("dtype", None)}
            return getattr(jnp, name)(*args, **keywords)

        return call


class _Memory:
    """The tensors of a launch, by address: flat arrays that are traced."""

    def __init__(self):
        self.tensors = []  # (first address, bytes of an element, flat array)

    def add(self, tensor, values):
        self.tensors.append([tensor.data_ptr(), tensor.element_size(), values])

    def _place(self, addresses, mask):
        """(tensor, indices) of all addresses; masked ones have index 0."""
        if _is_traced(addresses):
            raise ValueError("an address of the kernel depends on what it loads")
        used = addresses if _is_traced(mask) or numpy.all(mask) else addresses[numpy.broadcast_to(mask, addresses.shape)]
        if used.size == 0:
            return self.tensors[0], numpy.zeros(addresses.shape, numpy.int64)
        for tensor in self.tensors:
            first, size, values = tensor
            if first <= used.min() and used.max() < first + size * values.size:
                index = (addresses.astype(numpy.int64) - first) // size
                return tensor, numpy.where((index >= 0) & (index < values.size), index, 0)
        raise ValueError("the kernel reads or writes outside of its tensors")

    def load(self, addresses, mask, other):
        import jax.numpy as jnp

        (_, _, values), index = self._place(addresses, mask)
        loaded = values[index]
        return loaded if not _is_traced(mask) and numpy.all(mask) else jnp.where(mask, loaded, other)

    def store(self, addresses, value, mask):
        import jax.numpy as jnp

        tensor, index = self._place(addresses, mask)
        value = jnp.broadcast_to(jnp.asarray(value, tensor[2].dtype), index.shape).ravel()
        if not _is_traced(mask):
            chosen = numpy.broadcast_to(mask, index.shape).ravel()
            index, value = index.ravel()[chosen], value[numpy.flatnonzero(chosen)]
        else:
            value = jnp.where(mask.ravel(), value, tensor[2][index.ravel()])
        tensor[2] = tensor[2].at[index.ravel()].set(value)


@contextlib.contextmanager
def _traced_interpreter(memory):
    """Sets up Triton's interpreter with this memory, and with jax.numpy for traced values."""
    import jax
    from triton.runtime import interpreter

    builder, handle = interpreter.InterpreterBuilder, interpreter.TensorHandle

    def load(self, pointers, mask, other, *_):
        type_ = pointers.get_element_ty()
        missing = numpy.zeros((), interpreter._get_np_dtype(type_)) if other is None else other.data
        return handle(memory.load(pointers.data, mask.data, missing), type_)

    changes = {
        "create_masked_load": load,
        "create_masked_store": lambda self, pointers, value, mask, *_: memory.store(pointers.data, value.data, mask.data),
        "create_fma": lambda self, x, y, z: handle(x.data * y.data + z.data, x.dtype.scalar),
        "create_erf": lambda self, x: handle(jax.scipy.special.erf(x.data), x.dtype.scalar),
    }
    before = {name: getattr(builder, name) for name in changes}
    plain = interpreter.np
    try:
        interpreter.np = _Numpy()
        for name, change in changes.items():
            setattr(builder, name, change)
        yield
    finally:
        interpreter.np = plain
        for name, method in before.items():
            setattr(builder, name, method)


def function(launch, *outputs):
    """A function of JAX, of the tensors that `launch` takes before its outputs. outputs: `assay.f32[4, 8]`, one or several."""

    def call(*inputs):
        import jax.numpy as jnp
        import torch

        memory, tensors = _Memory(), []
        for values in inputs:
            tensors.append(torch.zeros(values.shape, dtype=getattr(torch, str(values.dtype))))
            memory.add(tensors[-1], jnp.ravel(values))
        for spec in outputs:
            tensors.append(torch.zeros(spec.shape, dtype=getattr(torch, spec.dtype)))
            memory.add(tensors[-1], jnp.zeros(tensors[-1].numel(), spec.dtype))
        with _traced_interpreter(memory):
            launch(*tensors)
        results = [values.reshape(spec.shape) for (_, _, values), spec in zip(memory.tensors[len(inputs) :], outputs)]
        return results[0] if len(results) == 1 else tuple(results)

    import jax

    call.__annotations__ = {"inputs": jax.Array}  # marks it as a function of JAX
    return call
