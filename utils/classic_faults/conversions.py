"""Conversions between types: saturation, ties, special numbers."""
import numpy as np
from table import Operation, away, bf16, cut, f16, f32, f64, flushed


def reorder(source, target, knobs=""):
    return Operation(f"reorder {source} to {target}", f"--reorder --sdt={source} --ddt={target} {knobs} 24x40")


def fits(x, low, high):
    return np.clip(np.rint(x), low, high)


s8 = reorder("f32", "s8")
s8.right(lambda x: fits(x, -128, 127).astype(np.int8))
s8.wrong("wraps", lambda x: np.rint(x).astype(np.int64).astype(np.int8))
s8.wrong("cut in place of rounded", lambda x: np.clip(np.trunc(x), -128, 127).astype(np.int8))
s8.wrong("half away from 0", lambda x: np.clip(np.trunc(x + np.copysign(f32(0.5), x)), -128, 127).astype(np.int8))
s8.wrong("saturates at -127", lambda x: fits(x, -127, 127).astype(np.int8))
s8.wrong("through 32-bit integers that overflow", lambda x: np.clip(np.where(np.abs(x) < 2.0**31, np.rint(x), -(2.0**31)), -128, 127).astype(np.int8))

u8 = reorder("f32", "u8")
u8.right(lambda x: fits(x, 0, 255).astype(np.uint8))
u8.wrong("negative numbers wrap", lambda x: np.clip(np.rint(x), -256, 255).astype(np.int64).astype(np.uint8))
u8.wrong("saturates at 127", lambda x: fits(x, 0, 127).astype(np.uint8))
u8.wrong("half away from 0", lambda x: np.clip(np.floor(x + f32(0.5)), 0, 255).astype(np.uint8))

s32 = reorder("f32", "s32")
s32.right(lambda x: np.clip(np.rint(x.astype(f64)), -(2.0**31), 2.0**31 - 1).astype(np.int32))
s32.wrong("half away from 0", lambda x: np.clip(np.trunc(x.astype(f64) + np.copysign(0.5, x)), -(2.0**31), 2.0**31 - 1).astype(np.int32))
s32.wrong("cut in place of rounded", lambda x: np.clip(np.trunc(x.astype(f64)), -(2.0**31), 2.0**31 - 1).astype(np.int32))

brain = reorder("f32", "bf16")
brain.right(lambda x: x.astype(bf16))
brain.wrong("ties away from 0", lambda x: away(x).astype(bf16))
brain.wrong("cut in place of rounded", lambda x: cut(x).astype(bf16))
brain.wrong("NaN becomes infinity: its bits below are cut", lambda x: np.where(np.isnan(x), f32(np.inf), x).astype(bf16))
brain.wrong("tiny numbers become 0", lambda x: np.where(np.abs(x) < 1e-30, f32(0), x).astype(bf16))
brain.wrong("through f16", lambda x: x.astype(f16).astype(bf16))
brain.wrong("infinity limited to the largest number", lambda x: np.clip(x, -3.3895e38, 3.3895e38).astype(bf16))

half = reorder("f32", "f16")
half.right(lambda x: x.astype(f16))
half.wrong("largest number in place of infinity", lambda x: np.clip(x, -65504, 65504).astype(f16))
half.wrong("subnormals become 0", lambda x: np.where(np.abs(x) < 2.0**-14, f32(0), x).astype(f16))
half.wrong("cut in place of rounded", lambda x: np.where(np.abs(x) < 65504, (np.ascontiguousarray(x).view(np.uint32) & 0xFFFFE000).view(f32), x).astype(f16))
half.wrong("through bf16", lambda x: x.astype(bf16).astype(f16))

wide = reorder("bf16", "f32")
wide.right(lambda x: x.astype(f32))
wide.wrong("subnormals flushed", lambda x: flushed(x.astype(f32)))
wide.wrong("NaN becomes 0", lambda x: np.nan_to_num(x.astype(f32), nan=0.0, posinf=np.inf, neginf=-np.inf))

narrower = reorder("s32", "s8")
narrower.right(lambda x: np.clip(x, -128, 127).astype(np.int8))
narrower.wrong("wraps", lambda x: x.astype(np.int8))
narrower.wrong("through 16 bits", lambda x: np.clip(x.astype(np.int16), -128, 127).astype(np.int8))

signs = reorder("s8", "u8")
signs.right(lambda x: np.clip(x, 0, 127).astype(np.uint8))
signs.wrong("negative numbers wrap", lambda x: x.astype(np.uint8))
signs.wrong("absolute values", lambda x: np.abs(x.astype(np.int16)).astype(np.uint8))

scaled = Operation("reorder with a scale", "--reorder --sdt=f32 --ddt=s8 --attr-scales=dst:common:0.5 24x40")
scaled.right(lambda x, scale: fits(x.astype(f64) / scale.reshape(()), -128, 127).astype(np.int8))
scaled.wrong("scale applied after saturation", lambda x, scale: (fits(x, -128, 127) / scale.reshape(())).clip(-128, 127).astype(np.int8))
