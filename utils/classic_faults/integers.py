"""Integer arithmetic and complex numbers: limits of types, signs, quotients, numbers whose squares exceed the type."""
import numpy as np
from programs import program
from table import f32

import assay

S32, S64, U32 = assay.s32[800], assay.s64[800], assay.u32[800]
SIGNED = np.int32


def fits(x, kind=SIGNED):
    return np.clip(x, np.iinfo(kind).min, np.iinfo(kind).max).astype(kind)


add = program("add s32", "added", S32, S32)
add.right(np.add)
add.wrong("saturates", lambda x, y: fits(x.astype(np.int64) + y))
add.wrong("through f32", lambda x, y: (x.astype(f32) + y.astype(f32)).astype(np.int64).astype(SIGNED))
multiply = program("multiply s32", "multiplied", S32, S32)
multiply.right(np.multiply)
multiply.wrong("through f64", lambda x, y: fits(x.astype(np.float64) * y))
long = program("add s64", "added", S64, S64)
long.right(np.add)
long.wrong("through f64", lambda x, y: (x.astype(np.float64) + y.astype(np.float64)).astype(np.int64))
long.wrong("through 32 bits", lambda x, y: (x.astype(SIGNED) + y.astype(SIGNED)).astype(np.int64))
total = program("sum s64", "totalled", assay.s64[24, 40])
total.right(lambda x: x.sum(-1))
total.wrong("through f64", lambda x: x.astype(np.float64).sum(-1).astype(np.int64))
short = program("sum s16", "totalled", assay.s16[24, 40])
short.right(lambda x: x.sum(-1, dtype=np.int16))
short.wrong("saturates", lambda x: fits(x.sum(-1, dtype=np.int64), np.int16))
less = program("less u32", "less", U32, U32)
less.right(np.less)
less.wrong("compared as signed", lambda x, y: x.view(SIGNED) < y.view(SIGNED))
most = program("maximum u32", "greatest", U32, U32)
most.right(np.maximum)
most.wrong("compared as signed", lambda x, y: np.where(x.view(SIGNED) > y.view(SIGNED), x, y))
magnitude = program("abs s32", "magnitude", S32)
magnitude.right(np.abs)
magnitude.wrong("of the lowest number saturates", lambda x: np.abs(x.astype(np.int64)).clip(0, 2**31 - 1).astype(SIGNED))
quotient = program("divide s32", "quotient", S32, S32)
quotient.right(lambda x, y: np.trunc(x.astype(np.float64) / y).astype(SIGNED))
quotient.wrong("rounded down", lambda x, y: x // y)
quotient.wrong("through f32", lambda x, y: np.trunc(x.astype(f32) / y.astype(f32)).astype(np.int64).astype(SIGNED))
rest = program("remainder s32", "rest", S32, S32)
rest.right(np.fmod)
rest.wrong("with the divisor's sign", np.mod)
shifted = program("shift right s32", "shifted", S32)
shifted.right(lambda x: x >> 3)
shifted.wrong("logical", lambda x: (x.view(np.uint32) >> np.uint32(3)).view(SIGNED))
shifted.wrong("a quotient towards 0", lambda x: np.trunc(x / 8).astype(SIGNED))
negative = program("sign bit", "negative", assay.f32[800])
negative.right(np.signbit)
negative.wrong("less than 0", lambda x: x < 0)
signed = program("copy of a sign", "with_sign", assay.f32[800], assay.f32[800])
signed.right(np.copysign)
signed.wrong("times the sign, which may be 0", lambda x, y: np.abs(x) * np.sign(y))

C64 = assay.c64[800]
size = program("abs c64", "magnitude", C64)
size.right(np.abs)
size.wrong("root of the squares", lambda z: np.sqrt(z.real**2 + z.imag**2))
product = program("multiply c64", "multiplied", C64, C64)
product.right(np.multiply)
product.wrong("NaN becomes 0", lambda x, y: np.nan_to_num(x * y))
ratio = program("divide c64", "ratio", C64, C64)
ratio.right(np.divide)
ratio.wrong("through the square of the divisor", lambda x, y: (x * np.conj(y)) / (y.real**2 + y.imag**2))
direction = program("sign c64", "direction", C64)
direction.right(np.sign)
direction.wrong("through the squares", lambda z: z / np.sqrt(z.real**2 + z.imag**2))
spectrum = program("spectrum of real numbers", "spectrum", assay.f32[5, 64])
spectrum.right(lambda x: np.fft.rfft(x).astype(np.complex64))
spectrum.wrong("conjugate", lambda x: np.conj(np.fft.rfft(x)).astype(np.complex64))
