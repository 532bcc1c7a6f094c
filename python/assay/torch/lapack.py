"""Singular values, and eigenvalues of Hermitian matrices, as LAPACK's custom calls (docs/custom_calls.md): only the values, which are unique."""
import torch
from torch.fx import Node

from .. import arrays
from ..elements import mlir_type

aten = torch.ops.aten
LETTERS = {torch.float32: "s", torch.float64: "d", torch.complex64: "c", torch.complex128: "z"}


def row(node, wanted):
    """The table's row for a call ((text, places of its operands, the results that it computes)), or None. `wanted`: the numbers of its results."""
    if node.target not in VALUES or not isinstance(node.args[0], Node):
        return None
    matrix, (number, make) = node.args[0].meta["val"], VALUES[node.target]
    return (make(node, matrix), ["0"], [number]) if wanted == {number} and matrix.dtype in LETTERS else None


def _kind(shape, dtype):
    return mlir_type(dtype, [int(size) for size in shape])


def _layout(rank, is_matrix):
    """The layout of column-major matrices; batches from the last dimension on."""
    order = list(reversed(range(rank)))
    order[:2] = [rank - 2, rank - 1] if is_matrix else order[:2]
    return f"dense<{order if rank else ''}> : tensor<{rank}xindex>"


def _call(target, words, matrix, results, number):
    """A function with one call; `results`: (shape, type, whether it is of matrices)."""
    given, batch = _kind(matrix.shape, arrays.dtype_of(matrix)), matrix.dim()
    kinds = [_kind(shape, dtype) for shape, dtype, _ in results]
    layouts = ", ".join(_layout(len(shape), is_matrix) for shape, _, is_matrix in results)
    return f"""func.func public @main(%arg0: {given}) -> {kinds[number]} {{
  %0:{len(kinds)} = stablehlo.custom_call @{target}(%arg0) {{mhlo.backend_config = {{{words}}}, operand_layouts = [{_layout(batch, True)}], result_layouts = [{layouts}]}} : ({given}) -> ({", ".join(kinds)}) loc(unknown)
  return %0#{number} : {kinds[number]} loc(unknown)
}}"""


def _real(dtype):
    return "float32" if dtype in (torch.float32, torch.complex64) else "float64"


def _singular(node, matrix):
    (*lead, rows, columns), kind = matrix.shape, arrays.dtype_of(matrix)
    count = min(rows, columns)
    results = [(matrix.shape, kind, True), ([*lead, count], _real(matrix.dtype), False), ([*lead, rows, count], kind, True), ([*lead, count, columns], kind, True), (lead, "int32", False)]
    return _call(f"lapack_{LETTERS[matrix.dtype]}gesdd_ffi", f"mode = {ord('N')} : ui8", matrix, results, 1)


def _hermitian(node, matrix):
    (*lead, size, _), kind = matrix.shape, arrays.dtype_of(matrix)
    triangle = node.args[1] if len(node.args) > 1 else node.kwargs.get("UPLO", "L")
    results = [(matrix.shape, kind, True), ([*lead, size], _real(matrix.dtype), False), (lead, "int32", False)]
    routine = "heevd" if matrix.is_complex() else "syevd"
    return _call(f"lapack_{LETTERS[matrix.dtype]}{routine}_ffi", f"mode = {ord('N')} : ui8, uplo = {ord(triangle.upper())} : ui8", matrix, results, 1)


VALUES = {aten._linalg_svd.default: (1, _singular), aten._linalg_eigh.default: (0, _hermitian)}
