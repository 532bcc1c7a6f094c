"""Functions in C that programs call: handlers of XLA's FFI, registered by jax.ffi.register_ffi_target for the platform `assay`, or for `cpu`,
whose memory is the same.
"""
import ctypes
import warnings

STAGES = ("instantiate", "prepare", "initialize", "execute")
# Targets that jaxlib registers for its own processor backend; the engines have these.
OWN = ("lapack_", "xla_")


def _address(capsule):
    """The pointer in a PyCapsule, whatever its name."""
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))


def register(library):
    """Takes over handlers that are registered, now and later."""
    from jaxlib import xla_client

    function = ctypes.CDLL(library).assay_pjrt_register_ffi
    function.restype, function.argtypes = ctypes.c_char_p, [ctypes.c_char_p, ctypes.c_void_p * len(STAGES)]

    def take(name, handlers, platform, api_version=0, *_):
        name = name.decode() if isinstance(name, bytes) else name
        if api_version != 1:
            if platform == "assay":
                raise ValueError(f"{name}: the platform assay takes handlers of the typed FFI, api_version=1")
            return
        stages = handlers if isinstance(handlers, dict) else {"execute": handlers}
        why = function(name.encode(), (ctypes.c_void_p * len(STAGES))(*(_address(stages[s]) if s in stages else None for s in STAGES)))
        if why:
            raise ValueError(f"{name}: {why.decode()}")

    def take_processors(name, handlers, api_version):
        own = name.decode() if isinstance(name, bytes) else name
        if not own.startswith(OWN):
            try:
                take(name, handlers, "cpu", api_version)
            except ValueError as error:  # JAX's CPU backend may still accept it
                warnings.warn(f"not callable on the platform assay: {error}", stacklevel=3)

    xla_client.register_custom_call_handler("assay", take)
    original = xla_client.register_custom_call_target

    def register_custom_call_target(name, fn, platform="cpu", api_version=0, *rest, **more):
        original(name, fn, platform, api_version, *rest, **more)
        if platform == "cpu":
            take_processors(name, fn, api_version)

    # XLA has them once its own device for processors exists; until then they are queued.
    there = [(name, stages, 1) for name, stages in xla_client.custom_call_targets("Host").items() if isinstance(stages, dict)]  # the typed FFI's
    for name, fn, api_version, *_ in there + xla_client._custom_callback.get("Host", []):
        take_processors(name, fn, api_version)
    xla_client.register_custom_call_target = register_custom_call_target
