// The reference run that judges a program.
#include "assay/judge/program/ProgramTruth.h"
#include "assay/reference/Reference.h"

using namespace assay;
using namespace assay::judge;
using program::Value;
using tensor::Tensor;

llvm::Expected<ProgramTruth>
judge::computeTruth(std::shared_ptr<const program::Program> program,
                    llvm::StringRef entry, llvm::ArrayRef<Tensor> inputs,
                    ThreadPool &pool, double maxSeconds, bool definedOnly) {
  program::PlanOptions options;
  options.entry = entry.str();
  options.shadow = true;
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      program::buildPlan(program, reference::ReferenceCompiler(), options);
  if (!plan)
    return plan.takeError();
  program::RunContext context(pool);
  context.shadow = true;
  if (maxSeconds > 0)
    context.interrupt.setTimeLimit(maxSeconds);
  mlir::func::FuncOp function = llvm::cantFail(program->function(entry));
  ErrorTracker tracker(pool, definedOnly);
  context.observers.push_back(&tracker);
  llvm::Expected<std::vector<Value>> results =
      program::execute(**plan, inputs, context);
  if (!results)
    return results.takeError();
  ProgramTruth truth;
  truth.definedOnly = definedOnly;
  truth.results = std::move(*results);
  truth.noBound = tracker.noBound();
  truth.divergedDecisions = context.divergedDecisions;
  mlir::Operation *end = function.getBody().front().getTerminator();
  for (auto [value, result] : llvm::zip(end->getOperands(), truth.results))
    truth.errors.push_back(result.isTensor()
                               ? tracker.errorsOf(value, result.tensor().size())
                               : nullptr);
  return truth;
}
