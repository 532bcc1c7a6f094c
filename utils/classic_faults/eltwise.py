"""Functions of one number. The faults: intermediate values leave the type, small numbers are lost, special numbers are handled as ordinary ones."""
import math

import numpy as np
from table import Operation, bf16, cut, f16, f32, f64, flushed, narrow


def function(name, formula, knobs=""):
    """An operation of driver eltwise with its right kernel, `formula` in f64."""
    operation = Operation(f"eltwise {name}", f"--eltwise --dir=FWD_D --alg={name} {knobs} 24x40")
    operation.right(lambda x: formula(x.astype(f64)).astype(f32))
    return operation


def sigmoid(x):
    return np.where(x < 0, np.exp(np.minimum(x, 0)) / (1 + np.exp(np.minimum(x, 0))), 1 / (1 + np.exp(-np.maximum(x, 0))))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


erf = np.vectorize(math.erf, otypes=[f64])

exp = function("exp", np.exp)
exp.right(np.exp)
exp.wrong("saturates at 10", lambda x: np.exp(np.minimum(x, f32(10))))
exp.wrong("saturates at 80", lambda x: np.exp(np.minimum(x, f32(80))))
exp.wrong("0 below -50", lambda x: np.where(x < -50, f32(0), np.exp(x)))
exp.wrong("series of 12 terms", lambda x: sum(x**i / f32(math.factorial(i)) for i in range(12)).astype(f32))
exp.wrong("exponent wraps beyond 127", lambda x: (np.exp2((x * 1.4426950408889634) % 1.0) * np.exp2((np.floor(x * 1.4426950408889634) + 127) % 256 - 127.0)).astype(f32))
exp.wrong("largest number in place of infinity", lambda x: np.minimum(np.exp(x), np.finfo(f32).max))
exp.wrong("NaN at minus infinity: infinity less infinity in the reduction", lambda x: np.exp(x) + (x - x) * 0)
exp.wrong("NaN taken for the lower limit", lambda x: np.exp(np.fmin(np.fmax(x, f32(-104)), f32(89))))
exp.wrong("computed in f16", lambda x: np.exp(x.astype(f16)).astype(f32))

tanh = function("tanh", np.tanh)
tanh.right(np.tanh)


@tanh.wrong("(e^2x - 1) / (e^2x + 1)")
def tanh_by_exp(x):
    e = np.exp(2 * x)
    return (e - 1) / (e + 1)


tanh.wrong("1 - 2 / (e^2x + 1): nothing is left near 0", lambda x: 1 - 2 / (np.exp(2 * x) + 1))
tanh.wrong("x up to 0.1, as if it were linear there", lambda x: np.where(np.abs(x) < 0.1, x, np.tanh(x)))
tanh.wrong("argument limited to 3", lambda x: np.tanh(np.clip(x, -3, 3)))
tanh.wrong("NaN limited to 9", lambda x: np.tanh(np.fmin(np.fmax(x, f32(-9)), f32(9))))
tanh.wrong("Pade approximation of order 3", lambda x: (x * (27 + x * x) / (27 + 9 * x * x)).astype(f32))

logistic = function("logistic", sigmoid)
logistic.right(sigmoid)
logistic.wrong("e^x / (1 + e^x)", lambda x: np.exp(x) / (1 + np.exp(x)))
logistic.wrong("0.5 tanh(x / 2) + 0.5: nothing is left far below 0", lambda x: f32(0.5) * np.tanh(f32(0.5) * x) + f32(0.5))
logistic.wrong("0 below -20", lambda x: np.where(x < -20, f32(0), sigmoid(x)))
logistic.wrong("NaN taken for a limit", lambda x: sigmoid(np.fmax(np.fmin(x, f32(90)), f32(-90))))

srelu = function("soft_relu", softplus, "--alpha=1")
srelu.right(lambda x: np.logaddexp(x, f32(0)))
srelu.wrong("log(1 + e^x)", lambda x: np.log(1 + np.exp(x)))
srelu.wrong("log1p(e^x) overflows", lambda x: np.log1p(np.exp(x)))
srelu.wrong("log(1 + e^-|x|) loses what is far below 0", lambda x: np.maximum(x, 0) + np.log(1 + np.exp(-np.abs(x))))
srelu.wrong("x beyond 5", lambda x: np.where(x > 5, x, np.log1p(np.exp(np.minimum(x, 5)))))

log = function("log", np.log)
log.right(np.log)
log.wrong("of |x|: no NaN below 0", lambda x: np.log(np.abs(x)))
log.wrong("of at least 1e-12", lambda x: np.where(x < 0, np.log(x), np.log(np.maximum(x, f32(1e-12)))))
log.wrong("smallest number in place of minus infinity at 0", lambda x: np.maximum(np.log(x), np.finfo(f32).min))

sqrt = function("sqrt", np.sqrt)
sqrt.right(np.sqrt)
sqrt.wrong("x * rsqrt(x): NaN at 0", lambda x: x * (1 / np.sqrt(x)))
sqrt.wrong("of |x|: no NaN below 0", lambda x: np.sqrt(np.abs(x)))
sqrt.wrong("NaN taken for 0", lambda x: np.where(x < 0, np.sqrt(x), np.sqrt(np.fmax(x, f32(0)))))

