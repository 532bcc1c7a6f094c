/// Passes over a program that need no kernel: calls, constants, unused results.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace assay::engine {

/// Small functions, those of composites too, are put where they are called, so
/// that layouts, chains and folding cross them.
void inlineCalls(mlir::ModuleOp module);

/// Elementwise operations and moves of constants are computed once, as the reference
/// computes them.
void foldConstants(mlir::ModuleOp module);

/// Operations without effects whose results are unused are removed.
void removeDeadCode(mlir::ModuleOp module);

} // namespace assay::engine
