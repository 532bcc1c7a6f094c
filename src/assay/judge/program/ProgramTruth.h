/// The expected results of a whole program: the reference engine's values, the
/// exact ones beside them (shadow), and error bounds of a correct
/// implementation (ErrorTracker).
#pragma once

#include "assay/judge/Verdict.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/program/Executor.h"

namespace assay::judge {

struct ProgramTruth {
  std::vector<program::Value> results; ///< with shadows; tuples decomposed
  std::vector<Errors> errors;          ///< per result; null: exact
  std::vector<Errors> ties;            ///< per result: Tracked::ties
  /// Per result: why elements of it are open, with the operation's place; empty
  /// where none are.
  std::vector<std::string> whyOpen;
  std::string noBound; ///< the first operation without a bound (what depends
                       ///< on it is open), or empty
  int64_t divergedDecisions = 0;
  Demands demands; ///< of data at the edges
};

/// The truth of one program for any number of arguments: its plan, and what
/// bounds evaluate beside it, are made once. Not safe for several threads at
/// once.
class TruthMaker {
public:
  TruthMaker(std::shared_ptr<const program::Program> program, std::string entry,
             ThreadPool &pool)
      : program_(std::move(program)), entry_(std::move(entry)), pool_(pool) {}

  /// Runs the reference with a shadow. Errors: those of the program, Cancelled,
  /// ResourceLimit after `maxSeconds` (0: none).
  llvm::Expected<ProgramTruth> compute(llvm::ArrayRef<tensor::Tensor> inputs,
                                       double maxSeconds, Demands demands = {});
  /// Releases the plan and its evaluations; the next call makes them again.
  void release() {
    plan_.reset();
    wide_.clear();
  }

private:
  std::shared_ptr<const program::Program> program_;
  std::string entry_;
  ThreadPool &pool_;
  std::unique_ptr<program::Plan> plan_;
  WideOps wide_;
};

/// The same, once.
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
