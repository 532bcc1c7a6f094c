// Rewrites that need no kernel: small functions are put where they are called,
// so that chains cross functions; operations on constants are computed once.
#include "assay/engine/native/Simplify.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/PlanEdit.h"
#include "assay/program/Processes.h"
#include "assay/program/Types.h"
#include "assay/reference/Elementwise.h"

namespace assay::engine {

using program::BlockPlan;
using program::FunctionPlan;
using program::Plan;
using program::SlotId;
using program::StepNode;
using program::TensorType;
using program::Value;

/// True when the callee's steps can be in the caller: one block, no control
/// flow, and results that are its own steps' and distinct.
static bool canInline(const FunctionPlan &callee) {
  constexpr size_t kMostSteps = 64;
  if (callee.blocks.size() != 1 ||
      callee.blocks.front().steps.size() > kMostSteps)
    return false;
  const BlockPlan &body = callee.blocks.front();
  llvm::DenseSet<SlotId> made;
  for (const StepNode &node : body.steps) {
    bool plain = node.control == StepNode::Control::Constant ||
                 (node.control == StepNode::Control::Data &&
                  node.blocks.empty() && hasNoEffects(node.op));
    if (!plain)
      return false;
    made.insert(node.results.begin(), node.results.end());
  }
  for (SlotId slot : body.returns)
    if (!made.erase(slot))
      return false;
  return true;
}

static llvm::Expected<StepNode> copyOf(const StepNode &node,
                                       const program::StepCompiler &compiler,
                                       const program::PlanOptions &options) {
  StepNode copy;
  copy.control = node.control;
  copy.op = node.op;
  copy.name = node.name;
  copy.resultTypes = node.resultTypes;
  copy.constant = node.constant;
  if (node.control == StepNode::Control::Constant)
    return copy;
  program::StepSpec spec{node.op, {}, {}, options.numeric, false};
  auto append = [](auto &&types, auto &out) -> llvm::Error {
    for (mlir::Type type : types) {
      out.emplace_back();
      if (mlir::isa<mlir::ShapedType>(type))
        if (llvm::Error error =
                program::tensorTypeOf(type).moveInto(out.back()))
          return error;
    }
    return llvm::Error::success();
  };
  if (llvm::Error error = append(node.op->getOperandTypes(), spec.operands))
    return error;
  if (llvm::Error error = append(node.op->getResultTypes(), spec.results))
    return error;
  if (llvm::Error error = compiler.compile(spec).moveInto(copy.step))
    return error;
  return copy;
}

static llvm::Error inlineInto(Plan &plan, FunctionPlan &function,
                              BlockPlan &block,
                              const program::StepCompiler &compiler,
                              const program::PlanOptions &options) {
  std::vector<StepNode> steps;
  for (StepNode &node : block.steps) {
    if (node.control != StepNode::Control::Call ||
        program::startsProcesses(node) ||
        plan.functions[node.callee].get() == &function ||
        !canInline(*plan.functions[node.callee])) {
      steps.push_back(std::move(node));
      continue;
    }
    const BlockPlan &body = plan.functions[node.callee]->blocks.front();
    llvm::DenseMap<SlotId, SlotId> slots;
    for (auto [argument, operand] : llvm::zip(body.arguments, node.operands))
      slots[argument] = operand;
    for (auto [returned, result] : llvm::zip(body.returns, node.results))
      slots[returned] = result;
    auto slotOf = [&](SlotId slot) {
      auto [it, isNew] = slots.try_emplace(slot, function.slots);
      function.slots += isNew;
      return it->second;
    };
    for (const StepNode &inner : body.steps) {
      llvm::Expected<StepNode> copy = copyOf(inner, compiler, options);
      if (!copy)
        return copy.takeError();
      for (SlotId slot : inner.operands)
        copy->operands.push_back(slotOf(slot));
      for (SlotId slot : inner.results)
        copy->results.push_back(slotOf(slot));
      copy->dying.assign(copy->operands.size(), false);
      steps.push_back(std::move(*copy));
    }
  }
  block.steps = std::move(steps);
  return llvm::Error::success();
}

llvm::Error inlineCalls(Plan &plan, const program::StepCompiler &compiler,
                        const program::PlanOptions &options) {
  // Callees come after their first caller: the innermost come first this way.
  for (auto &function : llvm::reverse(plan.functions))
    for (BlockPlan &block : function->blocks)
      if (llvm::Error error =
              inlineInto(plan, *function, block, compiler, options))
        return error;
  return llvm::Error::success();
}

static bool isFoldable(const StepNode &node) {
  constexpr int64_t kMostElements = 1 << 20;
  if (node.control != StepNode::Control::Data || !node.step ||
      node.step->isRegionStep() || node.results.size() != 1 ||
      !hasNoEffects(node.op))
    return false;
  if (!reference::ElementwiseFunction::knows(node.op) &&
      !mlir::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
                 stablehlo::TransposeOp, stablehlo::SliceOp, stablehlo::IotaOp>(
          node.op))
    return false;
  auto type =
      mlir::dyn_cast<mlir::RankedTensorType>(node.op->getResult(0).getType());
  return type && type.hasStaticShape() &&
         type.getNumElements() <= kMostElements;
}

llvm::Error foldConstants(BlockPlan &block) {
  ThreadPool threads(1);
  program::RunContext run(threads);
  llvm::DenseMap<SlotId, Value *> constants;
  for (StepNode &node : block.steps) {
    bool known = isFoldable(node) && llvm::all_of(node.operands, [&](SlotId s) {
                   return constants.contains(s);
                 });
    if (known) {
      program::StepContext context(run, node.op);
      for (SlotId slot : node.operands)
        context.operands.push_back(constants[slot]);
      context.dying.assign(node.operands.size(), false);
      llvm::SmallVector<Value, 1> results(1);
      context.results = results;
      for (const TensorType &type : node.resultTypes)
        if (auto tensor = tensor::Tensor::allocate(type))
          results[0] = Value(std::move(*tensor));
        else
          return tensor.takeError();
      if (llvm::Error error = node.step->run(context)) {
        llvm::consumeError(std::move(error)); // it will be said when it is run
        continue;
      }
      node.control = StepNode::Control::Constant;
      node.constant = std::move(results[0]);
      node.operands.clear();
      node.dying.clear();
      node.step.reset();
    }
    if (node.control == StepNode::Control::Constant && node.results.size() == 1)
      constants[node.results[0]] = &node.constant;
  }
  return llvm::Error::success();
}

} // namespace assay::engine
