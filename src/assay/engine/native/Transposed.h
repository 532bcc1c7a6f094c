/// A transpose that a pass adds to a program.
#pragma once

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/KnownType.h"
#include "mlir/IR/Builders.h"

namespace assay::engine {

/// Dimension i of the result is dimension permutation[i] of the value, whose
/// sizes are all known.
inline mlir::Value transposed(mlir::OpBuilder &builder, mlir::Value value,
                              llvm::ArrayRef<int64_t> permutation,
                              mlir::Location location) {
  mlir::RankedTensorType type = typeOfValue(value);
  llvm::SmallVector<int64_t> shape;
  for (int64_t d : permutation)
    shape.push_back(type.getDimSize(d));
  mlir::OperationState state(location,
                             stablehlo::TransposeOp::getOperationName());
  state.addOperands(value);
  state.addAttribute("permutation", builder.getDenseI64ArrayAttr(permutation));
  state.addTypes(mlir::RankedTensorType::get(shape, type.getElementType()));
  return builder.create(state)->getResult(0);
}

} // namespace assay::engine
