/// A convolution alone: the operation of a problem, its kernels as steps, and runs
/// of these without an executor, on tensors of the caller.
#pragma once

#include "assay/engine/native/ConvAlgorithm.h"
#include "assay/program/Executor.h"

namespace assay::engine {

/// Threads: any, each with a run context of its own; one run of a step at a time.
class ConvolutionOperation {
public:
  /// Errors: those of the program (an invalid problem)
  static llvm::Expected<std::unique_ptr<ConvolutionOperation>>
  create(std::shared_ptr<NativeContext> context,
         const kernels::ConvProblem &problem);

  /// The types of both operands (convolutionProgram()) and of the result.
  llvm::ArrayRef<TensorType> types() const { return types_; }
  const std::shared_ptr<const program::Program> &program() const {
    return program_;
  }
  /// By a configuration; Rule: as dispatch chooses. Errors: Unsupported with the reason
  llvm::Expected<std::unique_ptr<Step>>
  compile(const kernels::ConvConfig &config) const;
  /// Computes `result`, which has its memory. Errors: those of the step
  llvm::Error run(const Step &step, program::Value &lhs, program::Value &rhs,
                  program::Value &result, program::RunContext &run) const;

private:
  ConvolutionOperation() = default;
  std::shared_ptr<NativeContext> native_;
  std::shared_ptr<const program::Program> program_;
  mlir::Operation *op_ = nullptr;
  program::NumericOptions numeric_;
  std::vector<TensorType> types_;
};

} // namespace assay::engine
