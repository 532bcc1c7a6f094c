/// The chlo dialect: special functions, broadcasting operations, top_k, scan,
/// ragged_dot. Classes are named as in Stablehlo.h.
#pragma once

#include "assay/dialect/StablehloAttrs.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "assay/dialect/Traits.h"

namespace assay::chlo {

/// Checks that the result of a broadcasting operation has the shape and element
/// type to which its operands broadcast.
mlir::LogicalResult verifyBroadcasts(mlir::Operation *op);

template <typename ConcreteType>
class Broadcasts : public mlir::OpTrait::TraitBase<ConcreteType, Broadcasts> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyBroadcasts(op);
  }
};

} // namespace assay::chlo

#include "assay/dialect/ChloDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "assay/dialect/ChloAttrs.h.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Chlo.h.inc"
