"""jax_compilation_cache_dir on the platform `assay`: JAX keeps compiled programs for platforms that it knows by name. One that is read again is
planned again, which takes as long as at first.
"""
import types

from . import callbacks


def _calls_python(module):
    """Whether a program calls a Python function: another process does not have it."""
    from jax._src.lib.mlir import ir

    found = False

    def look(operation):
        nonlocal found
        target = operation.attributes["call_target_name"] if operation.name == "stablehlo.custom_call" else None
        found = found or (target is not None and ir.StringAttr(target).value == callbacks.TARGET)
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    module.operation.walk(look)
    return found


def register():
    """Lets JAX keep programs of this platform too; other platforms are unchanged."""
    from jax._src import compilation_cache, compiler

    is_used, key_of, write = compilation_cache.is_cache_used, compilation_cache.get_cache_key, compiler._cache_write
    known = types.SimpleNamespace(platform="cpu")
    calling_python = set()

    def get_cache_key(module, devices, compile_options, backend, *rest, **more):
        key = key_of(module, devices, compile_options, backend, *rest, **more)
        if backend.platform == "assay" and _calls_python(module):
            calling_python.add(key)
        return key

    def cache_write(key, seconds, name, backend, executable, *host_callbacks):
        if key not in calling_python:
            write(key, seconds, name, backend, executable, *host_callbacks)
        elif host_callbacks:  # JAX 0.10 says that it does not keep programs with callbacks; the newest has no such check
            write(key, seconds, name, backend, executable, [callbacks.TARGET])

    compilation_cache.is_cache_used = lambda backend: is_used(known if backend.platform == "assay" else backend)
    compilation_cache.get_cache_key = get_cache_key
    compiler._cache_write = cache_write
