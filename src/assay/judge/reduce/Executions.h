/// A program as it ran: every operation that was executed, with its operands
/// and results. Loops are unrolled, calls inlined and branches taken by the run
/// itself, so that any part of it is straight-line code with recorded inputs.
#pragma once

#include "assay/judge/reduce/TestCase.h"
#include "assay/program/Plan.h"
#include "assay/support/ThreadPool.h"

#include <functional>

namespace assay::judge {

/// One execution of one operation that can run alone: tensors in, tensors
/// out, nothing read from outside its regions.
struct Execution {
  mlir::Operation *op = nullptr;
  int64_t number = 0; ///< executions of this operation before it
  std::vector<tensor::Tensor> operands, results;
};

/// Makes the plan whose values are recorded; all results are needed.
using PlanMaker = std::function<llvm::Expected<std::unique_ptr<program::Plan>>(
    std::shared_ptr<const program::Program>, llvm::StringRef entry)>;
/// The plan in which the reference runs every operation.
llvm::Expected<std::unique_ptr<program::Plan>>
referencePlan(std::shared_ptr<const program::Program> program,
              llvm::StringRef entry);

/// Runs the program and passes each execution in order to `visit`, until it
/// returns false. Returns the program's results, none when it was stopped.
/// Errors: those of the plan and of the run.
llvm::Expected<std::vector<program::Value>>
walkExecutions(const std::shared_ptr<const program::Program> &program,
               llvm::StringRef entry, llvm::ArrayRef<tensor::Tensor> inputs,
               const PlanMaker &plan, ThreadPool &pool,
               const std::function<bool(const Execution &)> &visit);

/// A program of some executions, all of one program. Its arguments are the
/// recorded values that none of them makes, its results those that `isResult`
/// selects. Values are the same where they share their memory, so `executions`
/// must all be alive. Errors: InvalidArgument.
llvm::Expected<TestCase>
programOf(llvm::ArrayRef<const Execution *> executions,
          llvm::function_ref<bool(const tensor::Tensor &)> isResult);

/// The identity of a value in a run: memory and type.
std::string identityOf(const tensor::Tensor &tensor);

} // namespace assay::judge
