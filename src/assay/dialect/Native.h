/// The native dialect: operations with a region of StableHLO that the native
/// engine runs as one step. A program never has them after it is read: each
/// group is replaced by its region's operations (program/Expansions.h).
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace assay::native {

/// Checks that the region has the operands as arguments and returns the
/// results.
mlir::LogicalResult verifyGroup(mlir::Operation *op);

/// Common code of native.gemm, native.conv, native.fused and native.attention.
template <typename ConcreteOp>
class Group : public mlir::OpTrait::TraitBase<ConcreteOp, Group> {
public:
  static mlir::LogicalResult verifyRegionTrait(mlir::Operation *op) {
    return verifyGroup(op);
  }
};

inline bool isGroup(mlir::Operation *op) { return op->hasTrait<Group>(); }

} // namespace assay::native

#include "assay/dialect/NativeDialect.h.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Native.h.inc"
