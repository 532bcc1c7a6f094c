// The interpreter dialect: registration and verifiers.
//
// run_parallel distributes its operands over the functions of its grid, in
// order, and returns their results in the same order.
#include "assay/dialect/Inlining.h"
#include "assay/dialect/Interpreter.h"

#include "assay/dialect/Format.h"
#include "assay/dialect/Stablehlo.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

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

/// Checks that infeed functions have no arguments and return one tensor.
static LogicalResult verifyInfeed(RunParallelOp op,
                                  SymbolTableCollection &symbols) {
  if (!op.getInfeed())
    return success();
  if (op.getInfeed()->empty())
    return op.emitOpError()
           << "attribute 'infeed' must be left out or name a function";
  for (auto name : op.getInfeed()->getAsRange<FlatSymbolRefAttr>()) {
    auto function =
        symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op, name);
    if (!function)
      return op.emitOpError()
             << "no function named '" << name.getValue() << "'";
    if (function.getNumArguments() != 0 || function.getNumResults() != 1 ||
        !isa<RankedTensorType>(function.getResultTypes()[0]))
      return op.emitOpError() << "infeed function '" << name.getValue()
                              << "' must take nothing and return one tensor";
  }
  return success();
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

/// Checks that every function of the grid exists, and that all arguments and
/// results together are the operands and results.
LogicalResult RunParallelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  SmallVector<Type> arguments, results;
  for (auto row : getPrograms().getAsRange<ArrayAttr>())
    for (auto name : row.getAsRange<FlatSymbolRefAttr>()) {
      auto function =
          symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, name);
      if (!function)
        return emitOpError() << "no function named '" << name.getValue() << "'";
      llvm::append_range(arguments, function.getArgumentTypes());
      llvm::append_range(results, function.getResultTypes());
    }
  if (!llvm::equal(arguments, getInputs().getTypes()))
    return emitOpError()
           << "operands must have the types of all arguments of the programs, "
           << arguments.size() << " values, got " << getInputs().size();
  if (!llvm::equal(results, getResultTypes()))
    return emitOpError()
           << "results must have the types of all results of the programs, "
           << results.size() << " values, got " << getNumResults();
  return verifyInfeed(*this, symbols);
}

void InterpreterDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "assay/dialect/Interpreter.cpp.inc"
      >();
  addInterfaces<InlineAnywhere>();
}

} // namespace assay::interpreter

#include "assay/dialect/InterpreterDialect.cpp.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Interpreter.cpp.inc"
