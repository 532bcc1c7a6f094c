"""Elementwise rows and the gradients of activations: broadcast shapes, scalars, every parameter."""
import torch

DRAWS = {}


def unary(names, make):
    for name in names.split():
        DRAWS[f"{name}.default"] = lambda d, make=make: ((make(d, d.shape()),), {})


unary("exp expm1 sin cos tan sinh cosh tanh sigmoid erf erfc exp2 atan reciprocal", lambda d, s: d.floats(s, 2, special=0.2) if d.chance(0.85) else d.ints(s, dtype=torch.int64))
unary("log log1p log2 log10 sqrt rsqrt", lambda d, s: d.uniform(s, 0.01, 9) if d.chance(0.7) else d.floats(s, 2, special=0.5))
unary("lgamma", lambda d, s: d.uniform(s, 0.1, 9) if d.chance(0.7) else d.uniform(s, -3.9, -3.1))
unary("asin acos", lambda d, s: d.uniform(s, -0.97, 0.97))
unary("asinh special_i1e", lambda d, s: d.uniform(s, 0.1, 5, d.pick(torch.float64, torch.float32)))
unary("digamma", lambda d, s: d.uniform(s, 0.1, 5, d.pick(torch.float64, torch.float32)) if d.chance(0.6) else d.pick(0.0, -0.0) * torch.ones(s))
unary("acosh", lambda d, s: d.uniform(s, 1.01, 9))
unary("atanh erfinv", lambda d, s: d.uniform(s, -0.97, 0.97))
unary("signbit", lambda d, s: d.floats(s, special=0.5) if d.chance(0.7) else d.ints(s))
unary("neg abs", lambda d, s: d.numbers(s, 0.3))
unary("sign isnan isinf logical_not", lambda d, s: d.anything(s, 0.3))
unary("floor ceil round trunc", lambda d, s: d.floats(s, 4, special=0.2) if d.chance(0.5) else d.quarters(s) if d.chance(0.7) else d.ints(s))
unary("bitwise_not", lambda d, s: d.ints(s) if d.chance(0.7) else d.bools(s))
unary("relu silu mish hardsigmoid hardswish", lambda d, s: d.floats(s, 3, special=0.1))


def binary(names, make, scalars=True, tensors=True, scalar=None):
    for name in names.split():
        if tensors:
            DRAWS[f"{name}.Tensor"] = lambda d, make=make: (d.pair(lambda s: make(d, s)), {})
        if scalars:
            DRAWS[f"{name}.Scalar"] = lambda d, make=make, scalar=scalar: ((make(d, d.shape()), scalar(d) if scalar else d.pick(d.number(), d.whole(-4, 5), float(d.whole(-3, 3)))), {})


binary("eq ne lt le gt ge", lambda d, s: d.anything(s, 0.2) if d.chance(0.6) else d.quarters(s, 2), scalars=False)
for name in ("eq", "ne", "lt", "le", "gt", "ge"):  # signed types beside numbers of both signs: PyTorch wraps a negative number beside unsigned elements
    DRAWS[f"{name}.Scalar"] = lambda d: ((d.pick(d.quarters(d.shape(), 2), d.floats(d.shape(), special=0.3), d.ints(d.shape(), dtype=torch.int32)), d.pick(d.number(), d.whole(-4, 5))), {})
binary("mul", lambda d, s: d.anything(s))
binary("bitwise_and bitwise_or bitwise_xor", lambda d, s: d.ints(s), scalar=lambda d: d.whole(0, 100))
binary("div", lambda d, s: d.floats(s, 2, 0.3) if d.chance(0.7) else d.ints(s, 1, 9))


def exact_divisors(d, integers=0.4):
    whole = d.shape()
    if d.chance(integers):
        dtype = d.pick(torch.int64, torch.int32, torch.int8)
        below = d.ints(d.joined(whole), 1, 9, dtype)
        return d.ints(whole, -100, 100, dtype), torch.where(d.bools(below.shape), below, -below)
    return d.quarters(whole), d.quarters(d.joined(whole), 4, nonzero=True)


