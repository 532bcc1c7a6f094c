/// Rewrites of a plan that need no kernel.
#pragma once

#include "assay/program/PlanBuilder.h"

namespace assay::engine {

/// Puts the steps of small functions without control flow where they are
/// called. Errors: those of the compiler.
llvm::Error inlineCalls(program::Plan &plan,
                        const program::StepCompiler &compiler,
                        const program::PlanOptions &options);

/// Computes elementwise operations and moves of constants once.
llvm::Error foldConstants(program::BlockPlan &block);

} // namespace assay::engine