swish = function("swish", lambda x: x * sigmoid(x), "--alpha=1")
swish.right(lambda x: x / (1 + np.exp(-np.where(x > -87, x, f32(-87)))) if not np.isnan(x).any() else (x * sigmoid(x)).astype(f32))
swish.wrong("x e^x / (1 + e^x)", lambda x: x * np.exp(x) / (1 + np.exp(x)))
swish.wrong("x * hardsigmoid", lambda x: x * np.clip(x / 6 + 0.5, 0, 1).astype(f32))

mish = function("mish", lambda x: x * np.tanh(softplus(x)))
mish.wrong("(e^2 + 2 e) / (e^2 + 2 e + 2) overflows", lambda x: x * (np.exp(x) ** 2 + 2 * np.exp(x)) / (np.exp(x) ** 2 + 2 * np.exp(x) + 2))
mish.wrong("x beyond 2", lambda x: np.where(x > 2, x, (x * np.tanh(softplus(x))).astype(f32)))

gelu = function("gelu_tanh", lambda x: 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3))))


@gelu.wrong("tanh by e^2y overflows")
def gelu_by_exp(x):
    e = np.exp(2 * f32(0.79788456) * (x + f32(0.044715) * x**3))
    return f32(0.5) * x * (1 + (e - 1) / (e + 1))


gelu.wrong("erf in place of tanh", lambda x: (0.5 * x * (1 + erf(x.astype(f64) / math.sqrt(2)))).astype(f32))
gelu.wrong("x sigmoid(1.702 x)", lambda x: (x * sigmoid(f32(1.702) * x)).astype(f32))

gelu_erf = function("gelu_erf", lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2))))
gelu_erf.wrong("tanh in place of erf", lambda x: (0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))).astype(f32))
gelu_erf.wrong("0 below -3", lambda x: np.where(x < -3, f32(0), 0.5 * x * (1 + erf(x.astype(f64) / math.sqrt(2)))).astype(f32))

elu = function("elu", lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))), "--alpha=1")
elu.wrong("limit of -0.9", lambda x: np.where(x > 0, x, np.maximum(np.expm1(np.minimum(x, 0)), f32(-0.9))))
elu.wrong("0 * e^x beside x: NaN where e^x is infinite", lambda x: (x > 0) * x + (x <= 0) * np.expm1(x))

relu = function("relu", lambda x: np.maximum(x, 0))
relu.wrong("NaN taken for 0", lambda x: np.fmax(x, f32(0)))
relu.wrong("(x > 0) * x: NaN at minus infinity", lambda x: (x > 0) * x)
relu.wrong("limit of 6", lambda x: np.clip(x, 0, f32(6)))

absolute = function("abs", np.abs)
absolute.wrong("root of the square", lambda x: np.sqrt(x * x))
absolute.wrong("-x below 0 by the maximum of both: NaN taken away", lambda x: np.fmax(np.fmax(x, -x), f32(0)))

square = function("square", np.square)
square.wrong("by e^(2 log|x|)", lambda x: np.exp(2 * np.log(np.abs(x))))
square.wrong("limited to 65504", lambda x: np.minimum(x * x, f32(65504)))

rounding = function("round", np.rint)
rounding.right(np.rint)
rounding.wrong("half away from 0", lambda x: np.trunc(x + np.copysign(f32(0.5), x)))
rounding.wrong("floor(x + 0.5)", lambda x: np.floor(x + f32(0.5)))
rounding.wrong("through 32-bit integers", lambda x: np.clip(np.rint(x), -(2.0**31), 2.0**31 - 1).astype(np.int64).astype(f32))

clip = function("clip", lambda x: np.clip(x, -1, 1), "--alpha=-1 --beta=1")
clip.wrong("NaN taken for a limit", lambda x: np.fmin(np.fmax(x, f32(-1)), f32(1)))

hard = function("hardswish", lambda x: x * np.clip(x / 6 + 0.5, 0, 1), "--alpha=0.16666667 --beta=0.5")
hard.wrong("NaN taken for a limit", lambda x: np.fmax(np.fmin(x * np.fmin(np.fmax(x / 6 + f32(0.5), 0), 1), np.finfo(f32).max), np.finfo(f32).min))

linear = function("linear", lambda x: 2 * x + 1, "--alpha=2 --beta=1")
linear.wrong("computed in bf16", lambda x: narrow(2 * narrow(x, bf16) + 1, bf16))
linear.wrong("shift added first", lambda x: 2 * (x + 1))

exp16 = Operation("eltwise exp bf16", "--eltwise --dir=FWD_D --alg=exp --dt=bf16 24x40")
exp16.right(lambda x: np.exp(x.astype(f32)).astype(bf16))
exp16.wrong("result cut in place of rounded", lambda x: cut(np.exp(x.astype(f32))).astype(bf16))
exp16.wrong("infinite beyond what f16 holds", lambda x: np.exp(x.astype(f32)).astype(f16).astype(bf16))

relu16 = Operation("eltwise relu bf16", "--eltwise --dir=FWD_D --alg=relu --dt=bf16 24x40")
relu16.right(lambda x: np.maximum(x, bf16(0)))
relu16.wrong("sign taken for an integer's: NaN becomes 0", lambda x: np.where(x > 0, x, bf16(0)))

linear32 = Operation("eltwise linear half", "--eltwise --dir=FWD_D --alg=linear --alpha=0.5 --beta=0 24x40")
linear32.right(lambda x: x * f32(0.5))
linear32.wrong("tiny numbers taken for 0", lambda x: np.where(np.abs(x) < 1e-20, f32(0), x * f32(0.5)))
linear32.wrong("subnormals flushed", lambda x: flushed(flushed(x) * f32(0.5)))
