// Fused loops instead of chains of steps (FusionChains.h): the steps are
// visited from the last to the first, and each that could be the end of a chain
// becomes one. Values that others read become results of the fused step.
#include "assay/engine/native/FusionPass.h"

#include "assay/engine/native/FusionProgram.h"

namespace assay::engine {

using program::BlockPlan;
using program::FunctionPlan;
using program::SlotId;
using program::StepNode;

llvm::DenseMap<SlotId, View>
viewsOf(const BlockPlan &block,
        const std::function<bool(mlir::Operation *)> &wanted) {
  llvm::DenseMap<SlotId, View> views;
  for (const StepNode &node : block.steps) {
    if (node.control != StepNode::Control::Data || node.operands.size() != 1 ||
        node.results.size() != 1 || node.op->getNumOperands() != 1 ||
        (wanted && wanted(node.op)))
      continue;
    auto from = knownTypeOf(node.op->getOperand(0)),
         to = knownTypeOf(node.op->getResult(0));
    if (!from || !to || !(from->element == to->element))
      continue;
    auto known = views.find(node.operands[0]);
    View operand = known != views.end()
                       ? known->second
                       : View::dense(node.operands[0], from->shape);
    if (std::optional<View> view = viewOf(node.op, operand, to->shape))
      views[node.results[0]] = *view;
  }
  return views;
}

/// One step instead of the members, where the last of them stood.
static void replace(BlockPlan &block, const Chain &chain, ChainProgram made,
                    std::shared_ptr<kernels::Jit> jit) {
  StepNode fused;
  fused.op = block.steps[chain.end].op;
  fused.name = "native.fused";
  fused.operands.assign(made.operands.begin(), made.operands.end());
  fused.results.assign(made.results.begin(), made.results.end());
  fused.resultTypes.assign(made.resultTypes.begin(), made.resultTypes.end());
  fused.step = makeFusedStep(std::move(made.program), std::move(jit));
  for (auto [index, perRow] : chain.members) {
    block.steps[index].results.clear();
    block.steps[index].operands.clear();
    block.steps[index].op = nullptr;
  }
  block.steps[chain.end] = std::move(fused);
}

void fuseLoops(const FunctionPlan &function, BlockPlan &block,
               const std::function<bool(mlir::Operation *)> &wanted,
               std::shared_ptr<kernels::Jit> jit) {
  ChainFinder steps(function, block, wanted);
  for (size_t end = block.steps.size(); end-- > 0;) {
    std::optional<Chain> chain = steps.chainEndingAt(end);
    if (!chain || !steps.isWorthwhile(*chain))
      continue;
    std::optional<ChainProgram> made = programOf(steps, *chain);
    if (!made)
      continue;
    steps.take(*chain);
    replace(block, *chain, std::move(*made), jit);
  }
  std::erase_if(block.steps, [](const StepNode &node) {
    return node.control == StepNode::Control::Data && !node.op;
  });
}

} // namespace assay::engine
