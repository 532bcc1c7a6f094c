"""Python functions that a program calls: jax.pure_callback, io_callback, debug.print and debug.callback on the platform `assay`.

JAX lowers them to a custom call that its own runtimes know. Here it is `assay_python_callback` with the number of a function; the plugin calls
back by the C interface of custom calls (assay_custom_call.h), and the function sees its operands in place.
"""
import contextlib
import ctypes
import itertools
import json
import secrets
import weakref

import numpy as np

TARGET = "assay_python_callback"


class _Tensor(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_char_p), ("rank", ctypes.c_int64), ("shape", ctypes.POINTER(ctypes.c_int64)), ("data", ctypes.c_void_p)]


class _Call(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("abi_version", ctypes.c_uint32),
        ("target", ctypes.c_char_p),
        ("attributes", ctypes.c_char_p),
        ("operand_count", ctypes.c_int64),
        ("result_count", ctypes.c_int64),
        ("operands", ctypes.POINTER(_Tensor)),
        ("results", ctypes.POINTER(_Tensor)),
        ("message", ctypes.c_void_p),
        ("message_size", ctypes.c_size_t),
    ]


class Function:
    """A function of one program, with the types of its operands and results; it lives as long as the program. `in_place`: it gets views only."""

    def __init__(self, call, operands, results, in_place=False):
        self.call = call
        self.in_place = in_place
        self.operands = operands
        self.results = results


_numbers = itertools.count(secrets.randbits(48))  # random, so that a program stored by another process finds no function here
_functions = weakref.WeakValueDictionary()
_inspectors = weakref.WeakValueDictionary()  # key in a program -> the function that asked for a value's layout


def _array(tensor, dtype):
    """A view of a tensor's bytes."""
    shape = tuple(tensor.shape[:tensor.rank])
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if size == 0:
        return np.empty(shape, dtype)
    return np.frombuffer((ctypes.c_byte * size).from_address(tensor.data), np.uint8).view(dtype).reshape(shape)


@contextlib.contextmanager
def no_mesh():
    """Runs the function on the processor, without the mesh that its caller has set."""
    from jax._src import config, mesh

    place = config if hasattr(config, "device_context") else mesh  # JAX 0.12
    kept = [(place.abstract_mesh_context_manager, mesh.empty_abstract_mesh), (place.device_context, mesh.empty_concrete_mesh)]
    before = [state.swap_local(empty) for state, empty in kept]
    try:
        yield
    finally:
        for (state, _), value in zip(kept, before, strict=True):
            state.set_local(value)


def _show(key, sharding):
    from jaxlib import xla_client

    if inspector := _inspectors.get(key):
        inspector(xla_client.HloSharding.from_string(sharding))


def _cut(operands, parts):
    """The operands of each device."""
    for starts in zip(*(part["starts"] for part in parts), strict=True):
        yield [o[tuple(slice(b, b + n) for b, n in zip(at, part["shape"], strict=True))] for o, at, part in zip(operands, starts, parts, strict=True)]


def _run(call):
    attributes = json.loads(call.attributes)
    if "inspect" in attributes:
        return _show(attributes["inspect"], attributes["sharding"])
    function = _functions.get(attributes["id"])
    if function is None:
        raise RuntimeError("the Python function that the program calls is gone: it lives as long as the program that was compiled with it, in its process")
    if function.in_place:
        with no_mesh():
            function.call(*([_array(at[i], aval.dtype) for i, aval in enumerate(avals)] for at, avals in ((call.operands, function.operands), (call.results, function.results))))
        return
    operands = []
    for i, aval in enumerate(function.operands):
        view = _array(call.operands[i], aval.dtype).copy()  # the function may keep it
        view.flags.writeable = False
        operands.append(view)
    if parts := attributes.get("parts"):  # calls it with each device's part of the operands; without results
        for one in _cut(operands, json.loads(parts)):
            with no_mesh():
                function.call(*one)
        return
    with no_mesh():
        results = function.call(*operands)
    if len(results) != len(function.results):
        raise RuntimeError(f"Mismatched number of outputs from callback. Expected: {len(function.results)}, Actual: {len(results)}")
    for i, (value, aval) in enumerate(zip(results, function.results, strict=True)):
        value = function.canonical(np.asarray(value))
        if value.shape != aval.shape:
            raise RuntimeError(f"Incorrect output shape for return value #{i}: Expected: {aval.shape}, Actual: {value.shape}")
        if value.dtype != aval.dtype:
            raise RuntimeError(f"Incorrect output dtype for return value #{i}: Expected: {aval.dtype}, Actual: {value.dtype}")
        if value.size:
            _array(call.results[i], aval.dtype)[...] = value


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Call))
def _entry(pointer):
    call = pointer.contents
    try:
        _run(call)
    except BaseException as error:  # exceptions must not reach C
        text = f"{type(error).__name__}: {error}".encode()[: call.message_size - 1] + b"\0"
        ctypes.memmove(call.message, text, len(text))
        return 1
    return 0


def add(ctx, function, operands, has_side_effect, **attributes):
    """The operation that calls a function."""
    from jax._src import ffi

    number = next(_numbers)
    _functions[number] = function
    ctx.module_context.add_keepalive(function)
    return ffi.build_ffi_lowering_function(TARGET, has_side_effect=has_side_effect)(ctx, *operands, id=np.uint64(number), **attributes)


def _emit(original):
    """emit_python_callback with a lowering for the platform `assay`."""
    from jax._src import dtypes
    from jax._src.interpreters import mlir

    from . import references

    def emit(ctx, callback, token, operands, operand_avals, result_avals, *, has_side_effect, returns_token=True, partitioned=False, sharding=None):
        if list(ctx.module_context.platforms) != ["assay"]:
            return original(
                ctx,
                callback,
                token,
                operands,
                operand_avals,
                result_avals,
                has_side_effect=has_side_effect,
                returns_token=returns_token,
                partitioned=partitioned,
                sharding=sharding,
            )
        function = Function(callback, list(operand_avals), list(result_avals))
        function.canonical = dtypes.canonicalize_value
        # Steps run in the program's order, so the token adds nothing and is returned unchanged.
        ctx = ctx.replace(avals_in=list(operand_avals), avals_out=list(result_avals))
        wants_parts = {"parts": ""} if partitioned and operands and not result_avals else {}
        made = add(ctx, function, operands, has_side_effect, **wants_parts)
        references.attach_python(made, callback, ctx.avals_in, ctx.avals_out)
        if sharding is not None:
            mlir.set_sharding(ctx.module_context, made, sharding)
        return list(made.results), token, function

    return emit


def _encode(original):
    """Makes a function's key for XLA's partitioner; the plugin returns the key."""

    def encode(function):
        key = original(function)
        _inspectors[key.hex()] = function
        return key

    return encode


def register(library):
    """Lets programs on the plugin call Python functions."""
    from jax._src import callback
    from jax.interpreters import mlir
    from jaxlib import xla_client

    ctypes.CDLL(library).assay_pjrt_set_callback(_entry)
    callback.emit_python_callback = _emit(callback.emit_python_callback)
    if hasattr(mlir, "emit_python_callback"):  # the public name, which jax.experimental.sparse uses
        mlir.emit_python_callback = callback.emit_python_callback
    xla_client.encode_inspect_sharding_callback = _encode(xla_client.encode_inspect_sharding_callback)
