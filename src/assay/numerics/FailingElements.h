/// Which elements fail a rule: what a report needs to say how they lie.
#pragma once

#include "assay/numerics/Rules.h"

namespace assay::numerics {

/// As many failing elements are looked for at most.
inline constexpr size_t kMostFailing = 1 << 18;

/// Flat indices of the elements that fail, ascending, the first kMostFailing of
/// them: Verdict::failing counts all. Errors: those of Rule::judge.
llvm::Expected<std::vector<int64_t>> failingElements(const Rule &rule,
                                                     const Judgement &pair);

} // namespace assay::numerics
