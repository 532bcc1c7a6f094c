// An observer records the tensors that each step reads and makes. A program of
// some executions is built by cloning their operations in order; values are
// identified by the tensors' memory, since calls, loops and branches only pass
// tensors on.
#include "assay/judge/reduce/Executions.h"
#include "assay/program/Executor.h"
#include "assay/program/Types.h"
#include "assay/reference/Reference.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringMap.h"

using namespace assay;
using namespace assay::judge;
using program::Value;
using tensor::Tensor;

/// Blocks whose operations run one by one; bodies of reductions do not.
static bool isInControl(mlir::Operation *op) {
  for (mlir::Operation *parent = op->getParentOp();
       parent && !mlir::isa<mlir::func::FuncOp>(parent);
       parent = parent->getParentOp()) {
    llvm::StringRef name = parent->getName().getStringRef();
    if (name != "stablehlo.while" && name != "stablehlo.if" &&
        name != "stablehlo.case")
      return false;
  }
  return true;
}

static bool standsAlone(mlir::Operation *op) {
  llvm::StringRef dialect = op->getName().getDialectNamespace();
  llvm::SetVector<mlir::Value> outside;
  mlir::getUsedValuesDefinedAbove(op->getRegions(), outside);
  return (dialect == "stablehlo" || dialect == "chlo") &&
         op->getNumOperands() > 0 && op->getNumResults() > 0 &&
         isInControl(op) && outside.empty();
}

namespace {
class Watcher final : public program::Observer {
public:
  Watcher(program::RunContext &context,
          const std::function<bool(const Execution &)> &visit)
      : context_(context), visit_(visit) {}

  void beforeStep(const program::StepNode &node,
                  llvm::ArrayRef<Value *> operands) override {
    operands_.clear();
    alone_ = !stopped && node.op && standsAlone(node.op);
    for (Value *value : operands) {
      alone_ &= value->isTensor();
      if (alone_)
        operands_.push_back(value->tensor()); // held: no step may reuse it
    }
  }
  void onStep(const program::StepNode &node, llvm::ArrayRef<Value *> operands,
              llvm::ArrayRef<Value> results, int64_t) override {
    if (!alone_ || stopped || operands.size() != operands_.size() ||
        results.size() != node.op->getNumResults() ||
        operands.size() != node.op->getNumOperands())
      return;
    Execution execution{node.op, counts_[node.op]++, std::move(operands_), {}};
    operands_.clear();
    for (const Value &value : results) {
      if (!value.isTensor())
        return;
      execution.results.push_back(value.tensor());
    }
    if (visit_(execution))
      return;
    stopped = true;
    context_.interrupt.setTimeLimit(1e-9);
  }
  bool stopped = false;

private:
  program::RunContext &context_;
  const std::function<bool(const Execution &)> &visit_;
  llvm::DenseMap<mlir::Operation *, int64_t> counts_;
  std::vector<Tensor> operands_;
  bool alone_ = false;
};
} // namespace

llvm::Expected<std::unique_ptr<program::Plan>>
judge::referencePlan(std::shared_ptr<const program::Program> program,
                     llvm::StringRef entry) {
  program::PlanOptions options;
  options.entry = entry.str();
  return program::buildPlan(std::move(program), reference::ReferenceCompiler(),
                            options);
}

llvm::Expected<std::vector<Value>>
judge::walkExecutions(const std::shared_ptr<const program::Program> &program,
                      llvm::StringRef entry, llvm::ArrayRef<Tensor> inputs,
                      const PlanMaker &makePlan, ThreadPool &pool,
                      const std::function<bool(const Execution &)> &visit) {
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      makePlan(program, entry);
  if (!plan)
    return plan.takeError();
  program::RunContext context(pool);
  std::string printed;
  llvm::raw_string_ostream sink(printed);
  context.printStream = &sink;
  Watcher watcher(context, visit);
  context.observers.push_back(&watcher);
  llvm::Expected<std::vector<Value>> results =
      program::execute(**plan, inputs, context);
  if (!results && watcher.stopped) {
    llvm::consumeError(results.takeError());
    return std::vector<Value>();
  }
  return results;
}

std::string judge::identityOf(const Tensor &tensor) {
  return llvm::formatv("{0} {1}", static_cast<const void *>(tensor.bytes()),
                       tensor::toString(tensor.type()))
      .str();
}

namespace {
/// @main while it is filled with operations.
class Assembly {
public:
  explicit Assembly(mlir::MLIRContext *context)
      : location_(mlir::UnknownLoc::get(context)),
        module_(mlir::ModuleOp::create(location_)), builder_(context),
        function_(mlir::func::FuncOp::create(
            location_, "main", builder_.getFunctionType({}, {}))) {
    module_.push_back(function_);
    block_ = function_.addEntryBlock();
    builder_.setInsertionPointToEnd(block_);
  }
  ~Assembly() { module_.erase(); }
  Assembly(const Assembly &) = delete;

  void add(const Execution &execution) {
    llvm::SmallVector<mlir::Value> operands;
    for (const Tensor &tensor : execution.operands)
      operands.push_back(valueOf(tensor));
    mlir::Operation *copy = builder_.clone(*execution.op);
    copy->setOperands(operands);
    copy->setLoc(location_);
    for (auto [value, tensor] :
         llvm::zip(copy->getResults(), execution.results)) {
      value.setType(program::mlirTypeOf(builder_.getContext(), tensor.type()));
      values_[identityOf(tensor)] = value;
      made_.emplace_back(value, tensor);
    }
  }
  llvm::Expected<TestCase>
  finish(llvm::function_ref<bool(const Tensor &)> isResult) {
    llvm::SmallVector<mlir::Value> results;
    for (auto &[value, tensor] : made_)
      if (isResult(tensor) && !llvm::is_contained(results, value))
        results.push_back(value);
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Value value : results)
      types.push_back(value.getType());
    mlir::func::ReturnOp::create(builder_, location_, results);
    function_.setType(builder_.getFunctionType(
        llvm::to_vector(block_->getArgumentTypes()), types));
    llvm::Expected<std::shared_ptr<const program::Program>> program =
        program::Program::copyOf(module_, "reduced");
    if (!program)
      return program.takeError();
    return TestCase{std::move(*program), std::move(inputs_), {}, {}};
  }

private:
  mlir::Value valueOf(const Tensor &tensor) {
    mlir::Value &value = values_[identityOf(tensor)];
    if (!value) {
      value = block_->addArgument(
          program::mlirTypeOf(builder_.getContext(), tensor.type()), location_);
      inputs_.push_back(tensor);
    }
    return value;
  }

  mlir::Location location_;
  mlir::ModuleOp module_;
  mlir::OpBuilder builder_;
  mlir::func::FuncOp function_;
  mlir::Block *block_;
  llvm::StringMap<mlir::Value> values_;
  std::vector<std::pair<mlir::Value, Tensor>> made_;
  std::vector<Tensor> inputs_;
};
} // namespace

llvm::Expected<TestCase>
judge::programOf(llvm::ArrayRef<const Execution *> executions,
                 llvm::function_ref<bool(const Tensor &)> isResult) {
  if (executions.empty())
    return makeError(ErrorCode::InvalidArgument, "no operation is left");
  Assembly assembly(executions.front()->op->getContext());
  for (const Execution *execution : executions)
    assembly.add(*execution);
  return assembly.finish(isResult);
}
