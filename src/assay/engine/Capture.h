/// Observes values inside of a program that runs elsewhere: in a worker
/// process, on a device. A copy of the program returns them beside its results.
#pragma once

#include "assay/program/Plan.h"

namespace assay::engine {

/// A copy of a program for an engine that accepts whole programs, and the plan
/// around its run.
class Capture {
public:
  /// Makes the copy. Its calls are inlined, and `entry` also returns every
  /// tensor of known size that its own operations make, except constants and
  /// the values inside of a loop or a branch.
  static llvm::Expected<Capture>
  make(std::shared_ptr<const program::Program> program,
       mlir::func::FuncOp function);

  const program::Program &copy() const { return *copy_; }
  mlir::func::FuncOp copiedFunction() const;

  /// The first step, `run`, computes the results of copiedFunction(). Then each
  /// operation whose values are known is a separate step, in program order: its
  /// operands are those of the operation, followed by the operation's results
  /// from `run`.
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
  size_t results_ = 0;                ///< the number of the original function's
                                      ///< results
};

} // namespace assay::engine
