"""Functions that write into their arguments, as functions that return the written values: `check(mutates=…)`.

    kernel, reference = wrapped(kernel, reference, mutates)

The arguments are copied, the function runs on the copies, and these follow its results: they are judged like results. Without
`mutates`, the schema of an operator of PyTorch (`torch.ops.aten.add_.Tensor`) determines which of its arguments it writes to.
"""
import inspect

from . import arrays, frameworks


class Mutating:
    """A function with copies of the arguments at `places`; `returns`: they follow its results."""

    def __init__(self, function, places, returns=True):
        self.__wrapped__, self.places, self.returns = function, places, returns
        self.__name__ = getattr(function, "__name__", None) or type(function).__name__
        names = dict(enumerate(_parameters(function)))
        self.written = [names.get(place, f"input {place}") for place in places] if returns else []

    def __call__(self, *arguments, **keywords):
        given = list(arguments)
        for place in self.places:
            given[place] = _copied(given[place])
        results = self.__wrapped__(*given, **keywords)
        if not self.returns:
            return results
        written = tuple(given[place] for place in self.places)
        return written if results is None else (results, *written)


def wrapped(kernel, reference, mutates, count):
    """The kernel and the reference, each unchanged or as a Mutating. `count`: of the inputs. Raises ValueError."""
    if mutates is None:
        places, of_reference = _by_schema(kernel, count), _by_schema(reference, count)
        if not places:
            return kernel, reference
        both = len(places) == len(of_reference)  # else the reference has no new values to compare with
        return Mutating(kernel, places, both), Mutating(reference, of_reference) if both else reference
    if kernel is None:
        raise ValueError("mutates says what a kernel writes to; an engine runs programs, which do not")
    names = (mutates,) if isinstance(mutates, (str, int)) else tuple(mutates)
    places = [_place(kernel, name, count) for name in names]
    if not callable(reference) or frameworks.used_by(reference) == "jax":
        return Mutating(kernel, places), reference
    return Mutating(kernel, places), Mutating(reference, [_place(reference, name, count) for name in names])


def _copied(value):
    framework = arrays.framework_of(value)
    if framework == "jax":
        raise ValueError("mutates: JAX's arrays are not written to; framework= names the kernel's own")
    return value.clone() if framework == "torch" else value.copy()


def _parameters(function):
    """The names of a callable's parameters, by its signature or its schema."""
    schema = getattr(function, "_schema", None)
    if schema is not None:
        return [argument.name for argument in schema.arguments]
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _place(function, name, count):
    """The position of an argument that is named, or given as its number. Raises ValueError."""
    names = _parameters(function)
    place = name if isinstance(name, int) else names.index(name) if name in names else None
    if place is None:
        whose = getattr(function, "__name__", None) or type(function).__name__
        raise ValueError(f"mutates: {whose} has no parameter {name!r}; it has {', '.join(names) or 'no names: give the number'}")
    if not 0 <= place < count:
        raise ValueError(f"mutates: argument {name!r} is not among the {count} inputs")
    return place


def _by_schema(function, count):
    schema = getattr(function, "_schema", None)
    if schema is None:
        return []
    written = [i for i, argument in enumerate(schema.arguments) if argument.alias_info is not None and argument.alias_info.is_write]
    return written if all(place < count for place in written) else []