def divisor(d):
    return d.pick(d.whole(1, 5), -d.whole(1, 5), d.number(0.25, 4), -d.number(0.25, 4))


for name in ("fmod", "remainder"):
    DRAWS[f"{name}.Tensor"] = lambda d: (exact_divisors(d), {})
    DRAWS[f"{name}.Scalar"] = lambda d: ((exact_divisors(d)[0], divisor(d)), {})
DRAWS["div.Tensor_mode"] = lambda d: (exact_divisors(d), {"rounding_mode": d.pick("floor", "trunc", None)})
DRAWS["div.Scalar_mode"] = lambda d: ((exact_divisors(d)[0], divisor(d)), {"rounding_mode": d.pick("floor", "trunc", None)})


def alphas(names):
    for name in names.split():
        DRAWS[f"{name}.Tensor"] = lambda d: (d.pair(lambda s: d.numbers(s)), {"alpha": d.pick(1, 2, -1, 0)})
        DRAWS[f"{name}.Scalar"] = lambda d: ((d.floats(d.shape()), d.number(), d.pick(1, 2, 0.5, -1)), {})


alphas("add sub rsub")
DRAWS["add.Tensor"] = lambda d: (d.pair(lambda s: d.numbers(s)), {"alpha": d.pick(1, 1, 2, -1)}) if d.chance(0.8) else (d.pair(d.bools), {"alpha": d.chance(0.7)})
for name in ("logical_and", "logical_or", "logical_xor"):
    DRAWS[f"{name}.default"] = lambda d: (d.pair(lambda s: d.anything(s)), {})
for name in ("maximum", "minimum"):
    DRAWS[f"{name}.default"] = lambda d: (d.pair(lambda s: d.floats(s, special=0.2)) if d.chance(0.7) else d.pair(d.ints), {})
for name in ("fmax", "fmin"):
    DRAWS[f"{name}.default"] = lambda d: (d.pair(lambda s: d.floats(s, special=0.4)) if d.chance(0.7) else d.pair(d.ints), {})
for name in ("bitwise_left_shift", "bitwise_right_shift"):
    DRAWS[f"{name}.Tensor"] = lambda d: (lambda s, kind: ((d.ints(s, dtype=kind), d.ints(d.joined(s), 0, 6, kind)), {}))(d.shape(), d.pick(torch.int64, torch.int32, torch.int8))
    DRAWS[f"{name}.Tensor_Scalar"] = lambda d: ((d.ints(d.shape(), dtype=d.pick(torch.int64, torch.int32)), d.whole(0, 9)), {})
    written = {"bitwise_left_shift": "__lshift__", "bitwise_right_shift": "__rshift__"}[name]
    DRAWS[f"{written}.Tensor"], DRAWS[f"{written}.Scalar"] = DRAWS[f"{name}.Tensor"], DRAWS[f"{name}.Tensor_Scalar"]


def at_poles(d, shape, low, high, kind):
    """Numbers in the range; some are zero or negative integers."""
    made = d.uniform(shape, low, high, kind)
    return torch.where(d.uniform(shape, 0, 1) < 0.3, -d.ints(shape, 0, 3, torch.int64).to(kind), made) if d.chance(0.4) else made


