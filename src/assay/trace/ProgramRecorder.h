/// Records a running program into a dump: operands and results of every operation
/// (`assay run --record`).
#pragma once

#include "assay/program/Observer.h"
#include "assay/trace/DumpName.h"
#include "assay/trace/DumpWriter.h"
#include "assay/trace/OneOp.h"
#include "llvm/ADT/DenseMap.h"

namespace assay::trace {

/// Names follow docs/dumps.md: the path is that of OperationPaths, the class the
/// operation's name, the counter its executions so far. Constants
/// are left out, and so are operations whose results are not tensors. Kinds:
/// forward_input.I, forward_output.I.
class ProgramRecorder final : public program::Observer {
public:
  explicit ProgramRecorder(DumpWriter &writer) : writer_(writer) {}

  void onStep(const program::StepNode &node,
              llvm::ArrayRef<program::Value *> operands,
              llvm::ArrayRef<program::Value> results, int64_t timeNs) override;
  /// An operand may be moved into the result by an in-place step, so inputs are
  /// recorded before the step runs.
  void beforeStep(const program::StepNode &node,
                  llvm::ArrayRef<program::Value *> operands) override;
  /// The steps of processes are interleaved.
  program::Observer *beginProcess(const program::StepNode &,
                                  const program::ProcessId &,
                                  int64_t) override {
    processes_.push_back(std::make_unique<ProgramRecorder>(writer_));
    processes_.back()->first_ = first_;
    return processes_.back().get();
  }
  void endProcesses(const program::StepNode &) override { processes_.clear(); }

  /// The first error that the writer reported; recording stops then, but the
  /// run continues.
  llvm::Error takeError();
  int64_t tensors() const { return tensors_; }

private:
  struct Name {
    std::string path, className;
    int64_t executions = 0;
  };
  Name &nameOf(mlir::Operation *op);
  void add(mlir::Operation *op, TensorKind kind, size_t i,
           const tensor::Tensor &tensor);

  DumpWriter &writer_;
  ProgramRecorder *first_ = this; ///< the recorder of the run that began all
                                  ///< processes
  std::vector<std::unique_ptr<ProgramRecorder>> processes_;
  /// For each running operation, the number of its execution.
  llvm::DenseMap<mlir::Operation *, int64_t> running_;
  // Only first_ uses the members below.
  OperationPaths paths_;
  llvm::DenseMap<mlir::Operation *, Name> names_;
  std::string failure_;
  ErrorCode failureCode_ = ErrorCode::Internal;
  int64_t tensors_ = 0;
};

} // namespace assay::trace
