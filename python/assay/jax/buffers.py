"""jax.experimental.buffer_callback on the platform `assay`: a Python function that reads its operands in place and writes its results there."""
import numpy as np

from . import callbacks


class Buffer:
    """The memory of an operand or result, valid during a call."""

    def __init__(self, view, writeable):
        self._view, self.writeable = view, writeable
        self.shape, self.dtype, self.ndim = view.shape, view.dtype, view.ndim

    def unsafe_raw_buffer_pointer(self):
        return self._view.ctypes.data

    def __array__(self, dtype=None, copy=None):
        view = self._view.view()
        view.flags.writeable = self.writeable
        return view if dtype is None or dtype == view.dtype else view.astype(dtype)

    def __dlpack__(self, **_):
        return self._view.__dlpack__()

    def __dlpack_device__(self):
        return self._view.__dlpack_device__()


class ExecutionContext:
    """The facts that a function gets about the run that calls it."""

    def __init__(self):
        from jax.experimental import buffer_callback

        self.stage = buffer_callback.ExecutionStage.EXECUTE

    @property
    def stream(self):
        from jax.errors import JaxRuntimeError

        raise JaxRuntimeError("XLA FFI GPU context is not available: the platform assay has no streams")


def _lower(ctx, *operands, callback, in_tree, out_tree, has_side_effect, input_output_aliases, **_):
    from jax import tree_util

    def call(inputs, outputs):
        for i, o in input_output_aliases:
            np.copyto(outputs[o], inputs[i])
            inputs[i] = outputs[o]
        args, kwargs = tree_util.tree_unflatten(in_tree, [Buffer(view, False) for view in inputs])
        out = tree_util.tree_unflatten(out_tree, [Buffer(view, True) for view in outputs])
        if callback(ExecutionContext(), out, *args, **kwargs) is not None:
            raise ValueError("buffer_callback callback must not return any values.")

    function = callbacks.Function(call, list(ctx.avals_in), list(ctx.avals_out), in_place=True)
    return list(callbacks.add(ctx, function, operands, has_side_effect).results)


def register():
    from jax._src import buffer_callback
    from jax._src.interpreters import mlir

    mlir.register_lowering(buffer_callback.buffer_callback_p, _lower, platform="assay")
