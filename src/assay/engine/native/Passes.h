/// Rewrites of a finished plan.
#pragma once

#include "assay/engine/native/NativeCompiler.h"

namespace assay::engine {

/// Folds transposes into the strides of the products that read them. `wanted`
/// (may be empty) names operations whose results must stay. The plan computes
/// the same values; steps that became unused are gone.
void runPasses(program::Plan &plan, const NativeCompiler &compiler,
               const std::function<bool(mlir::Operation *)> &wanted);

} // namespace assay::engine
