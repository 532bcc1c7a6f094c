"""Element types: their names in Assay, NumPy, PyTorch, and inputs that Assay fills (`assay.f32[128, 512]`).

    assay.f32[128, 512]          a specification: element type and sizes, filled by the judge
    assay.bf16[64]               the same; 16-bit and narrower floats need ml_dtypes in NumPy and JAX
"""
import math
import sys

import numpy

# Assay's word -> NumPy's and ml_dtypes' name. PyTorch has the same names, except for float8_e4m3fn and bool.
NAMES = {
    "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16",
    "f8_e5m2": "float8_e5m2", "f8_e4m3": "float8_e4m3fn", "f8_e4m3fnuz": "float8_e4m3fnuz", "f8_e5m2fnuz": "float8_e5m2fnuz",
    "f8_e3m4": "float8_e3m4", "f8_e4m3_ieee": "float8_e4m3", "f8_e4m3b11fnuz": "float8_e4m3b11fnuz",
    "f6_e2m3": "float6_e2m3fn", "f6_e3m2": "float6_e3m2fn", "f4_e2m1": "float4_e2m1fn", "e8m0": "float8_e8m0fnu",
    "s64": "int64", "s32": "int32", "s16": "int16", "s8": "int8", "s4": "int4", "s2": "int2",
    "u64": "uint64", "u32": "uint32", "u16": "uint16", "u8": "uint8", "u4": "uint4", "u2": "uint2",
    "i1": "bool", "c64": "complex64", "c128": "complex128",
}  # fmt: skip
WORDS = {name: word for word, name in NAMES.items()}
# StableHLO's spelling of the types that `assay verify` spells differently.
_STABLEHLO = {"f8E5M2": "f8_e5m2", "f8E4M3FN": "f8_e4m3", "i64": "s64", "i32": "s32", "i16": "s16", "i8": "s8", "i4": "s4",
              "f8E4M3FNUZ": "f8_e4m3fnuz", "f8E5M2FNUZ": "f8_e5m2fnuz", "f4E2M1FN": "f4_e2m1", "f8E8M0FNU": "e8m0",
              "f8E3M4": "f8_e3m4", "f8E4M3": "f8_e4m3_ieee", "f8E4M3B11FNUZ": "f8_e4m3b11fnuz",
              "f6E2M3FN": "f6_e2m3", "f6E3M2FN": "f6_e3m2", "i2": "s2",
              "complex<f32>": "c64", "complex<f64>": "c128"}  # fmt: skip


class Spec:
    """An input that Assay fills: `dtype` (NumPy's name) and `shape`."""

    def __init__(self, dtype, shape):
        try:
            self.dtype, self.shape = dtype, tuple(int(size) for size in shape)
        except (TypeError, ValueError):
            raise ValueError(f"a size is not a whole number: {shape}") from None
        if any(size < 0 for size in self.shape):
            raise ValueError(f"a size is negative: {self.shape}")

    def __repr__(self):
        return f"{WORDS[self.dtype]}[{', '.join(map(str, self.shape))}]"

    def __eq__(self, other):
        return isinstance(other, Spec) and (self.dtype, self.shape) == (other.dtype, other.shape)

    def __hash__(self):
        return hash((self.dtype, self.shape))


class Element:
    """An element type; indexing makes a Spec, `f32[()]` is a scalar."""

    def __init__(self, word):
        self.word = word

    def __getitem__(self, sizes):
        return Spec(NAMES[self.word], sizes if isinstance(sizes, tuple) else (sizes,))

    def __call__(self, *sizes):
        raise TypeError(f"sizes go into brackets: assay.{self.word}[{', '.join(map(str, sizes)) or '()'}]")

    def __repr__(self):
        return f"assay.{self.word}"


class Place:
    """Stands for the caller's tensor with this number among a kernel's arguments."""

    def __init__(self, index):
        self.index = index

    def __index__(self):
        return self.index


def placed(arguments, tensors):
    """The arguments with tensors in their places."""
    return [tensors[item.index] if isinstance(item, Place) else item for item in arguments]


def in_words(name):
    """StableHLO's spelling of a type as that of `assay verify`: i32 becomes s32; others are unchanged."""
    if name.startswith("ui") and name[2:].isdigit():
        return "u" + name[2:]
    return _STABLEHLO.get(name, name)


def numpy_name(text):
    """NumPy's name for a type in the syntax of verify, StableHLO or NumPy. Raises ValueError."""
    text = _STABLEHLO.get(text, text)
    if text in WORDS:
        return text
    if text in NAMES:
        return NAMES[text]
    raise ValueError(f"'{text}' is not an element type; there are {', '.join(NAMES)}")


def numpy_dtype(name):
    """The dtype of NumPy, or of ml_dtypes where NumPy has none. Raises ImportError with the missing module."""
    try:
        return numpy.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ImportError:
        raise ImportError(f"arrays of {name} need the package ml_dtypes, which {sys.executable} lacks ({sys.executable} -m pip install ml_dtypes)") from None
    return numpy.dtype(getattr(ml_dtypes, name))


def item_size(name):
    """Bytes of one stored element."""
    if name.startswith(("float8_", "float6_", "float4_", "int4", "uint4", "int2", "uint2")):
        return 1
    return 2 if name == "bfloat16" else numpy.dtype(name).itemsize


def packed_bits(name):
    """Bits of an element in the memory of engines of `assay verify`; in arrays each element has at least a byte."""
    if name in ("int4", "uint4", "float4_e2m1fn"):
        return 4
    return 2 if name in ("int2", "uint2") else 8 * item_size(name)


def mlir_type(dtype, shape):
    """A tensor's type in a program's syntax."""
    word = WORDS[dtype]
    spelled = {word: name for name, word in _STABLEHLO.items()}.get(word)
    if spelled is None:
        spelled = {"c64": "complex<f32>", "c128": "complex<f64>"}.get(word) or word
        spelled = "ui" + word[1:] if word[0] == "u" else spelled
    return f"tensor<{''.join(f'{size}x' for size in shape)}{spelled}>"


def row_major(shape):
    """Strides in elements."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def count(shape):
    return math.prod(shape)
