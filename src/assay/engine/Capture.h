/// Values inside of a program that runs elsewhere: in a worker process, on a
/// device. A copy of the program returns them beside its results.
#pragma once

#include "assay/program/Plan.h"

namespace assay::engine {

/// A copy of a program for an engine that takes whole programs, and the plan
/// around its run.
class Capture {
public:
  /// In the copy, calls are inlined and `entry` also returns every tensor of known
  /// size that its own operations make, except constants and what is inside of a
  /// loop or a branch.
  static llvm::Expected<Capture>
  make(std::shared_ptr<const program::Program> program,
       mlir::func::FuncOp function);

  const program::Program &copy() const { return *copy_; }
  mlir::func::FuncOp copiedFunction() const;

  /// The first step, `run`, computes what copiedFunction() returns. Then each
  /// operation whose values are known is a step of its own, in their order: it
  /// has its own operands, followed by its results as `run` gave them.
  llvm::Expected<std::unique_ptr<program::Plan>>
  plan(std::unique_ptr<program::Step> run) const;

private:
  struct Operation {
    mlir::Operation *original;
    mlir::Operation *copied;
  };
  class Rewriter;
  class Planner;

  std::shared_ptr<const program::Program> program_, copy_;
  mutable mlir::func::FuncOp function_; // MLIR's handles are not const-correct
  std::vector<Operation> operations_; ///< of the copied function's body
  size_t results_ = 0;                ///< the function's own
};

} // namespace assay::engine
