/// chlo.scan as the loop that it stands for.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace assay::program {

/// Rewrites every chlo.scan of static shapes: a while loop over the slices of
/// the scanned dimension, whose state is the position, the outputs so far and
/// the carries. Results and their order stay. Scans of run-time shapes stay as
/// they are.
/// Source: chlo.scan in StableHLO's dialect: results are the outputs, then the
/// last carries; is_reverse begins at the end.
void expandScans(mlir::ModuleOp module);

} // namespace assay::program
