"""The programs of the sweep: a function of JAX with its arguments, lowered, and XLA's results."""
import inspect
import warnings
import zlib

import numpy

from functions import arrays, callables, forms, random_forms


def is_array(value):
    return isinstance(value, numpy.ndarray)


def split(args):
    """(the arrays, a function that puts arrays in their places)."""
    found = []
    for arg in args:
        found += [arg] if is_array(arg) else [one for one in arg if is_array(one)] if isinstance(arg, list) else []

    def whole(values):
        values = iter(values)
        return [next(values) if is_array(arg) else [next(values) if is_array(one) else one for one in arg]
                if isinstance(arg, list) else arg for arg in args]  # fmt: skip

    return found, whole


def lower(function, args, keywords, needs_key):
    """(program text, inputs, outputs by XLA). Raises whatever JAX does."""
    import jax

    found, whole = split(args)
    if needs_key:
        found = [numpy.array([0, 7], numpy.uint32), *found]

    def call(*values):
        if needs_key:
            return function(jax.random.wrap_key_data(values[0]), *whole(values[1:]), **keywords)
        return function(*whole(values), **keywords)

    results = lambda made: [one for one in jax.tree_util.tree_leaves(made) if hasattr(one, "dtype") and not jax.dtypes.issubdtype(one.dtype, jax.dtypes.extended)]
    lowered = jax.jit(lambda *values: results(call(*values))).lower(*found)
    outputs = [numpy.asarray(one) for one in lowered.compile()(*found)]
    kept = lowered._lowering.compile_args.get("kept_var_idx", range(len(found)))  # JAX drops unused arguments
    return lowered.as_text(), [one for i, one in enumerate(found) if i in kept], outputs


def made(module, name, function, dtype, lower=lower):
    """The first form that JAX accepts and that computes something of this type; None if there is none."""
    needs_key = module == "random" or module == "nn.initializers"
    if module == "nn.initializers":
        try:
            function = function() if "key" not in inspect.signature(function).parameters else function
        except (TypeError, ValueError):
            return None
    make = arrays(dtype, sum(map(ord, module + name)))
    for args, keywords in (random_forms if needs_key else forms)(make):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                text, inputs, outputs = lower(function, args, keywords, needs_key)
        except Exception:  # noqa: BLE001 (JAX has many ways to say that it does not take these)
            continue
        if outputs and "stablehlo." in text or outputs and "chlo." in text:
            return text, inputs, outputs
    return None


def programs(pattern, types, every=1, lower=lower):
    """(label, program or None) for each function and type; `every` keeps every N-th, independently of the others."""
    for module, name, function in callables():
        for dtype in types:
            label = f"{module}.{name}.{dtype}"
            if pattern.search(label) and zlib.crc32(label.encode()) % every == 0:
                yield label, made(module, name, function, dtype, lower)
