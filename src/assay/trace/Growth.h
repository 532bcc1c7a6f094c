/// The error that a step's inputs and the roundings of its type explain. Private
/// to FirstWrong.
#pragma once

#include "assay/trace/Compare.h"

namespace assay::trace {

// docs/first_wrong.md derives these and lists what they misjudge.
constexpr double kBetween =
    2; // times as many roundings in code between modules, which rounds after
       // each operator
constexpr double kSureGrowth =
    8; // times as much as that explains: more than a step's own condition

/// The largest relative L2 error of some rows.
double largestError(const Comparison &comparison,
                    llvm::ArrayRef<size_t> rows);

/// The error of a row over the part that its sources' errors and the rounding of
/// its type explain; `leaf`: one module or operator made it.
double growthOf(const Comparison &comparison, size_t row,
                llvm::ArrayRef<size_t> sources, bool leaf);

} // namespace assay::trace
