/// Single operations of a StableHLO program as separate programs.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace assay::trace {

/// The names of recorded operations: the location's name, else FUNCTION/ORDINAL
/// (the place among the operations of the function, regions included). Where
/// several operations of a kind have one name, like two products under one
/// `jit`, the second is NAME#2 and so on, in the order of the program's text.
class OperationPaths {
public:
  const std::string &of(mlir::Operation *op);

private:
  void addAll(mlir::Operation *root);
  llvm::DenseMap<mlir::Operation *, std::string> paths_;
};

/// A program, as bytecode, whose @main takes the operation's operands and
/// returns its results; empty when it has none, when one is not a tensor, or
/// when its regions use values from outside that are not constants.
std::string oneOpProgram(mlir::Operation *op);

} // namespace assay::trace
