/// Elementwise operations on transposed tensors, done before the transposes.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace assay::engine {

/// Elementwise operations whose operands are transposed alike (constants and
/// broadcasts aside) compute in the order before the transpose, which comes
/// after them: where products read their results, which they can in place,
/// or where a planar program gets images from channels last.
void sinkTransposes(mlir::ModuleOp module);

} // namespace assay::engine
