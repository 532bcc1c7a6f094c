/// What is done with every operation of a run beside running it: judging it
/// (ASSAY_CHECK) and recording it (ASSAY_RECORD).
#pragma once

#include "Options.h"
#include "assay/program/Observer.h"
#include "assay/program/RunContext.h"
#include "assay/trace/DumpWriter.h"
#include "assay/trace/ProgramRecorder.h"

#include <map>
#include <mutex>

namespace assay::program {
class Program;
}

namespace assay::pjrt {

/// The operations of a program as programs of their own, made when first asked
/// for. Threads: any.
class SingleOperations {
public:
  /// Null: it cannot stand alone (what it reads or makes is not a tensor).
  std::shared_ptr<const program::Program> of(mlir::Operation *op);

private:
  std::mutex mutex_;
  std::map<mlir::Operation *, std::shared_ptr<const program::Program>> made_;
};

/// Judges each operation on what it read in this very run, and keeps the first
/// that is wrong. By `nan`: it makes a NaN of operands without one. By `bound`
/// and `shadow`: its results leave that rule of the judge.
class OperationCheck final : public program::Observer {
public:
  OperationCheck(std::string rule, SingleOperations &operations,
                 ThreadPool &pool)
      : rule_(std::move(rule)), operations_(operations), pool_(pool) {}

  void beforeStep(const program::StepNode &node,
                  llvm::ArrayRef<program::Value *> operands) override;
  void onStep(const program::StepNode &node,
              llvm::ArrayRef<program::Value *> operands,
              llvm::ArrayRef<program::Value> results, int64_t timeNs) override;
  /// Mismatch with the first wrong operation and its place in the source.
  llvm::Error takeError() const;

private:
  std::string nanIn(llvm::ArrayRef<program::Value> results) const;
  std::string judged(mlir::Operation *op,
                     llvm::ArrayRef<program::Value> results) const;

  std::string rule_;
  SingleOperations &operations_;
  ThreadPool &pool_;
  std::vector<tensor::Tensor> operands_; ///< of the step that runs
  std::string found_;
};

/// The observers that the options ask for, for one run.
class Watching {
public:
  /// Errors: those of creating a dump.
  static llvm::Expected<std::unique_ptr<Watching>>
  begin(const Options &options, llvm::StringRef program,
        SingleOperations &operations, program::RunContext &context);
  /// The first wrong operation, or the error of the recorder.
  llvm::Error finish();

private:
  std::unique_ptr<OperationCheck> check_;
  std::unique_ptr<trace::DumpWriter> writer_;
  std::unique_ptr<trace::ProgramRecorder> recorder_;
};

/// "train.py:12:5 ("jit(loss)/dot_general"), called from train.py:30:9".
std::string sourceOf(mlir::Operation *op);

} // namespace assay::pjrt
