/// Checks that many operations share, as traits that the .td files name.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace assay::stablehlo {

/// All operands and results have compatible shapes.
mlir::LogicalResult verifySameShape(mlir::Operation *op);
/// All operands and results have compatible shapes and the same baseline
/// element type (the element type without scales and zero points).
mlir::LogicalResult verifySameBaselineType(mlir::Operation *op);

template <typename ConcreteType>
class SameShape : public mlir::OpTrait::TraitBase<ConcreteType, SameShape> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifySameShape(op);
  }
};

template <typename ConcreteType>
class SameBaselineType
    : public mlir::OpTrait::TraitBase<ConcreteType, SameBaselineType> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifySameBaselineType(op);
  }
};

} // namespace assay::stablehlo
