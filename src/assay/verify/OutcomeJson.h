/// An outcome as JSON, for a process that did not run the problem.
#pragma once

#include "assay/verify/Report.h"

namespace assay::verify {

/// `isRecorded`: it comes from the file of an earlier run.
llvm::json::Value toJson(Outcome outcome, bool isRecorded);
/// The inverse; missing fields are those of a new Outcome.
std::pair<Outcome, bool> outcomeIn(llvm::json::Value value);

} // namespace assay::verify
