// An operation of the copy is matched with the original by its position: both
// modules have the same operations in the same order before the copy is
// changed.
#include "assay/engine/Capture.h"
#include "assay/dialect/Sdy.h"
#include "assay/engine/Isolate.h"
#include "assay/program/Inlining.h"
#include "assay/program/PlanBuilder.h"
#include "assay/program/Types.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace assay::engine {

using namespace mlir;
using program::BlockPlan;
using program::Plan;
using program::SlotId;
using program::StepNode;
using program::TensorType;

/// Rewrites the function's body so that it returns every captured value.
class Capture::Rewriter {
public:
  Rewriter(Capture &capture, ModuleOp original, ModuleOp copy)
      : capture_(capture), copy_(copy) {
    std::vector<mlir::Operation *> all;
    original.walk([&](mlir::Operation *op) { all.push_back(op); });
    size_t next = 0;
    copy.walk([&](mlir::Operation *op) { originals_[op] = all[next++]; });
  }

  void rewrite(func::FuncOp function);

private:
  /// Appends a block's operations to the new body and returns its results.
  SmallVector<mlir::Value> append(Block &block, ValueRange arguments,
                                  OpBuilder &builder, int depth);

  Capture &capture_;
  ModuleOp copy_;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> originals_;
};

SmallVector<mlir::Value> Capture::Rewriter::append(Block &block,
                                                   ValueRange arguments,
                                                   OpBuilder &builder,
                                                   int depth) {
  constexpr int kDeepest = 64; // nesting of calls; StableHLO has no recursion
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (mlir::Operation &op : block.without_terminator()) {
    SmallVector<mlir::Value> operands;
    for (mlir::Value operand : op.getOperands())
      operands.push_back(mapping.lookup(operand));
    auto call = dyn_cast<func::CallOp>(op);
    auto callee = call && depth < kDeepest
                      ? program::inlinableCallee(call, call)
                      : func::FuncOp();
    if (callee) {
      mapping.map(op.getResults(), append(callee.getBody().front(), operands,
                                          builder, depth + 1));
      continue;
    }
    capture_.operations_.push_back(
        {originals_.lookup(&op), builder.clone(op, mapping)});
  }
  SmallVector<mlir::Value> returned;
  for (mlir::Value value : block.getTerminator()->getOperands())
    returned.push_back(mapping.lookup(value));
  return returned;
}

/// Whether a value can be a result of the run.
static bool isCaptured(mlir::Value result) {
  auto type = dyn_cast<RankedTensorType>(result.getType());
  return type && type.hasStaticShape() &&
         !program::constantOf(result.getDefiningOp());
}

void Capture::Rewriter::rewrite(func::FuncOp function) {
  mlir::Operation *end = function.getBody().front().getTerminator();
  Block *before = &function.getBody().front();
  auto *body = new Block;
  for (BlockArgument argument : before->getArguments())
    body->addArgument(argument.getType(), argument.getLoc());
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToEnd(body);
  SmallVector<mlir::Value> returned =
      append(*before, body->getArguments(), builder, 0);
  capture_.results_ = returned.size();
  for (const Operation &each : capture_.operations_)
    for (mlir::Value value : each.copied->getResults())
      if (isCaptured(value))
        returned.push_back(value);
  IRMapping none;
  mlir::Operation *last = builder.clone(*end, none);
  last->setOperands(returned);
  function.getBody().push_back(body);
  before->dropAllReferences();
  before->erase();
  function.setFunctionType(
      FunctionType::get(function.getContext(), body->getArgumentTypes(),
                        last->getOperandTypes()));
  if (auto said = function.getResAttrsAttr()) {
    SmallVector<Attribute> each(said.begin(), said.end());
    each.resize(returned.size(), builder.getDictionaryAttr({}));
    function.setResAttrsAttr(builder.getArrayAttr(each));
  }
  program::eraseUncalled(copy_);
}

llvm::Expected<Capture>
Capture::make(std::shared_ptr<const program::Program> program,
              func::FuncOp function) {
  Capture made;
  if (llvm::Error error =
          program::Program::copyOf(program->module(), program->name())
              .moveInto(made.copy_))
    return error;
  made.program_ = std::move(program);
  made.function_ = function;
  Rewriter rewriter(made, made.program_->module(), made.copy_->module());
  rewriter.rewrite(made.copiedFunction());
  return made;
}

