/// Operands that state a shape, if they are known before the program runs.
#pragma once

#include "assay/dialect/Infer.h"

#include "mlir/IR/Operation.h"

namespace assay::stablehlo {

/// The numbers of a shape operand if it is a constant.
std::optional<Dims> knownValues(mlir::Value shape);
/// Checks that a known shape operand is the shape of the first result.
mlir::LogicalResult expectKnownShape(mlir::Operation *op, mlir::Value shape);

} // namespace assay::stablehlo