DRAWS["special_zeta.default"] = lambda d: (lambda s, kind: ((d.pick(d.uniform(s, 1.5, 6, kind), d.ints(s, 2, 6, torch.int64).to(kind)), at_poles(d, s, 0.5, 5, kind)), {}))(d.shape(), d.pick(torch.float64, torch.float32))
# PyTorch computes trigamma in f64 to only about nine digits.
DRAWS["polygamma.default"] = lambda d: (lambda kind: ((d.pick(0, 2, 3, 4) if kind is torch.float64 else d.whole(0, 4), d.uniform(d.shape(), 0.5, 5, kind)), {}) if d.chance(0.6) else ((d.whole(2, 4), at_poles(d, d.shape(), 0.5, 5, kind)), {}))(d.pick(torch.float64, torch.float32))
for name in ("chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he",
             "laguerre_polynomial_l", "legendre_polynomial_p"):  # fmt: skip
    DRAWS[f"special_{name}.default"] = lambda d: (lambda s, kind: ((d.uniform(s, -1.4, 1.4, kind), d.ints(d.joined(s), -1, 11, d.pick(torch.int64, torch.int32))), {}))(d.shape(), d.pick(torch.float64, torch.float32))
    if "chebyshev" in name:
        DRAWS[f"special_shifted_{name}.default"] = lambda d: (lambda s, kind: ((d.uniform(s, -0.2, 1.2, kind), d.ints(d.joined(s), -1, 11, d.pick(torch.int64, torch.int32))), {}))(d.shape(), d.pick(torch.float64, torch.float32))
DRAWS["hypot.default"] = lambda d: (d.pair(lambda s: d.floats(s, 3, special=0.2)), {})
DRAWS["nextafter.default"] = lambda d: (lambda s, kind: ((d.floats(s, special=0.2, dtype=kind), d.floats(s, special=0.2, dtype=kind)), {}))(d.shape(), d.pick(torch.float32, torch.float64))
DRAWS["copysign.Tensor"] = lambda d: (d.pair(lambda s: d.floats(s, special=0.3)), {})
DRAWS["copysign.Scalar"] = lambda d: ((d.floats(d.shape(), special=0.3), d.pick(-1.5, 2.0, -0.0, 0.0)), {})
DRAWS["atan2.default"] = lambda d: (d.pair(lambda s: d.floats(s)), {})
DRAWS["pow.Tensor_Scalar"] = lambda d: ((d.uniform(d.shape(), 0.2, 3), d.number()), {}) if d.chance(0.5) else ((d.numbers(d.shape()), d.whole(0, 4)), {})
DRAWS["pow.Tensor_Tensor"] = lambda d: (d.pair(lambda s: d.uniform(s, 0.2, 3), d.floats), {}) if d.chance(0.7) else (d.pair(lambda s: d.ints(s, -3, 3, torch.int64), lambda s: d.ints(s, 0, 4, torch.int64)), {})
DRAWS["pow.Scalar"] = lambda d: ((d.pick(2, 0.5, 3.25, 1), d.floats(d.shape())), {})


def where(d):
    whole = d.shape()
    return (d.bools(d.joined(whole)), *d.pick(lambda: (d.floats(whole), d.floats(d.joined(whole))), lambda: (d.ints(d.joined(whole)), d.ints(whole)))()), {}


DRAWS["where.self"] = where
DRAWS["masked_fill.Scalar"] = lambda d: (lambda s: ((d.numbers(s), d.bools(d.joined(s)), d.pick(d.whole(0, 5), 3, 0)), {}))(d.shape())
DRAWS["masked_fill.Tensor"] = lambda d: (lambda s: ((d.floats(s), d.bools(d.joined(s)), d.floats([])), {}))(d.shape())


def three(d, last):
    whole = d.shape()
    return (d.floats(whole), d.floats(d.joined(whole)), last(d.joined(whole)))


DRAWS["addcmul.default"] = lambda d: (three(d, d.floats), {"value": d.pick(1, 0.5, -2)})
DRAWS["addcdiv.default"] = lambda d: (three(d, lambda s: d.uniform(s, 0.5, 2)), {"value": d.pick(1, 0.5, -2)})
DRAWS["lerp.Scalar"] = lambda d: ((*three(d, d.floats)[:2], d.number(-1, 2)), {})
DRAWS["lerp.Tensor"] = lambda d: (three(d, d.floats), {})


def clamp(d):
    low, high = d.pick(None, d.number(-2, 1)), d.pick(None, d.number(-1, 2))
    return (d.floats(d.shape(), special=0.2), low, high if low is not None or high is not None else 1.0), {}


