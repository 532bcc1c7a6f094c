// Dead steps and last uses. A plan
// is in single-assignment form: each slot is written by one step of its block.
#include "assay/engine/offload/PlanEdit.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace assay::engine {

using program::BlockPlan;
using program::FunctionPlan;
using program::SlotId;
using program::StepNode;

llvm::DenseMap<uint32_t, bool> controlBlocks(const FunctionPlan &f) {
  llvm::DenseMap<uint32_t, bool> blocks; // is it a loop's condition
  llvm::SmallVector<uint32_t> work{0};
  blocks[0] = false;
  while (!work.empty())
    for (const StepNode &node : f.blocks[work.pop_back_val()].steps) {
      if (node.control == StepNode::Control::Data)
        continue;
      for (size_t i = 0; i < node.blocks.size(); ++i) {
        blocks[node.blocks[i]] =
            node.control == StepNode::Control::While && i == 0;
        work.push_back(node.blocks[i]);
      }
    }
  return blocks;
}

static bool isRemovable(const StepNode &node) {
  if (node.control == StepNode::Control::Constant)
    return true;
  return node.control == StepNode::Control::Data && mlir::isMemoryEffectFree(node.op);
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

void removeUnused(const FunctionPlan &function, BlockPlan &block) {
  llvm::DenseMap<SlotId, size_t> producer;
  for (size_t i = 0; i < block.steps.size(); ++i)
    for (SlotId slot : block.steps[i].results)
      producer[slot] = i;
  std::vector<bool> live(block.steps.size(), false);
  std::vector<size_t> work;
  auto mark = [&](SlotId slot) {
    auto made = producer.find(slot);
    if (made != producer.end() && !live[made->second]) {
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

} // namespace assay::engine
