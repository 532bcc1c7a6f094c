"""Every intermediate of a JAX function as a dump that `assay summary` and `assay compare` read.

The function is traced as jax.jit traces it, and its equations run one after another, each compiled by itself: the recorded tensors are
the results of the function's operations before XLA fuses them. The function itself is not changed. Nested calls (pjit, custom derivatives,
remat) are entered; loops and branches are one equation each. An equation's path is its name stack (`jax.named_scope`, the
names of flax modules), so that a tensor is `/STEP/PATH.PRIMITIVE.N.forward_output.I`.
"""
import pathlib

import jax
import numpy
from jax.extend import core

from .. import __version__, _assay, forked

_ENTERED = ("jaxpr", "call_jaxpr", "fun_jaxpr")
_CALLS = {"jit", "pjit", "closed_call", "core_call", "remat", "checkpoint", "remat2", "custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"}


def record(function, path, *, step=1):
    """A function that computes the same as `function` and records its equations into the dump `path`.

    Each call is the next step, from `step` on; `.close()` completes the file, and so does leaving `with record(...) as f`.
    """
    return _Recorded(function, path, step)


class _Recorded(forked.Writing):
    def __init__(self, function, path, step):
        self._function, self._step = function, step
        about = [("tool", f"assay {__version__}"), ("jax", jax.__version__), ("device", str(jax.devices()[0]))]
        self._path, self._left, self._said = pathlib.Path(path), False, False
        self._writer = _assay.DumpWriter(str(self._path), about)
        forked.follow(self)

    def leave_to_parent(self):
        if self._writer is not None:
            self._left = True
            self._writer.leave_to_parent()
            self._writer = None

    def __call__(self, *args, **kwargs):
        if self._left:
            if not self._said:
                self._said = True
                forked.say_left(self._path)
            return self._function(*args, **kwargs)
        if self._writer is None:
            raise ValueError("the recording is closed")
        closed, shape = jax.make_jaxpr(self._function, return_shape=True)(*args, **kwargs)
        leaves = jax.tree_util.tree_leaves((args, kwargs))
        outputs = _Step(self._writer, self._step).run(closed.jaxpr, closed.consts, leaves, "")
        self._step += 1
        return jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(shape), outputs)

    def close(self):
        """Completes the file and writes its summary next to it."""
        try:
            if self._writer is not None:
                self._writer.close()
        finally:
            self._writer = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
        return False


class _Step:
    """Runs the equations of one call of the function."""

    def __init__(self, writer, number):
        self._writer, self._number, self._calls = writer, number, {}

    def run(self, jaxpr, constants, arguments, outer):
        values = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *arguments)))

        def read(atom):
            return atom.val if isinstance(atom, core.Literal) else values[atom]

        for equation in jaxpr.eqns:
            inputs = [read(atom) for atom in equation.invars]
            results = self._equation(equation, inputs, outer)
            values.update(zip(equation.outvars, results))
        return [read(atom) for atom in jaxpr.outvars]

    def _equation(self, equation, inputs, outer):
        scope = ".".join(part for part in (outer, str(equation.source_info.name_stack).replace("/", ".")) if part)
        inner = next((equation.params[name] for name in _ENTERED if name in equation.params), None)
        if equation.primitive.name in _CALLS and inner is not None:
            jaxpr, constants = (inner.jaxpr, inner.consts) if hasattr(inner, "jaxpr") else (inner, ())
            return self.run(jaxpr, constants, inputs, scope)
        name = f"{scope}.{equation.primitive.name}" if scope else equation.primitive.name
        call = self._calls[name] = self._calls.get(name, -1) + 1
        for i, value in enumerate(inputs):
            self._put(f"{name}.{call}.forward_input.{i}", value)
        results = equation.primitive.bind(*inputs, **equation.params)
        results = results if equation.primitive.multiple_results else [results]
        for i, value in enumerate(results):
            self._put(f"{name}.{call}.forward_output.{i}", value)
        return results

    def _put(self, name, value):
        if jax.dtypes.issubdtype(getattr(value, "dtype", numpy.dtype(float)), jax.dtypes.extended):
            return  # random keys have no bytes
        array = numpy.ascontiguousarray(value).reshape(numpy.shape(value))
        path = f"/{self._number}/{name.replace('/', '|')}"
        self._writer.put(path, array.dtype.name, list(array.shape), array.ctypes.data if array.nbytes else 0, array.nbytes)
