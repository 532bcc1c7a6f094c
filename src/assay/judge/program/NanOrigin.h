/// Where the NaNs of a product of two tensors come from.
#pragma once

#include "assay/judge/program/ErrorTracker.h"

namespace assay::judge {

/// Per element of a dot_general, whether a NaN of its factors reaches it
/// through a product that a kernel may not leave out: a computed factor of 0 (a
/// mask, a zero weight) may be skipped with all its products. nullopt: it
/// cannot be told.
std::optional<std::vector<bool>>
metByNan(llvm::ArrayRef<program::Value *> operands,
         const bool (&isComputed)[2], const WideOp &wide, ThreadPool &pool);

} // namespace assay::judge
