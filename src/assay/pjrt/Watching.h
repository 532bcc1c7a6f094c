/// Observes every operation of a run: judges it (ASSAY_CHECK) and records it
/// (ASSAY_RECORD).
#pragma once

#include "Options.h"
#include "assay/program/Observer.h"
#include "assay/program/RunContext.h"
#include "assay/trace/DumpWriter.h"
#include "assay/trace/ProgramRecorder.h"

#include <map>
#include <mutex>
#include <set>

namespace assay::program {
class Program;
}

namespace assay::pjrt {

/// The operations of a program as separate programs, made on first use. For a
/// foreign function with a reference (assay.jax.reference), that reference.
/// Threads: any.
class SingleOperations {
public:
  /// Null if the operation cannot run alone (an operand or result is not a
  /// tensor).
  std::shared_ptr<const program::Program> of(mlir::Operation *op);

private:
  std::mutex mutex_;
  std::map<mlir::Operation *, std::shared_ptr<const program::Program>> made_;
};

/// How many operations the checks of a process have judged, and which they
/// skipped. Threads: any.
class CheckTally {
public:
  void addJudged(bool isWrong);
  void addPassedOver(mlir::Operation *op);
  /// "ASSAY_CHECK=bound: 12 operations judged, none wrong; not judged: 2
  /// stablehlo.custom_call @f"; empty if there were no operations.
  std::string line(llvm::StringRef rule) const;

private:
  mutable std::mutex mutex_;
  int64_t judged_ = 0, wrong_ = 0;
  std::map<std::string, int64_t> passedOver_;
};

/// Judges each operation on the operands that it read in this run, and keeps
/// the first wrong one. Under `nan`, an operation is wrong if it computes NaN
/// from operands without NaN; under `bound` and `shadow`, if its results
/// violate that rule of the judge.
class OperationCheck final : public program::Observer {
public:
  OperationCheck(std::string rule, SingleOperations &operations,
                 ThreadPool &pool, CheckTally &tally)
      : rule_(std::move(rule)), operations_(operations), pool_(pool),
        tally_(tally) {}

  void beforeStep(const program::StepNode &node,
                  llvm::ArrayRef<program::Value *> operands) override;
  void onStep(const program::StepNode &node,
              llvm::ArrayRef<program::Value *> operands,
              llvm::ArrayRef<program::Value> results, int64_t timeNs) override;
  /// The steps of processes are interleaved, so each process has its own check.
  program::Observer *beginProcess(const program::StepNode &,
                                  const program::ProcessId &,
                                  int64_t) override {
    processes_.push_back(
        std::make_unique<OperationCheck>(rule_, operations_, pool_, tally_));
    processes_.back()->first_ = first_;
    return processes_.back().get();
  }
  void endProcesses(const program::StepNode &) override { processes_.clear(); }
  /// Mismatch with the first wrong operation and its location in the source.
  llvm::Error takeError() const;

private:
  using Operands = std::vector<tensor::Tensor>;
  bool isJudged(const program::StepNode &node) const;
  std::string nanIn(mlir::Operation *op, const Operands &operands,
                    llvm::ArrayRef<program::Value> results) const;
  std::optional<std::string>
  judged(mlir::Operation *op, const Operands &operands,
         llvm::ArrayRef<program::Value> results) const;

  std::string rule_;
  SingleOperations &operations_;
  ThreadPool &pool_;
  CheckTally &tally_;
  /// The saved operands of the running step, and of the steps whose regions
  /// contain it.
  std::map<mlir::Operation *, Operands> operands_;
  std::vector<std::unique_ptr<OperationCheck>> processes_;
  OperationCheck *first_ = this; ///< the check of the outermost run
  // The members below are used only in that check.
  std::set<mlir::Operation *> exchangesNan_; ///< exchanges that read a NaN
  std::string found_;
};

/// The observers that the options request, for one run.
class Watching {
public:
  /// Errors: those of creating a dump.
  static llvm::Expected<std::unique_ptr<Watching>>
  begin(const Options &options, llvm::StringRef program,
        SingleOperations &operations, program::RunContext &context);
  /// The error of the first wrong operation, or that of the recorder.
  llvm::Error finish();

private:
  std::unique_ptr<OperationCheck> check_;
  std::unique_ptr<trace::DumpWriter> writer_;
  std::unique_ptr<trace::ProgramRecorder> recorder_;
};

/// "train.py:12:5 ("jit(loss)/dot_general"), called from train.py:30:9".
std::string sourceOf(mlir::Operation *op);

} // namespace assay::pjrt
