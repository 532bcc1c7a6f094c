// The reference run that judges a program.
#include "assay/judge/program/ProgramTruth.h"
#include "assay/reference/Reference.h"

using namespace assay;
using namespace assay::judge;
using program::Value;
using tensor::Tensor;

/// Adds one result, or the members of a tuple.
static void addResult(ProgramTruth &truth, Value result,
                      const Tracked &tracked) {
  if (result.isTuple()) {
    for (auto [i, member] : llvm::enumerate(result.tuple()))
      addResult(truth, member, tracked.parts ? (*tracked.parts)[i] : tracked);
    return;
  }
  Errors errors = result.isTensor() ? tracked.errors : nullptr;
  auto size =
      result.isTensor() ? static_cast<size_t>(result.tensor().size()) : 0;
  if (errors && errors->size() != size)
    errors = std::make_shared<std::vector<double>>(size, errors->front());
  truth.errors.push_back(std::move(errors));
  truth.ties.push_back(
      tracked.ties && tracked.ties->size() == size ? tracked.ties : nullptr);
  truth.whyOpen.push_back(tracked.why ? *tracked.why : "");
  truth.results.push_back(std::move(result));
}

llvm::Expected<ProgramTruth> TruthMaker::compute(llvm::ArrayRef<Tensor> inputs,
                                                 double maxSeconds,
                                                 Demands demands) {
  program::PlanOptions options;
  options.entry = entry_;
  options.shadow = true;
  if (!plan_)
    if (llvm::Error error =
            program::buildPlan(program_, reference::ReferenceCompiler(),
                               options)
                .moveInto(plan_))
      return error;
  program::RunContext context(pool_);
  context.shadow = true;
  if (maxSeconds > 0)
    context.interrupt.setTimeLimit(maxSeconds);
  mlir::func::FuncOp function = llvm::cantFail(program_->function(entry_));
  ErrorTracker tracker(pool_, &function.getBody().front(), demands, &wide_);
  context.observers.push_back(&tracker);
  llvm::Expected<std::vector<Value>> results =
      program::execute(*plan_, inputs, context);
  if (!results)
    return results.takeError();
  ProgramTruth truth;
  truth.demands = demands;
  truth.noBound = tracker.noBound();
  truth.divergedDecisions = context.divergedDecisions;
  mlir::Operation *end = function.getBody().front().getTerminator();
  for (auto [value, result] : llvm::zip(end->getOperands(), *results))
    addResult(truth, std::move(result), tracker.tracked(value));
  return truth;
}

llvm::Expected<ProgramTruth>
judge::computeTruth(std::shared_ptr<const program::Program> program,
                    llvm::StringRef entry, llvm::ArrayRef<Tensor> inputs,
                    ThreadPool &pool, double maxSeconds, Demands demands) {
  return TruthMaker(std::move(program), entry.str(), pool)
      .compute(inputs, maxSeconds, demands);
}
