/// Known reasons why failing elements look as they do: text beside a failure,
/// never part of the verdict.
#pragma once

#include "assay/judge/program/ProgramTruth.h"

namespace assay::judge {

/// A result that was judged FAILED: its origin, and the verdict.
struct FailedResult {
  const std::shared_ptr<const program::Program> &program;
  llvm::StringRef entry;
  llvm::ArrayRef<tensor::Tensor> inputs;
  const ProgramTruth &truth;
  size_t index;      ///< of the result
  const void *bytes; ///< its dense elements
  const Verdict &verdict;
  ThreadPool &pool;
  double maxSeconds; ///< for each further run of the reference; 0: none
};

/// "as if subnormals were flushed: 12 of 12", "as if factors of products were
/// rounded to tf32: ...", "as if convolutions were computed by transforms ...",
/// "as if arguments had another last place: ..."; empty where none of them
/// fits. A run that fails yields no text.
std::string knownCause(const FailedResult &failed);

} // namespace assay::judge
