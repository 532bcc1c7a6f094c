"""The operations that random programs consist of: a row each, in families by their requirements. `draw` returns the operands (indices of values)
and the constants of one use, or None if no value is suitable; `build` is the JAX code."""
import dataclasses
import math
import typing

FLOATS = ("float32", "float64", "bfloat16", "float16")
INTEGERS = ("int32", "int64", "uint8", "int8", "uint32")
MOST_ELEMENTS = 4096


@dataclasses.dataclass(frozen=True)
class Use:
    """One operation of a program."""

    name: str
    operands: tuple
    constants: tuple = ()


@dataclasses.dataclass(frozen=True)
class Operation:
    draw: typing.Callable  # (rng, values) -> (operands, constants) or None; a value has dtype and shape
    build: typing.Callable  # (*arrays, *constants) -> array


def pick(rng, values, fits):
    found = [i for i, value in enumerate(values) if fits(value)]
    return found[min(len(found) - 1, int(len(found) * rng.random() ** 0.5))] if found else None  # prefers later values


def is_float(value):
    return value.dtype.name in FLOATS


def is_integer(value):
    return value.dtype.name in INTEGERS


def is_number(value):
    return is_float(value) or is_integer(value)


def unary(build, fits=is_number):
    def draw(rng, values):
        i = pick(rng, values, fits)
        return None if i is None else ((i,), ())

    return Operation(draw, build)


def binary(build, fits=is_number):
    def draw(rng, values):
        i = pick(rng, values, fits)
        if i is None:
            return None
        j = pick(rng, values, lambda value: value.dtype == values[i].dtype and value.shape == values[i].shape)
        return (i, j), ()

    return Operation(draw, build)


def by_axis(build, fits=is_number, most=None):
    """One operand and one of its dimensions."""

    def draw(rng, values):
        i = pick(rng, values, lambda value: fits(value) and value.ndim > 0 and min(value.shape) > 0 and (not most or value.size <= most))
        return None if i is None else ((i,), (int(rng.integers(values[i].ndim)),))

    return Operation(draw, build)


def draw_transpose(rng, values):
    i = pick(rng, values, lambda value: value.ndim > 1)
    return None if i is None else ((i,), (tuple(int(d) for d in rng.permutation(values[i].ndim)),))


def draw_reshape(rng, values):
    i = pick(rng, values, lambda value: value.size > 0)
    if i is None:
        return None
    left, shape = values[i].size, []
    while left > 1 and len(shape) < 3:
        factors = [f for f in range(2, left + 1) if left % f == 0]
        factor = int(rng.choice(factors))
        shape.append(factor)
        left //= factor
    return (i,), (tuple(shape) if left == 1 else (*shape, left),)


