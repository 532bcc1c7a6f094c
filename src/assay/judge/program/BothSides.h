/// `assay run --expect FILE --rule bound`: the results of a run and those in a
/// file, each against the truth.
#pragma once

#include "assay/judge/program/ProgramTruth.h"
#include "assay/program/Expect.h"

namespace assay::judge {

/// Each side must hold error <= bound by itself: the bound is the error
/// bound of one correct implementation. errorGot and errorExpected of a verdict are the
/// largest error of a side as a share of its bound.
/// A result more than half of whose elements have no bound is mistrusted, with
/// the operation that has none and its place. Errors: those of readExpected.
llvm::Expected<std::vector<program::ResultVerdict>>
judgeBothByBound(const ProgramTruth &truth,
                 llvm::ArrayRef<program::Value> results,
                 llvm::StringRef npzPath);

} // namespace assay::judge
