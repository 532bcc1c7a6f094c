/// Checks that many operations share, as the traits named in the .td files.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace assay::stablehlo {

/// Checks that all operands and results have compatible shapes.
mlir::LogicalResult verifySameShape(mlir::Operation *op);
/// Checks that all operands and results have compatible shapes and the same
/// baseline element type (the element type without scales and zero points).
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
