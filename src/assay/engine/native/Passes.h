/// Rewrites of a finished plan.
#pragma once

#include "assay/engine/native/NativeEngine.h"

namespace assay::engine {

/// Rewrites the plan: products take the rearrangements around them, chains of
/// elementwise operations and row reductions become fused loops. Nothing that
/// belongs to operations in `request.wanted` is fused. The plan computes the
/// same values; steps that became unused are gone.
void runPasses(program::Plan &plan, const NativeEngine &engine,
               const PlanRequest &request);

} // namespace assay::engine
