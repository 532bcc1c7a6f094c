/// The error that a step's inputs and the roundings of its type explain. Private
/// to FirstWrong.
#pragma once

#include "assay/trace/Compare.h"

namespace assay::trace {

// docs/first_wrong.md derives these and lists cases that they misjudge.
constexpr double kBetween =
    2; // times as many roundings in code between modules, which rounds after
       // each operator
constexpr double kSureGrowth =
    8; // times the explained error: more than a step's own condition explains

/// The largest relative L2 error of some rows.
double largestError(const Comparison &comparison,
                    llvm::ArrayRef<size_t> rows);

/// The error of a row divided by the error that its sources' errors and the
/// rounding of its type explain; `leaf`: one module or operator made it.
double growthOf(const Comparison &comparison, size_t row,
                llvm::ArrayRef<size_t> sources, bool leaf);

} // namespace assay::trace
