"""A random program: inputs, and operations in order, each on earlier values. Its results are the values that no operation reads."""
import dataclasses

import numpy

from operations import FLOATS, INTEGERS, MOST_ELEMENTS, Use, elements, table

SIZES = (1, 2, 3, 4, 5, 8, 16)


@dataclasses.dataclass(frozen=True)
class Program:
    inputs: tuple  # arrays
    uses: tuple  # Use; operand i below len(inputs) is an input, else the result of an operation

    def results(self):
        """The values that no operation reads, without inputs."""
        read = {operand for use in self.uses for operand in use.operands}
        return [i for i in range(len(self.inputs), len(self.inputs) + len(self.uses)) if i not in read]

    def function(self, wanted=None):
        """The program as a function of its inputs, for JAX."""
        operations, wanted = table(), self.results() if wanted is None else wanted

        def run(*inputs):
            values = list(inputs)
            for use in self.uses:
                values.append(operations[use.name].build(*(values[i] for i in use.operands), *use.constants))
            return [values[i] for i in wanted]

        return run

    def __str__(self):
        value = lambda i: f"in{i}" if i < len(self.inputs) else f"v{i - len(self.inputs)}"
        lines = [f"in{i}: {a.dtype.name}{list(a.shape)}" for i, a in enumerate(self.inputs)]
        return "\n".join(lines + [f"v{n} = {use.name}({', '.join([*map(value, use.operands), *map(str, use.constants)])})" for n, use in enumerate(self.uses)])


def array(rng, dtype, shape):
    import ml_dtypes

    numpy_type = getattr(ml_dtypes, dtype) if dtype == "bfloat16" else numpy.dtype(dtype)
    if dtype in FLOATS:
        return rng.normal(size=shape).astype(numpy_type)
    return rng.integers(0 if dtype[0] == "u" else -9, 10, shape).astype(numpy_type)


def draw(rng, most_operations):
    """A program that JAX accepts."""
    import jax

    operations, names = table(), sorted(table())
    sizes = rng.choice(SIZES, 2)
    shapes = [tuple(int(n) for n in rng.choice(sizes, rng.integers(0, 4))) for _ in range(3)]
    kinds = list(rng.choice(FLOATS, 2)) + [rng.choice(INTEGERS)]
    inputs = tuple(array(rng, str(rng.choice(kinds)), shapes[rng.integers(3)]) for _ in range(rng.integers(2, 5)))
    values, uses = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in inputs], []
    for _ in range(int(rng.integers(1, most_operations + 1)) * 3):
        if len(uses) == most_operations:
            break
        name = names[rng.integers(len(names))]
        drawn = operations[name].draw(rng, values)
        if drawn is None:
            continue
        operands, constants = drawn
        try:
            made = jax.eval_shape(lambda *arrays: operations[name].build(*arrays, *constants), *(values[i] for i in operands))
        except (TypeError, ValueError, OverflowError):
            continue  # sizes that do not fit
        if elements(made.shape) <= MOST_ELEMENTS and made.dtype.name in FLOATS + INTEGERS:
            values.append(made)
            uses.append(Use(name, operands, constants))
    return Program(inputs, tuple(uses))


def only(program, result):
    """The operations that one result needs, and their inputs."""
    needed, first = {result}, len(program.inputs)
    for i in range(len(program.uses) - 1, -1, -1):
        if first + i in needed:
            needed |= set(program.uses[i].operands)
    inputs = [i for i in range(first) if i in needed]
    kept = [i for i in range(len(program.uses)) if first + i in needed]
    place = {old: new for new, old in enumerate(inputs + [first + i for i in kept])}
    uses = [dataclasses.replace(program.uses[i], operands=tuple(place[o] for o in program.uses[i].operands)) for i in kept]
    return Program(tuple(program.inputs[i] for i in inputs), tuple(uses))


def cut(program, index, value):
    """The program without operation `index`: its result becomes an input."""
    first = len(program.inputs)
    place = lambda o: o if o < first else first if o == first + index else o + 1 if o < first + index else o
    uses = [dataclasses.replace(use, operands=tuple(map(place, use.operands))) for i, use in enumerate(program.uses) if i != index]
    return Program((*program.inputs, value), tuple(uses))