def draw_broadcast(rng, values):
    i = pick(rng, values, lambda value: value.ndim < 3 and 0 < value.size <= MOST_ELEMENTS // 4)
    return None if i is None else ((i,), ((int(rng.integers(1, 5)), *values[i].shape),))


def draw_slice(rng, values):
    i = pick(rng, values, lambda value: value.ndim > 0 and min(value.shape) > 0)
    if i is None:
        return None
    starts = tuple(int(rng.integers(n)) for n in values[i].shape)
    limits = tuple(int(rng.integers(s + 1, n + 1)) for s, n in zip(starts, values[i].shape))
    return (i,), (starts, limits, tuple(int(rng.integers(1, 3)) for _ in starts))


def draw_pad(rng, values):
    i = pick(rng, values, lambda value: is_number(value) and value.ndim > 0 and value.size <= MOST_ELEMENTS // 8)
    if i is None:
        return None
    low = lambda: int(rng.integers(-1 if min(values[i].shape) > 2 else 0, 3))
    return (i,), (tuple((low(), low(), int(rng.integers(0, 2))) for _ in values[i].shape),)


def draw_concatenate(rng, values):
    i = pick(rng, values, lambda value: value.ndim > 0 and value.size <= MOST_ELEMENTS // 2)
    if i is None:
        return None
    d = int(rng.integers(values[i].ndim))
    other = lambda value: value.shape[:d] + value.shape[d + 1:] if value.ndim > d else None
    j = pick(rng, values, lambda value: value.dtype == values[i].dtype and value.ndim == values[i].ndim and other(value) == other(values[i])
             and value.size <= MOST_ELEMENTS // 2)  # fmt: skip
    return (i, j), (d,)


def draw_dot(rng, values):
    i = pick(rng, values, lambda value: is_number(value) and value.ndim in (1, 2) and value.size > 0)
    if i is None:
        return None
    j = pick(rng, values, lambda value: value.dtype == values[i].dtype and value.ndim in (1, 2) and value.shape[0] == values[i].shape[-1])
    return None if j is None else ((i, j), ())


def draw_convolution(rng, values):
    i = pick(rng, values, lambda value: is_float(value) and value.ndim == 3 and min(value.shape) > 0)
    if i is None:
        return None
    j = pick(rng, values, lambda value: value.dtype == values[i].dtype and value.ndim == 3 and value.shape[1] == values[i].shape[1] and min(value.shape) > 0
             and value.shape[2] <= values[i].shape[2])  # fmt: skip
    return None if j is None else ((i, j), (int(rng.integers(1, 3)), str(rng.choice(["VALID", "SAME"]))))


def draw_take(rng, values):
    i = pick(rng, values, lambda value: value.ndim > 0 and min(value.shape) > 0)
    j = pick(rng, values, lambda value: is_integer(value) and value.ndim < 2 and value.size <= 64)
    if i is None or j is None or values[i].size * max(values[j].size, 1) > MOST_ELEMENTS:
        return None
    return (i, j), (int(rng.integers(values[i].ndim)), str(rng.choice(["clip", "wrap"])))


def draw_scatter(rng, values):
    i = pick(rng, values, lambda value: is_number(value) and value.ndim == 1 and value.size > 0)
    if i is None:
        return None
    j = pick(rng, values, lambda value: is_integer(value) and value.ndim == 1 and value.dtype.name != "uint8")
    k = j if j is None else pick(rng, values, lambda value: value.dtype == values[i].dtype and value.shape == values[j].shape)
    return None if k is None else ((i, j, k), ())


def draw_dynamic_slice(rng, values):
    i = pick(rng, values, lambda value: value.ndim > 0 and min(value.shape) > 0)
    j = pick(rng, values, lambda value: value.dtype.name in ("int32", "int64") and value.ndim == 0)
    if i is None or j is None:
        return None
    return (i, j), (tuple(int(rng.integers(1, n + 1)) for n in values[i].shape),)


def draw_convert(rng, values):
    i = pick(rng, values, is_number)
    # Conversions of floats to narrow integers are left out: the result for values that do not fit depends on the machine.
    targets = FLOATS + INTEGERS if i is not None and is_integer(values[i]) else (*FLOATS, "int32", "int64")
    return None if i is None else ((i,), (str(rng.choice(targets)),))


def draw_select(rng, values):
    i = pick(rng, values, is_number)
    if i is None:
        return None
    alike = lambda value: value.dtype == values[i].dtype and value.shape == values[i].shape
    return (i, pick(rng, values, alike), pick(rng, values, alike)), (str(rng.choice(["lt", "ge", "eq"])),)


def draw_loop(rng, values):
    found = binary(None, is_float).draw(rng, values)
    return None if found is None else (found[0], (int(rng.integers(1, 5)),))


def draw_iota(rng, values):
    del values
    return (), (str(rng.choice(["float32", "int32", "int64"])), tuple(int(rng.integers(1, 6)) for _ in range(int(rng.integers(1, 3)))))


def table():
    """name -> Operation."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    compare = {"lt": lax.lt, "ge": lax.ge, "eq": lax.eq}
    floats = {name: unary(getattr(jnp, name), is_float) for name in
              ("tanh", "exp2", "sin", "cos", "floor", "ceil", "round", "sign", "arctan", "expm1")}  # fmt: skip
    floats |= {
        "exp": unary(lambda x: jnp.exp(jnp.clip(x, -8, 8)), is_float), "log1p": unary(lambda x: jnp.log1p(jnp.abs(x)), is_float),
        "rsqrt": unary(lambda x: lax.rsqrt(jnp.abs(x) + 0.5), is_float), "sqrt": unary(lambda x: jnp.sqrt(jnp.abs(x)), is_float),
        "logistic": unary(jax.nn.sigmoid, is_float), "erf": unary(lax.erf, is_float), "relu": unary(jax.nn.relu), "gelu": unary(jax.nn.gelu, is_float),
        "cbrt": unary(lax.cbrt, is_float), "reciprocal": unary(lambda x: 1 / (jnp.abs(x) + 1), is_float),
        "divide": binary(lambda x, y: x / (jnp.abs(y) + 1), is_float), "atan2": binary(lax.atan2, is_float),
        "power": binary(lambda x, y: jnp.power(jnp.abs(x) + 0.5, jnp.clip(y, -2, 2)), is_float),
        "softmax": by_axis(jax.nn.softmax, is_float), "logsumexp": by_axis(lambda x, d: jax.nn.logsumexp(x, axis=d), is_float),
        "mean": by_axis(jnp.mean, is_float), "variance": by_axis(jnp.var, is_float),
        "convolution": Operation(draw_convolution, lambda x, w, stride, padding: lax.conv(x, w, (stride,), padding)),
        "loop": Operation(draw_loop, lambda x, y, n: lax.fori_loop(0, n, lambda i, v: jnp.tanh(v + y) * 0.5, x)),
        "scan": by_axis(lambda x, d: lax.scan(lambda c, row: (c * 0.5 + row, c), jnp.zeros_like(jnp.moveaxis(x, d, 0)[0]), jnp.moveaxis(x, d, 0))[1], is_float),
        "cond": binary(lambda x, y: lax.cond(jnp.ravel(x)[0] > 0 if x.size else True, lambda: x + y, lambda: x - y), is_float),
    }  # fmt: skip
    integers = {name: binary(getattr(lax, name), is_integer) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")}
    integers |= {
        "not": unary(lax.bitwise_not, is_integer), "popcount": unary(lax.population_count, is_integer), "clz": unary(lax.clz, is_integer),
        "shift": binary(lambda x, y: lax.shift_left(x, y & 7), is_integer), "shift_right": binary(lambda x, y: lax.shift_right_logical(x, y & 7), is_integer),
        "int_divide": binary(lambda x, y: lax.div(x, y | 1), is_integer), "remainder": binary(lambda x, y: lax.rem(x, y | 1), is_integer),
    }  # fmt: skip
    moves = {
        "transpose": Operation(draw_transpose, jnp.transpose), "reshape": Operation(draw_reshape, jnp.reshape),
        "broadcast": Operation(draw_broadcast, jnp.broadcast_to), "slice": Operation(draw_slice, lax.slice),
        "pad": Operation(draw_pad, lambda x, config: lax.pad(x, x.dtype.type(0), config)),
        "concatenate": Operation(draw_concatenate, lambda x, y, d: lax.concatenate([x, y], d)),
        "reverse": by_axis(lambda x, d: lax.rev(x, (d,)), lambda value: True), "take": Operation(draw_take, lambda x, i, d, mode: jnp.take(x, i, axis=d, mode=mode)),
        "scatter_add": Operation(draw_scatter, lambda x, i, u: x.at[i].add(u, mode="drop")),
        "dynamic_slice": Operation(draw_dynamic_slice, lambda x, i, sizes: lax.dynamic_slice(x, (i,) * x.ndim, sizes)),
        "convert": Operation(draw_convert, lambda x, dtype: jnp.clip(x, -1000, 1000).astype(dtype) if x.dtype.kind not in "iu" else x.astype(dtype)),
        "select": Operation(draw_select, lambda x, y, z, how: jnp.where(compare[how](x, y), y, z)), "iota": Operation(draw_iota, lambda dtype, shape: lax.broadcasted_iota(dtype, shape, 0)),
        "sort": by_axis(lambda x, d: jnp.sort(x, axis=d)), "argmax": by_axis(lambda x, d: jnp.argmax(x, axis=d)), "cumsum": by_axis(jnp.cumsum),
        "sum": by_axis(lambda x, d: jnp.sum(x, axis=d)), "max": by_axis(lambda x, d: jnp.max(x, axis=d)), "min": by_axis(lambda x, d: jnp.min(x, axis=d)),
        "prod": by_axis(lambda x, d: jnp.prod(x, axis=d), most=64), "cummax": by_axis(lambda x, d: lax.cummax(x, axis=d)),
        "add": binary(lax.add), "subtract": binary(lax.sub), "multiply": binary(lax.mul), "maximum": binary(lax.max), "minimum": binary(lax.min),
        "negate": unary(lax.neg), "abs": unary(jnp.abs), "square": unary(lax.square), "dot": Operation(draw_dot, lambda x, y: jnp.dot(x, y)),
        "clamp": unary(lambda x: lax.clamp(x.dtype.type(0), x, x.dtype.type(3))),
    }  # fmt: skip
    return floats | integers | moves


def elements(shape):
    return math.prod(shape)
