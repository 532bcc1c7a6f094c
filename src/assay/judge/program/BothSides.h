/// `assay run --expect FILE --rule bound`: the results of a run and those in a
/// file, each against the truth.
#pragma once

#include "assay/judge/program/ProgramJudge.h"
#include "assay/program/Expect.h"

namespace assay::judge {

/// Each side must pass `judge` (prepared, rule bound, mistrustsUnbounded)
/// alone: the bound is the error bound of one correct implementation. errorGot
/// and errorExpected of a verdict are the largest error of a side as a share of
/// the allowed error. Where a bound says less than rule dtype, that rule
/// decides; where that rule does not hold, the errors of other correct
/// evaluations decide. A result is mistrusted if more than half of its elements
/// cannot be judged; the verdict names the operation without a bound and its
/// place. Errors: those of readExpected.
llvm::Expected<std::vector<program::ResultVerdict>>
judgeBothByBound(ProgramJudge &judge, llvm::ArrayRef<program::Value> results,
                 llvm::StringRef npzPath);

} // namespace assay::judge
