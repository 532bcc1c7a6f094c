/// Rewrites of a finished plan.
#pragma once

#include "assay/engine/native/NativeEngine.h"

namespace assay::engine {

/// Rewrites the plan: small functions are put where they are called, constants
/// are computed, products take the rearrangements around them, chains of
/// elementwise operations and row reductions become fused loops. Nothing that
/// belongs to operations in `request.wanted` is fused. The plan computes the
/// same values; steps that became unused are gone. Errors: those of `compiler`,
/// which compiles one operation.
llvm::Error runPasses(program::Plan &plan, const NativeEngine &engine,
                      const program::StepCompiler &compiler,
                      const PlanRequest &request);

} // namespace assay::engine
