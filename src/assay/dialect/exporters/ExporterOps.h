/// Exporters put operations of arith, tensor and shape on numbers and shapes
/// around programs of dynamic shapes. Here they become StableHLO.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace assay::exporters {

/// Rewrites operations of arith, tensor and shape as StableHLO: a number
/// becomes a tensor of rank 0, `index` i64, a shape a tensor of i64, a witness
/// i1 (shape.assuming asserts it). Programs without such operations, and
/// operations without a row here, are not changed.
/// Source: MLIR's documentation of the three dialects.
void lowerExporterOps(mlir::ModuleOp module);

} // namespace assay::exporters
