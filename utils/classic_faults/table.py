"""The rows of the table: an operation, right kernels for it, and kernels with one classic fault each."""
import re

import ml_dtypes
import numpy as np

np.seterr(all="ignore")
f16, f32, f64, bf16 = np.float16, np.float32, np.float64, ml_dtypes.bfloat16
OPERATIONS = []


class Operation:
    """`words`: those of `assay verify`. `reference`: instead of them, the name of a function of references.py, with its inputs as
    assay.f32[...]."""

    def __init__(self, name, words=None, reference=None, inputs=()):
        self.name, self.words, self.reference, self.inputs = name, words, reference, inputs
        self.kernels = []
        OPERATIONS.append(self)

    def right(self, kernel):
        self.kernels.append(Row(self, f"right {sum(row.is_right for row in self.kernels) + 1}", kernel, True))
        return kernel

    def wrong(self, fault, kernel=None):
        """The kernel with this fault; without a kernel, a decorator for one."""
        if kernel is None:
            return lambda given: self.wrong(fault, given)
        self.kernels.append(Row(self, fault, kernel, False))
        return kernel


class Row:
    def __init__(self, operation, fault, kernel, is_right):
        self.operation, self.fault, self.kernel, self.is_right = operation, fault, kernel, is_right
        self.key = re.sub(r"[^a-z0-9]+", "_", f"{operation.name} {fault}".lower()).strip("_")


def all_rows():
    """Every row, including those of right kernels, in the order of the table."""
    import conversions  # noqa: F401  these modules define the rows
    import eltwise  # noqa: F401
    import folds  # noqa: F401
    import integers  # noqa: F401
    import norms  # noqa: F401
    import products  # noqa: F401
    import programs  # noqa: F401
    import softmax  # noqa: F401
    import tensors  # noqa: F401
    import windows  # noqa: F401

    rows = [row for operation in OPERATIONS for row in operation.kernels]
    keys = [row.key for row in rows]
    assert len(keys) == len(set(keys)), sorted({key for key in keys if keys.count(key) > 1})
    return rows


def narrow(x, kind):
    """x rounded to a narrower type and back, as in a kernel that computes in that type."""
    return np.asarray(x).astype(kind).astype(f32)


def cut(x):
    """x in f32 truncated to bf16, as in kernels that shift the bits."""
    return (np.ascontiguousarray(x, f32).view(np.uint32) & 0xFFFF0000).view(f32)


def away(x):
    """x in f32 rounded to bf16 with ties away from zero: half a unit is added to the bits."""
    bits = np.ascontiguousarray(x, f32).view(np.uint32)
    return np.where(np.isfinite(x), ((bits + 0x8000) & 0xFFFF0000).view(f32), x)


def flushed(x):
    """x with subnormal numbers replaced by zero."""
    return np.where(np.abs(x) < np.finfo(f32).tiny, f32(0), x)
