"""JAX on Assay: `JAX_PLATFORMS=assay python SCRIPT.py` runs a script's programs on Assay's engines, through the PJRT plugin pjrt_assay.so.

JAX calls `initialize` when it looks for its devices (entry point `jax_plugins`; in a source checkout the folder python/jax_plugins).
"""
import collections
import ctypes
import dataclasses
import os
import pathlib

_done = False


def library():
    """The plugin's path: ASSAY_PJRT_LIBRARY, that of an installed wheel, or that of a build of this checkout; None if there is none."""
    here = pathlib.Path(__file__).resolve()
    places = [here.parents[1] / "lib" / "pjrt_assay.so"]
    places += [here.parents[3] / "build" / preset / "lib" / "pjrt_assay.so" for preset in ("release", "debug")]
    if given := os.environ.get("ASSAY_PJRT_LIBRARY"):
        places = [pathlib.Path(given)]
    return next((str(place) for place in places if place.is_file()), None)


def _refusal(path):
    """Why the library is not Assay's plugin; empty if it is."""
    try:
        loaded = ctypes.CDLL(path)
    except OSError as error:
        return str(error)
    if hasattr(loaded, "assay_pjrt_set_callback"):
        return ""
    return f"{path} is not Assay's plugin; another one is an engine on trial: assay run --engine pjrt:{path}"


def _refuse(words):
    """JAX shows the text where the platform is requested."""
    from jax._src import xla_bridge

    def make():
        raise RuntimeError(words)

    xla_bridge._nonexperimental_plugins.add("assay")
    xla_bridge.register_backend_factory("assay", make, priority=-100, fail_quietly=True)


def _call_exported(ctx, *values, exported):
    """Lets programs that were exported for processors run here: the plugin supports everything that JAX lowers for them."""
    from jax._src.export import _export

    if "assay" not in exported.platforms:
        exported = dataclasses.replace(exported, platforms=tuple("assay" if name == "cpu" else name for name in exported.platforms))
    return _export._call_exported_lowering(ctx, *values, exported=exported)


def _branch_of_processors(original):
    """A lowering of jax.lax.platform_dependent: without a default or a choice for `assay`, the one for processors is used."""

    def lower(ctx, *values, **params):
        choices = params.get("branches_platforms")
        if choices and None not in choices and not any("assay" in names for names in choices):
            params["branches_platforms"] = tuple((*names, "assay") if "cpu" in names else names for names in choices)
        return original(ctx, *values, **params)

    return lower


def _rule_of_processors(original):
    """The same for a lowering with rules by platform (pallas_call, the index of a platform)."""

    def lower(ctx, description, platform_rules, default_rule, *rest, **more):
        if default_rule is None and "cpu" in platform_rules:
            platform_rules = {"assay": platform_rules["cpu"], **platform_rules}
        return original(ctx, description, platform_rules, default_rule, *rest, **more)

    return lower


def _options():
    """The plugin's options: virtual devices as in JAX's configuration, unless ASSAY_DEVICES is set; the program that runs another plugin."""
    from jax._src import xla_bridge

    from .. import program

    count = xla_bridge.num_cpu_devices.value
    chosen = {} if os.environ.get("ASSAY_DEVICES") or count < 0 else {"devices": str(count)}
    if os.environ.get("ASSAY_ENGINE", "").startswith("pjrt:"):
        chosen["worker"] = program.find()
    return chosen


def initialize():
    """Registers the platform `assay`. It is not the default: JAX_PLATFORMS=assay selects it."""
    global _done
    path = library()
    given = os.environ.get("ASSAY_PJRT_LIBRARY")
    if _done or (path is None and not given):
        return
    _done = True
    if refusal := _refusal(path) if path else f"no file '{given}'":
        return _refuse(f"ASSAY_PJRT_LIBRARY: {refusal}")
    import jax
    from jax._src import core, custom_partitioning, xla_bridge
    from jax._src.export import _export
    from jax._src.interpreters import mlir
    from jax._src.lax.control_flow import conditionals

    from . import buffers, cache, callbacks, exchange, foreign, options, references

    xla_bridge._nonexperimental_plugins.add("assay")
    # Never preferred to the processor's own backend unless asked.
    xla_bridge.register_plugin("assay", priority=-100, library_path=path, options=_options)
    # The run may use a donated array's memory.
    if "assay" not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append("assay")
    # Operations with a lowering for processors (LAPACK's, FFTs) use it here, too; rules registered for `assay` take precedence.
    lowerings = mlir._platform_specific_lowerings
    lowerings["assay"] = collections.ChainMap(lowerings["assay"], lowerings["cpu"])
    # A program for several devices runs as a whole: operations that a partitioner would split by a Python rule are computed as written.
    mlir.register_lowering(
        custom_partitioning.custom_partitioning_p,
        lambda ctx, *values, call, **_: mlir.lower_fun(core.jaxpr_as_fun(call), multiple_results=True)(ctx, *values),
        platform="assay",
    )
    mlir.register_lowering(conditionals.cond_p, _branch_of_processors(conditionals._cond_lowering), platform="assay")
    mlir.lower_per_platform = _rule_of_processors(mlir.lower_per_platform)
    mlir.register_lowering(_export.call_exported_p, _call_exported, platform="assay")
    buffers.register()
    cache.register()
    callbacks.register(path)
    exchange.register()
    foreign.register(path)
    options.register()
    references.register()
    # jax.pure_callback puts its operands on the processor's device, so that device must exist too, after this one.
    if jax.config.jax_platforms == "assay":
        jax.config.update("jax_platforms", "assay,cpu")
