/// Calls of small functions, taken apart.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace assay::engine {

/// Calls of small functions take their operations, those that call others first.
void inlineSmallCalls(mlir::ModuleOp module);

} // namespace assay::engine
