/// What exporters put around programs of dynamic shapes: operations of arith,
/// tensor and shape on numbers and shapes.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace assay::exporters {

/// Rewrites operations of arith, tensor and shape as StableHLO's: a number
/// becomes a tensor without dimensions, `index` i64, a shape a tensor of i64, a
/// witness i1 (shape.assuming asserts it). Programs without such operations
/// stay as they are, and so do operations that have no row here.
/// Source: MLIR's documentation of the three dialects.
void lowerExporterOps(mlir::ModuleOp module);

} // namespace assay::exporters
