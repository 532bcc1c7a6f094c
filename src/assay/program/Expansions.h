/// Operations as the operations that they stand for.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace assay::program {

/// Rewrites every operation of Expansions.def in others. Values keep their
/// types, the last operations their location; those in between have one that
/// isInExpansion() knows. A scan of run-time shapes stays as it is.
void expandOperations(mlir::ModuleOp module);

/// Whether an operation computes something on the way to the results of the
/// one that the program has at this place.
bool isInExpansion(mlir::Location location);

} // namespace assay::program
