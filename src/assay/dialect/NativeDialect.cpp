// The native dialect: registration and the verifier of its groups.
#include "assay/dialect/Native.h"

namespace assay::native {

mlir::LogicalResult verifyGroup(mlir::Operation *op) {
  mlir::Block &body = op->getRegion(0).front();
  auto end = mlir::dyn_cast<ReturnOp>(body.back());
  if (body.getArgumentTypes() != op->getOperandTypes())
    return op->emitOpError("gives its region other types than its operands'");
  if (!end || end.getOperandTypes() != op->getResultTypes())
    return op->emitOpError("has a region that does not return its results");
  return mlir::success();
}

void NativeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "assay/dialect/Native.cpp.inc"
      >();
}

} // namespace assay::native

#include "assay/dialect/NativeDialect.cpp.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Native.cpp.inc"
