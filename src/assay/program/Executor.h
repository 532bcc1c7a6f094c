/// Runs a plan: an explicit stack of frames (calls, loops, branches, regions),
/// one step after the other; allocates what the steps write under the memory
/// budget, frees slots at their last use, carries shadows, tells observers.
#pragma once

#include "assay/program/Observer.h"
#include "assay/program/Plan.h"

namespace assay::program {

/// Runs the entry function. Errors carry the operation, its location, the call
/// path and the operand types.
llvm::Expected<std::vector<Value>> execute(const Plan &plan,
                                           llvm::ArrayRef<Tensor> arguments,
                                           RunContext &context);

} // namespace assay::program
