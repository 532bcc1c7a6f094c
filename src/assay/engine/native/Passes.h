/// Rewrites of a finished plan.
#pragma once

#include "assay/engine/native/NativeCompiler.h"

namespace assay::engine {

/// Rewrites the plan: small functions are put where they are called, constants
/// are computed, products take the rearrangements around them, chains of
/// elementwise operations and row reductions become fused loops. `wanted` (may
/// be empty) names operations whose results must stay; then nothing that
/// belongs to them is fused. The plan computes the same values; steps that
/// became unused are gone. Errors: those of the compiler.
llvm::Error runPasses(program::Plan &plan, const NativeCompiler &compiler,
                      const program::PlanOptions &options,
                      const std::function<bool(mlir::Operation *)> &wanted);

} // namespace assay::engine
