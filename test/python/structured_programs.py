"""Single-operation StableHLO programs with random shapes and operands, batched into one module per operation.

A Case is the body of a function; `module` makes a function of each case and a @main that calls them all, so that a
whole family costs one run of each side. Floats hold small integers or halves wherever they are summed: every order of
summation is then exact and both sides must agree to the bit.
"""
import dataclasses

import ml_dtypes
import numpy as np

TYPES = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "ui8": np.uint8,
         "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64, "bf16": ml_dtypes.bfloat16, "f16": np.float16,
         "f32": np.float32, "f64": np.float64, "complex<f32>": np.complex64, "complex<f64>": np.complex128,
         "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}
INTEGERS = ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"]
FLOATS = ["bf16", "f16", "f32", "f64"]
COMPLEX = ["complex<f32>", "complex<f64>"]
ALL = [kind for kind in TYPES if kind[:2] != "f8"]
SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 11, 13]


@dataclasses.dataclass
class Case:
    """One function: operands %a0, %a1, ... of the given kinds and arrays, result types, its body without `return`."""
    kinds: list
    operands: list
    results: list          # (kind, shape)
    body: str              # defines %r, or %r:N
    bound: float = 0       # in units of eps times the largest magnitude of the result; 0: equal bits
    note: str = ""
    peer: str = ""         # the body for XLA, if it does not support `body`
    helpers: str = ""      # functions that the body calls; @NUMBER in a name becomes the case's number


def tensor(kind, shape):
    return "tensor<" + "".join(f"{n}x" for n in shape) + kind + ">"


def typeOf(case, index):
    return tensor(case.kinds[index], case.operands[index].shape)


def ints(values):
    values = [int(v) for v in values]
    return "array<i64" + (": " + ", ".join(map(str, values)) if values else "") + ">"


def bools(values):
    return "array<i1" + (": " + ", ".join("true" if v else "false" for v in values) if len(values) else "") + ">"


def listed(values):
    return "[" + ", ".join(str(int(v)) for v in values) + "]"


def pairs(values):
    """A dense tensor<Nx2xi64> of (low, high)."""
    if not len(values):
        return "dense<> : tensor<0x2xi64>"
    return "dense<[" + ", ".join(f"[{int(a)}, {int(b)}]" for a, b in values) + f"]> : tensor<{len(values)}x2xi64>"


def call(op, kinds, shapes, results, attributes="", region="", operands=None):
    """The generic form of an operation over %a0, %a1, ... ."""
    names = operands or [f"%a{i}" for i in range(len(kinds))]
    types = ", ".join(tensor(k, s) for k, s in zip(kinds, shapes))
    out = ", ".join(tensor(k, s) for k, s in results)
    left = "%r" if len(results) == 1 else f"%r:{len(results)}"
    return (f'{left} = "{op}"({", ".join(names)})' + (f" ({region})" if region else "")
            + (f" {{{attributes}}}" if attributes else "") + f" : ({types}) -> ({out})")


def case(op, kinds, operands, results, attributes="", region="", **more):
    return Case(kinds, operands, results, call(op, kinds, [o.shape for o in operands], results, attributes, region), **more)


def body(kind, operations, names=("x", "y"), kinds=None):
    """A region over scalars; `operations` must end with its return."""
    arguments = ", ".join(f"%{n}: tensor<{k}>" for n, k in zip(names, kinds or [kind] * len(names)))
    return f"{{ ^bb0({arguments}):\n    {operations}\n  }}"


def binary(op, kind):
    """The region of one binary operation."""
    return body(kind, f'%z = "stablehlo.{op}"(%x, %y) : (tensor<{kind}>, tensor<{kind}>) -> tensor<{kind}>\n'
                f'    "stablehlo.return"(%z) : (tensor<{kind}>) -> ()')


def numbers(rng, kind, shape, high=3):
    """Small integers of the kind (halves too for floats of 16 bits and more)."""
    dtype = TYPES[kind]
    if kind == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    low = 0 if kind.startswith("ui") else -high
    values = rng.integers(low, high + 1, shape)
    if kind.startswith("complex"):
        return (values + 1j * rng.integers(low, high + 1, shape)).astype(dtype)
    return np.asarray(values).astype(dtype)


def distinct(rng, kind, shape):
    """Values without ties, in random order (as far as the type has enough of them)."""
    count = int(np.prod(shape, dtype=np.int64))
    span = np.arange(count) - (0 if kind.startswith("u") else count // 2)
    return rng.permutation(span).reshape(shape).astype(TYPES[kind])


def shapeOf(rng, low=0, high=4, sizes=SIZES):
    return tuple(int(n) for n in rng.choice(sizes, rng.integers(low, high + 1)))


def module(cases, peer=False):
    functions, calls, arguments, results, names = [], [], [], [], []
    for number, one in enumerate(cases):
        types = [typeOf(one, i) for i in range(len(one.kinds))]
        outs = [tensor(k, s) for k, s in one.results]
        text = (peer and one.peer or one.body).replace("NUMBER", str(number))
        returned = ["%r"] if len(outs) == 1 else [f"%r#{i}" for i in range(len(outs))]
        functions.append(f"func.func private @case{number}({', '.join(f'%a{i}: {t}' for i, t in enumerate(types))}) -> "
                         f"({', '.join(outs)}) {{\n  {text}\n  func.return {', '.join(returned)} : {', '.join(outs)}\n}}")
        if one.helpers:
            functions.append(one.helpers.replace("NUMBER", str(number)))
        base = len(arguments)
        arguments += types
        left = f"%c{number}" + (f":{len(outs)}" if len(outs) > 1 else "")
        calls.append(f"  {left} = func.call @case{number}({', '.join(f'%i{base + i}' for i in range(len(types)))}) : "
                     f"({', '.join(types)}) -> ({', '.join(outs)})")
        names += [f"%c{number}"] if len(outs) == 1 else [f"%c{number}#{i}" for i in range(len(outs))]
        results += outs
    main = (f"func.func @main({', '.join(f'%i{i}: {t}' for i, t in enumerate(arguments))}) -> ({', '.join(results)}) {{\n"
            + "\n".join(calls) + f"\n  func.return {', '.join(names)} : {', '.join(results)}\n}}")
    return "module {\n" + main + "\n" + "\n".join(functions) + "\n}\n"
