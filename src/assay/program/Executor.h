/// Runs a plan with an explicit stack of frames (calls, loops, branches,
/// regions), one step after the other. Allocates results under the memory
/// budget, frees slots at their last use, carries shadows and notifies
/// observers.
#pragma once

#include "assay/program/Observer.h"
#include "assay/program/Plan.h"

namespace assay::program {

/// Runs the entry function. Errors carry the operation, its location, the call
/// path and the operand types.
llvm::Expected<std::vector<Value>> execute(const Plan &plan,
                                           llvm::ArrayRef<Tensor> arguments,
                                           RunContext &context);

/// A run of one function that may pause to wait for data from another process.
class Execution {
public:
  enum class Progress {
    Finished,
    Waiting, ///< it made progress and now waits
    Stuck,   ///< it still waits for the same data
  };
  static std::unique_ptr<Execution> create(const Plan &plan,
                                           RunContext &context);
  virtual ~Execution() = default;
  /// `function` is an index into the plan's functions. Errors: InvalidArgument
  /// for a wrong number of arguments.
  virtual llvm::Error start(uint32_t function,
                            std::vector<Value> arguments) = 0;
  /// Runs until the end or until it has to wait. Errors: those of execute().
  virtual llvm::Expected<Progress> advance() = 0;
  virtual std::vector<Value> takeResults() = 0;
};

} // namespace assay::program
