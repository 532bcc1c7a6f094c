/// Operands that state a shape, as far as they are known before the program runs.
#pragma once

#include "assay/dialect/Infer.h"

#include "mlir/IR/Operation.h"

namespace assay::stablehlo {

/// The numbers of a shape operand that is a constant.
std::optional<Dims> knownValues(mlir::Value shape);
/// A shape operand that is known is the shape of the first result.
mlir::LogicalResult expectKnownShape(mlir::Operation *op, mlir::Value shape);

} // namespace assay::stablehlo
