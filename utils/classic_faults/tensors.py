"""Binary operations, and operations that move elements."""
import numpy as np
from table import Operation, away, bf16, cut, f32, f64, flushed, narrow


def binary(name, formula, types="f32:f32", target="f32"):
    operation = Operation(f"binary {name}" + ("" if target == "f32" else f" {target}"), f"--binary --sdt={types} --ddt={target} --alg={name} 24x40:24x40")
    operation.right(formula)
    return operation


def fits(x, low=-128, high=127):
    return np.clip(x, low, high).astype(np.int8)


most = binary("max", np.maximum)
most.wrong("NaN of one side passed over", np.fmax)
most.wrong("NaN of the second side kept alone: x > y ? x : y", lambda x, y: np.where(x > y, x, y))
least = binary("min", np.minimum)
least.wrong("NaN of one side passed over", np.fmin)
least.wrong("(x + y - |x - y|) / 2", lambda x, y: (x + y - np.abs(x - y)) / 2)

add = binary("add", lambda x, y: x + y)
add.wrong("computed in bf16", lambda x, y: narrow(narrow(x, bf16) + narrow(y, bf16), bf16))
add.wrong("tiny numbers taken for 0", lambda x, y: np.where(np.abs(x) < 1e-30, f32(0), x) + np.where(np.abs(y) < 1e-30, f32(0), y))
multiply = binary("mul", lambda x, y: x * y)
multiply.wrong("0 times anything is 0", lambda x, y: np.where((x == 0) | (y == 0), f32(0), x * y))
multiply.wrong("by logarithms of |x|", lambda x, y: np.sign(x) * np.sign(y) * np.exp(np.log(np.abs(x)) + np.log(np.abs(y))))
multiply.wrong("tiny factors taken for 0", lambda x, y: np.where(np.abs(x) < 1e-30, f32(0), x) * y)
divide = binary("div", lambda x, y: x / y)
divide.wrong("divisor moved away from 0 by 1e-6", lambda x, y: x / (y + np.copysign(f32(1e-6), y)))
divide.wrong("0 where the divisor is 0", lambda x, y: np.where(y == 0, f32(0), x / np.where(y == 0, f32(1), y)))
divide.wrong("reciprocal of 12 bits", lambda x, y: x * narrow(1 / y.astype(f64), np.float16) if False else x * cut(1 / y))

equal = binary("eq", lambda x, y: (x == y).astype(f32))
equal.wrong("within 1e-3", lambda x, y: (np.abs(x - y) < 1e-3).astype(f32))
equal.wrong("by bits: NaN equals NaN", lambda x, y: ((x.view(np.uint32) == y.view(np.uint32)) | ((x == 0) & (y == 0))).astype(f32))
atleast = binary("ge", lambda x, y: (x >= y).astype(f32))
atleast.wrong("not less: true for NaN", lambda x, y: 1 - (x < y).astype(f32))
atleast.wrong("greater alone", lambda x, y: (x > y).astype(f32))

bytes_ = binary("add", lambda x, y: fits(x.astype(f32) + y.astype(f32)), "s8:s8", "s8")
bytes_.wrong("wraps", lambda x, y: x + y)
subtract = binary("sub", lambda x, y: fits(x.astype(f32) - y.astype(f32)), "u8:u8", "s8")
subtract.wrong("wraps below 0 in u8", lambda x, y: fits((x - y).astype(f32)))
brain = binary("mul", lambda x, y: (x.astype(f32) * y.astype(f32)).astype(bf16), "bf16:bf16", "bf16")
brain.wrong("ties away from 0", lambda x, y: away(x.astype(f32) * y.astype(f32)).astype(bf16))
brain.wrong("result cut in place of rounded", lambda x, y: cut(x.astype(f32) * y.astype(f32)).astype(bf16))

select = Operation("binary select", "--binary --alg=select 24x40:24x40")
select.right(lambda x, y, c: np.where(c != 0, x, y))
select.wrong("c x + (1 - c) y: NaN and infinity of the other side", lambda x, y, c: (c != 0).astype(f32) * x + (c == 0).astype(f32) * y)

leaky = Operation("prelu", "--prelu --dir=FWD_I 24x40:24x40")
leaky.right(lambda x, w: np.where(x > 0, x, x * w))
leaky.wrong("max(x, 0) + w min(x, 0): NaN taken for 0", lambda x, w: np.fmax(x, 0) + w * np.fmin(x, 0))
leaky.wrong("max(x, w x)", lambda x, w: np.maximum(x, w * x))

total = Operation("sum", "--sum --sdt=f32:f32 --scales=2:0.5 24x40")
total.right(lambda x, y: 2 * x + f32(0.5) * y)
total.wrong("computed in bf16", lambda x, y: narrow(2 * narrow(x, bf16) + 0.5 * narrow(y, bf16), bf16))
total.wrong("scales exchanged", lambda x, y: f32(0.5) * x + 2 * y)
bytesum = Operation("sum s8", "--sum --sdt=s8:s8 --ddt=s8 --scales=1:1 24x40")
bytesum.right(lambda x, y: fits(x.astype(f32) + y.astype(f32)))
bytesum.wrong("wraps", lambda x, y: x + y)

joined = Operation("concat", "--concat --axis=1 24x40:24x20")
joined.right(lambda x, y: np.concatenate([x, y], 1))
joined.wrong("subnormals flushed", lambda x, y: flushed(np.concatenate([x, y], 1)))
joined.wrong("NaN becomes 0", lambda x, y: np.nan_to_num(np.concatenate([x, y], 1), nan=0.0, posinf=np.inf, neginf=-np.inf))

shuffled = Operation("shuffle", "--shuffle --axis=1 --group=4 24x40")
shuffled.right(lambda x: np.ascontiguousarray(x.reshape(24, 10, 4).swapaxes(1, 2)).reshape(24, 40) * f32(1))
shuffled.wrong("group and size exchanged", lambda x: np.ascontiguousarray(x.reshape(24, 4, 10).swapaxes(1, 2)).reshape(24, 40) * f32(1))