DRAWS["clamp.default"] = clamp
DRAWS["clamp.Tensor"] = lambda d: (lambda s: ((d.floats(s), d.pick(None, d.floats(d.joined(s))), d.floats(d.joined(s))), {}))(d.shape())
for name in ("clamp_min", "clamp_max"):
    DRAWS[f"{name}.default"] = lambda d: ((d.numbers(d.shape()), d.whole(0, 2)), {})
    DRAWS[f"{name}.Tensor"] = lambda d: (d.pair(lambda s: d.floats(s)), {})
DRAWS["hardtanh.default"] = lambda d: ((d.floats(d.shape(), 2), d.pick(-1, d.number(-2, 0)), d.pick(1, d.number(0, 2))), {})
DRAWS["leaky_relu.default"] = lambda d: ((d.floats(d.shape()), d.pick(0.01, d.number(0, 1))), {})
DRAWS["elu.default"] = lambda d: ((d.floats(d.shape()), d.pick(1, d.number(0.1, 2)), d.pick(1, d.number(0.1, 2)), d.pick(1, d.number(0.1, 2))), {})
DRAWS["gelu.default"] = lambda d: ((d.floats(d.shape(), 2),), {"approximate": d.pick("none", "tanh")})
DRAWS["softplus.default"] = lambda d: ((d.floats(d.shape(), 8), d.pick(1, d.number(0.25, 3)), d.pick(20, d.number(1, 9))), {})

DRAWS["threshold_backward.default"] = lambda d: (lambda s: ((d.floats(s), d.quarters(s, 1), d.pick(0, 0.25, d.number())), {}))(d.shape())
DRAWS["tanh_backward.default"] = DRAWS["sigmoid_backward.default"] = lambda d: (lambda s: ((d.floats(s), d.uniform(s, -1, 1)), {}))(d.shape())
DRAWS["silu_backward.default"] = lambda d: (lambda s: ((d.floats(s), d.floats(s, 3)), {}))(d.shape())
DRAWS["leaky_relu_backward.default"] = lambda d: (lambda s: ((d.floats(s), d.floats(s), d.pick(0.01, d.number(0.1, 1)), d.chance(0.3)), {}))(d.shape())
DRAWS["gelu_backward.default"] = lambda d: (lambda s: ((d.floats(s), d.floats(s, 2)), {"approximate": d.pick("none", "tanh")}))(d.shape())


def elu_backward(d):
    """A gradient from the operand or from the result; the latter needs an alpha of at least 0."""
    x, of_result = d.floats(d.shape(), 2), d.chance(0.4)
    alpha, scale, inner = d.pick(1, d.number(0.1, 2)), d.pick(1, d.number(0.5, 2)), d.pick(1, d.number(0.5, 2))
    given = torch.ops.aten.elu.default(x, alpha, scale, inner) if of_result else x
    return (d.floats(x.shape), alpha, scale, inner, of_result, given), {}


DRAWS["elu_backward.default"] = elu_backward
DRAWS["softplus_backward.default"] = lambda d: (lambda s: ((d.floats(s), d.floats(s, 8), d.pick(1, d.number(0.25, 3)), d.pick(20, d.number(1, 9))), {}))(d.shape())
DRAWS["hardtanh_backward.default"] = lambda d: (lambda s: ((d.floats(s), d.quarters(s, 2), -d.pick(1, 0.5), d.pick(1, 0.75)), {}))(d.shape())
DRAWS["hardswish_backward.default"] = lambda d: (lambda s: ((d.floats(s), d.quarters(s, 5)), {}))(d.shape())
DRAWS["mish_backward.default"] = lambda d: (lambda s: ((d.floats(s), d.floats(s, 3)), {}))(d.shape())
DRAWS["_prelu_kernel.default"] = lambda d: (lambda s: ((d.floats(s), d.floats(s)), {}))(d.shape())
DRAWS["_prelu_kernel_backward.default"] = lambda d: (lambda s: ((d.floats(s), d.floats(s), d.floats(s)), {}))(d.shape())
