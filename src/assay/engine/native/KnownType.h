/// The type of a value if all of its sizes are known.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace assay::engine {

/// Null if a size is unknown, or if the value is not a tensor.
inline mlir::RankedTensorType typeOfValue(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type : mlir::RankedTensorType();
}

} // namespace assay::engine
