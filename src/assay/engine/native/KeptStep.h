/// Results computed only from parameters, kept from run to run.
#pragma once

#include "assay/program/Plan.h"

namespace assay::engine {

/// Wraps the steps of `block` that read nothing but vectors of f32 among its
/// arguments, constants, and each other's results, and make little: the factors of a
/// batch normalisation. They run when one of these arguments is another tensor than
/// at the run before. Arguments of other ranks are inputs as often as parameters: results
/// from them are computed in each run, but for those of operations marked kStays
/// (FoldScales.h), which are of any size. `keepsArguments`: the caller keeps the block's
/// arguments; else constants alone are the same at each run. Returns the slots whose
/// tensors are kept.
llvm::SmallVector<program::SlotId>
keepParameterSteps(const program::FunctionPlan &function,
                   program::BlockPlan &block, bool keepsArguments);

} // namespace assay::engine