func::FuncOp Capture::copiedFunction() const {
  return copy_->module().lookupSymbol<func::FuncOp>(function_.getSymName());
}

/// True for operations that have no step in a plan of this process, while the
/// operations inside them do.
static bool isControl(mlir::Operation *op) {
  return program::regionControl(op) || isa<sdy::ManualComputationOp>(op);
}

/// A step that returns its operands from number `own` on as its results.
static std::unique_ptr<program::Step> handOn(size_t own) {
  return program::makeOwningStep([own](program::StepContext &context) {
    for (size_t i = 0; i < context.results.size(); ++i)
      context.setResult(i, context.operandValue(own + i));
    return llvm::Error::success();
  });
}

/// Adds a step for each operation after the run.
class Capture::Planner {
public:
  Planner(const Capture &capture, Plan &plan)
      : capture_(capture), body_(*plan.functions.front()),
        block_(body_.blocks.front()),
        given_(block_.returns.begin(), block_.returns.end()),
        next_(capture.results_) {
    for (auto [argument, slot] : llvm::zip(
             capture.copiedFunction().getArguments(), block_.arguments))
      slots_[argument] = slot;
  }

  llvm::Error addConstant(const Operation &operation);
  void add(const Operation &operation);
  void setReturns();

private:
  StepNode nodeOf(mlir::Operation *original) const {
    StepNode node;
    node.op = original;
    node.name = original->getName().getStringRef();
    return node;
  }

  const Capture &capture_;
  program::FunctionPlan &body_;
  BlockPlan &block_;
  llvm::DenseMap<mlir::Value, SlotId> slots_; ///< of the copy's values
  std::vector<SlotId> given_;                 ///< the results of the run
  size_t next_;                               ///< index into given_
};

llvm::Error Capture::Planner::addConstant(const Operation &operation) {
  StepNode node = nodeOf(operation.original);
  if (llvm::Error error = program::setConstant(
          node, program::constantOf(operation.original), capture_.program_))
    return error;
  node.results.push_back(body_.slots);
  slots_[operation.copied->getResult(0)] = body_.slots++;
  block_.steps.push_back(std::move(node));
  return llvm::Error::success();
}

/// An operation has no step if one of its values cannot be a result (a token),
/// or if it is a loop or a branch.
void Capture::Planner::add(const Operation &operation) {
  StepNode node = nodeOf(operation.original);
  bool isKnown = operation.copied->getNumResults() > 0 &&
                 !isControl(operation.copied);
  for (mlir::Value operand : operation.copied->getOperands()) {
    auto slot = slots_.find(operand);
    isKnown &= slot != slots_.end();
    if (isKnown)
      node.operands.push_back(slot->second);
  }
  for (mlir::Value result : operation.copied->getResults()) {
    if (!isCaptured(result)) {
      isKnown = false;
      continue;
    }
    slots_[result] = given_[next_];
    node.operands.push_back(given_[next_++]);
  }
  if (!isKnown)
    return;
  for (mlir::Value result : operation.copied->getResults()) {
    node.results.push_back(body_.slots);
    slots_[result] = body_.slots++;
  }
  node.dying.assign(node.operands.size(), false);
  node.step = handOn(operation.copied->getNumOperands());
  block_.steps.push_back(std::move(node));
}

/// Takes a result from the step of its operation, if there is one.
void Capture::Planner::setReturns() {
  block_.returns.resize(capture_.results_);
  block_.returnMoves.assign(capture_.results_, false);
  mlir::Operation *end =
      capture_.copiedFunction().getBody().front().getTerminator();
  for (unsigned i = 0; i < capture_.results_; ++i)
    if (auto slot = slots_.find(end->getOperand(i)); slot != slots_.end())
      block_.returns[i] = slot->second;
}

llvm::Expected<std::unique_ptr<Plan>>
Capture::plan(std::unique_ptr<program::Step> run) const {
  std::vector<TensorType> types;
  for (mlir::Type type : copiedFunction().getResultTypes())
    if (llvm::Error error =
            program::tensorTypeOf(type).moveInto(types.emplace_back()))
      return error;
  std::unique_ptr<Plan> plan =
      wholeProgramPlan(program_, function_, types, std::move(run));
  Planner planner(*this, *plan);
  for (const Operation &operation : operations_)
    if (!program::constantOf(operation.copied))
      planner.add(operation);
    else if (llvm::Error error = planner.addConstant(operation))
      return error;
  planner.setReturns();
  return plan;
}

} // namespace assay::engine
