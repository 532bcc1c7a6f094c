// What passes over plans share: uses of slots, inlining, constants, dead steps,
// order, last uses. A plan is in single-assignment form (each slot is written
// by one step of its block), and passes keep it so; release lists are computed
// anew when all of them are done.
#include "assay/engine/native/PlanEdit.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/program/Types.h"
#include "assay/reference/Elementwise.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <queue>

namespace assay::engine {

using program::BlockPlan;
using program::FunctionPlan;
using program::Plan;
using program::SlotId;
using program::StepNode;
using program::TensorType;
using program::Value;

bool hasNoEffects(mlir::Operation *op) { return mlir::isMemoryEffectFree(op); }

static bool isRemovable(const StepNode &node) {
  if (node.control == StepNode::Control::Constant)
    return true;
  return node.control == StepNode::Control::Data && hasNoEffects(node.op);
}

/// Every slot that the step's nested blocks read.
static void forEachCaptured(const FunctionPlan &function, const StepNode &node,
                            llvm::function_ref<void(SlotId)> visit) {
  for (uint32_t index : node.blocks) {
    const BlockPlan &block = function.blocks[index];
    for (const StepNode &inner : block.steps) {
      for (SlotId slot : inner.operands)
        visit(slot);
      forEachCaptured(function, inner, visit);
    }
    for (SlotId slot : block.returns)
      visit(slot);
  }
}

BlockUses::BlockUses(const FunctionPlan &function, const BlockPlan &block) {
  for (size_t i = 0; i < block.steps.size(); ++i) {
    const StepNode &node = block.steps[i];
    for (SlotId slot : node.results)
      producer[slot] = i;
    auto read = [&](SlotId slot) {
      auto &list = readers[slot];
      if (list.empty() || list.back() != i)
        list.push_back(i);
    };
    for (SlotId slot : node.operands)
      read(slot);
    forEachCaptured(function, node, read);
  }
  for (SlotId slot : block.returns)
    readers[slot].push_back(block.steps.size());
}

// ---- calls

/// True when the callee's steps can stand in the caller: one block, no control
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
                                       const NativeCompiler &compiler,
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
                              BlockPlan &block, const NativeCompiler &compiler,
                              const program::PlanOptions &options) {
  std::vector<StepNode> steps;
  for (StepNode &node : block.steps) {
    if (node.control != StepNode::Control::Call ||
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

llvm::Error inlineCalls(Plan &plan, const NativeCompiler &compiler,
                        const program::PlanOptions &options) {
  // Callees stand behind their first caller: the innermost come first this way.
  for (auto &function : llvm::reverse(plan.functions))
    for (BlockPlan &block : function->blocks)
      if (llvm::Error error =
              inlineInto(plan, *function, block, compiler, options))
        return error;
  return llvm::Error::success();
}

// ---- constants

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

// ---- dead steps and order

void removeUnused(const FunctionPlan &function, BlockPlan &block) {
  BlockUses uses(function, block);
  std::vector<bool> live(block.steps.size(), false);
  std::vector<size_t> work;
  auto mark = [&](SlotId slot) {
    auto made = uses.producer.find(slot);
    if (made != uses.producer.end() && !live[made->second]) {
      live[made->second] = true;
      work.push_back(made->second);
    }
  };
  for (size_t i = 0; i < block.steps.size(); ++i)
    if (!isRemovable(block.steps[i])) {
      live[i] = true;
      work.push_back(i);
    }
  for (SlotId slot : block.returns)
    mark(slot);
  while (!work.empty()) {
    const StepNode &node = block.steps[work.back()];
    work.pop_back();
    for (SlotId slot : node.operands)
      mark(slot);
    forEachCaptured(function, node, mark);
  }
  std::vector<StepNode> steps;
  for (size_t i = 0; i < block.steps.size(); ++i)
    if (live[i])
      steps.push_back(std::move(block.steps[i]));
  block.steps = std::move(steps);
}

void sortSteps(const FunctionPlan &function, BlockPlan &block) {
  BlockUses uses(function, block);
  size_t count = block.steps.size();
  std::vector<size_t> waitsFor(count, 0);
  std::vector<llvm::SmallVector<size_t, 4>> readers(count);
  for (auto &[slot, list] : uses.readers) {
    auto made = uses.producer.find(slot);
    if (made == uses.producer.end())
      continue;
    for (size_t reader : list)
      if (reader < count && reader != made->second) {
        readers[made->second].push_back(reader);
        ++waitsFor[reader];
      }
  }
  std::optional<size_t> lastEffect;
  for (size_t i = 0; i < count; ++i)
    if (!isRemovable(block.steps[i])) {
      if (lastEffect) {
        readers[*lastEffect].push_back(i);
        ++waitsFor[i];
      }
      lastEffect = i;
    }
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < count; ++i)
    if (waitsFor[i] == 0)
      ready.push(i);
  std::vector<StepNode> steps;
  while (!ready.empty()) {
    size_t next = ready.top();
    ready.pop();
    for (size_t reader : readers[next])
      if (--waitsFor[reader] == 0)
        ready.push(reader);
    steps.push_back(std::move(block.steps[next]));
  }
  assert(steps.size() == count && "a pass made a cycle");
  block.steps = std::move(steps);
}

void findReleases(const FunctionPlan &function, BlockPlan &block,
                  bool keepArguments) {
  llvm::DenseMap<SlotId, size_t> last;
  llvm::DenseSet<SlotId> own;
  if (!keepArguments)
    own.insert(block.arguments.begin(), block.arguments.end());
  for (size_t i = 0; i < block.steps.size(); ++i) {
    StepNode &node = block.steps[i];
    own.insert(node.results.begin(), node.results.end());
    auto read = [&](SlotId slot) {
      if (own.contains(slot))
        last[slot] = i;
    };
    for (SlotId slot : node.results)
      last[slot] = i;
    for (SlotId slot : node.operands)
      read(slot);
    forEachCaptured(function, node, read);
    node.release.clear();
  }
  for (SlotId slot : block.returns)
    last.erase(slot);
  for (auto [slot, index] : last)
    block.steps[index].release.push_back(slot);
  for (StepNode &node : block.steps) {
    llvm::sort(node.release);
    llvm::DenseSet<SlotId> captured;
    forEachCaptured(function, node, [&](SlotId s) { captured.insert(s); });
    node.dying.clear();
    for (SlotId slot : node.operands)
      node.dying.push_back(llvm::is_contained(node.release, slot) &&
                           llvm::count(node.operands, slot) == 1 &&
                           !captured.contains(slot));
  }
}

program::TensorType typeOf(mlir::Value value) {
  return llvm::cantFail(program::tensorTypeOf(value.getType()));
}

} // namespace assay::engine
