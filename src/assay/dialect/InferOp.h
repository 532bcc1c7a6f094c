/// The shapes of an operation's results for given shapes of its operands. Used
/// to run a program with `?` dimensions, operation by operation.
#pragma once

#include "assay/dialect/Infer.h"

namespace assay::stablehlo {

/// The elements of the operand with this number, a tensor of integers such as a
/// shape, a padding or slice limits.
using OperandValues = llvm::function_ref<Dims(unsigned)>;

/// The shape of each result of `op`, whose operands have static types. A result
/// with a static type keeps it. Errors, reported at the operation: the operands
/// are not valid for it, or its result shape cannot be inferred.
mlir::FailureOr<llvm::SmallVector<Dims>> inferResults(mlir::Operation *op,
                                                      OperandValues values);

} // namespace assay::stablehlo
