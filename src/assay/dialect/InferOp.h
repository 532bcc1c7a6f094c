/// The shapes of an operation's results, once the shapes of its operands are
/// known: used to run a program with `?` dimensions, operation by
/// operation.
#pragma once

#include "assay/dialect/Infer.h"

namespace assay::stablehlo {

/// The elements of the operand of this number, which is a tensor of integers:
/// a shape, a padding, slice limits.
using OperandValues = llvm::function_ref<Dims(unsigned)>;

/// The shape of each result of `op`, whose operands have static types. A result
/// whose own type is static keeps it. Errors, reported at the operation: the
/// operands have no such result, or the operation does not say its shape.
mlir::FailureOr<llvm::SmallVector<Dims>> inferResults(mlir::Operation *op,
                                                      OperandValues values);

} // namespace assay::stablehlo
