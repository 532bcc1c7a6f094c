/// Which elements fail a rule, for the report that says where they are.
#pragma once

#include "assay/numerics/Rules.h"

namespace assay::numerics {

/// The most failing elements that are looked for.
inline constexpr size_t kMostFailing = 1 << 18;

/// Flat indices of the elements that fail, ascending, the first kMostFailing of
/// them: Verdict::failing counts all. Errors: those of Rule::judge.
llvm::Expected<std::vector<int64_t>> failingElements(const Rule &rule,
                                                     const Judgement &pair);

} // namespace assay::numerics
