/// The native dialect: operations with a region of StableHLO that the native
/// engine runs as one step. Programs that are read have none: a group is
/// replaced by its region (program/Expansions.h).
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace assay::native {

/// The region's arguments are the operands, it returns the results.
mlir::LogicalResult verifyGroup(mlir::Operation *op);

/// What native.gemm, native.conv, native.fused and native.attention have in common.
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
