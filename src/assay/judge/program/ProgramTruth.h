/// The expected results of a whole program: the reference engine's values, the
/// exact ones beside them (shadow), and what a correct implementation may be
/// off by (ErrorTracker).
#pragma once

#include "assay/judge/Verdict.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/program/Executor.h"

namespace assay::judge {

struct ProgramTruth {
  std::vector<program::Value> results; ///< with shadows; tuples taken apart
  std::vector<Errors> errors;          ///< per result; null: exact
  /// Per result: why elements of it are open, with the operation's place; empty
  /// where none is.
  std::vector<std::string> whyOpen;
  std::string noBound; ///< the first operation without a bound (what depends
                       ///< on it is open), or empty
  int64_t divergedDecisions = 0;
  Demands demands; ///< of data at the edges
};

/// Runs the reference with a shadow. Errors: those of the program, Cancelled,
/// ResourceLimit after `maxSeconds` (0: none).
llvm::Expected<ProgramTruth>
computeTruth(std::shared_ptr<const program::Program> program,
             llvm::StringRef entry, llvm::ArrayRef<tensor::Tensor> inputs,
             ThreadPool &pool, double maxSeconds, Demands demands = {});

/// One result against the truth: |got - exact| <= error for floats, equality
/// for the rest. `bytes`: dense elements of the result's own type. `bound` of a
/// point is its error bound. With a pool its threads share the work; the verdict
/// is the same.
Verdict judgeResult(const ProgramTruth &truth, size_t result, const void *bytes,
                    ThreadPool *pool = nullptr);

} // namespace assay::judge
