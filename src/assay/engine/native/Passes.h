/// Rewrites of a finished plan.
#pragma once

#include "assay/engine/native/NativeCompiler.h"

namespace assay::engine {

/// Fuses chains of elementwise steps (see Fusion.cpp). `wanted` (may be empty)
/// names operations whose results must stay.
void runPasses(program::Plan &plan, const NativeCompiler &compiler,
               const std::function<bool(mlir::Operation *)> &wanted);

} // namespace assay::engine
