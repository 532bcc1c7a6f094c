/// Single operations of a StableHLO program as programs of their own.
#pragma once

#include "mlir/IR/Operation.h"

#include <string>

namespace assay::trace {

/// The name of a recorded operation: its location's name, else
/// FUNCTION/ORDINAL (its place among the operations of its function, regions
/// included).
std::string operationPath(mlir::Operation *op);

/// A program, as bytecode, whose @main takes the operation's operands and
/// returns its results; empty when it has none, when one is not a tensor, or when
/// its regions use values from outside.
std::string oneOpProgram(mlir::Operation *op);

} // namespace assay::trace
