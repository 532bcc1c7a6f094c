/// Lists the elements that fail a rule, for reports that say where they are.
#pragma once

#include "assay/numerics/Rules.h"

namespace assay::numerics {

/// The maximum number of failing elements that are listed.
inline constexpr size_t kMostFailing = 1 << 18;

/// Flat indices of the first kMostFailing failing elements, ascending;
/// Verdict::failing counts all of them. Errors: those of Rule::judge.
llvm::Expected<std::vector<int64_t>> failingElements(const Rule &rule,
                                                     const Judgement &pair);

} // namespace assay::numerics
