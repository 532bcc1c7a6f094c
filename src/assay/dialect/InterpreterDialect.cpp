// The interpreter dialect: registration and verifiers. The verifier of
// run_parallel looks only at the grid itself; that the functions exist and that
// their arguments add up is known once the program is resolved.
#include "assay/dialect/Interpreter.h"

#include "assay/dialect/Format.h"
#include "assay/dialect/Stablehlo.h"

#include "mlir/Transforms/InliningUtils.h"

namespace assay::interpreter {

using namespace mlir;
using stablehlo::parseSameTypes;
using stablehlo::printSameTypes;

LogicalResult ProbeOp::verify() {
  if (getOperand().getType() == getResult().getType())
    return success();
  return emitOpError() << "returns " << getResult().getType()
                       << " for an operand of type " << getOperand().getType();
}

LogicalResult RunParallelOp::verify() {
  ArrayAttr programs = getPrograms();
  if (programs.empty() || cast<ArrayAttr>(programs[0]).empty())
    return emitOpError()
           << "attribute 'programs' must name at least one function";
  size_t partitions = cast<ArrayAttr>(programs[0]).size();
  for (auto [replica, row] : llvm::enumerate(programs.getAsRange<ArrayAttr>()))
    if (row.size() != partitions)
      return emitOpError()
             << "attribute 'programs' must be a grid: row 0 names "
             << partitions << " functions, row " << replica << " names "
             << row.size();
  return success();
}

namespace {
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void InterpreterDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "assay/dialect/Interpreter.cpp.inc"
      >();
  addInterfaces<Inliner>();
}

} // namespace assay::interpreter

#include "assay/dialect/InterpreterDialect.cpp.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Interpreter.cpp.inc"
