// The order of the native engine's passes. Inlining comes first, so that chains
// cross functions; constants next, so that what they make is read as such; then
// products take their rearrangements, and loops are fused out of the rest. Last
// uses are found anew at the end: passes only keep the plan in
// single-assignment form.
#include "assay/engine/native/Passes.h"

#include "assay/engine/native/FusionPass.h"
#include "assay/engine/native/Steps.h"

namespace assay::engine {

using program::BlockPlan;
using program::FunctionPlan;
using program::StepNode;

/// The blocks that run as blocks: bodies of functions, loops and branches.
/// Bodies of region steps have lane programs and stay as they are.
static llvm::DenseMap<uint32_t, bool> controlBlocks(const FunctionPlan &f) {
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

/// Arguments of the program and constants are the same tensors run after run.
static void markWeights(const BlockPlan &entry) {
  llvm::DenseSet<program::SlotId> fixed(entry.arguments.begin(),
                                        entry.arguments.end());
  for (const StepNode &node : entry.steps) {
    if (node.control == StepNode::Control::Constant)
      fixed.insert(node.results.begin(), node.results.end());
    if (node.step && node.operands.size() >= 2 &&
        fixed.contains(node.operands[1]))
      setConstantRhs(*node.step);
  }
}

llvm::Error runPasses(program::Plan &plan, const NativeCompiler &compiler,
                      const program::PlanOptions &options,
                      const std::function<bool(mlir::Operation *)> &wanted) {
  if (!wanted)
    if (llvm::Error error = inlineCalls(plan, compiler, options))
      return error;
  for (auto &function : plan.functions) {
    llvm::DenseMap<uint32_t, bool> blocks = controlBlocks(*function);
    // A loop's condition reads its arguments' slots again each time, and they
    // outlive it: fused like any other, released differently.
    for (auto [index, isCondition] : blocks) {
      BlockPlan &block = function->blocks[index];
      if (!wanted) {
        if (llvm::Error error = foldConstants(block))
          return error;
        removeUnused(*function, block);
      }
      foldViews(*function, block, compiler, wanted);
      fuseLoops(*function, block, wanted);
      if (!wanted)
        removeUnused(*function, block);
      sortSteps(*function, block);
    }
    if (function == plan.functions[plan.entry])
      markWeights(function->blocks.front());
    for (auto [index, isCondition] : blocks)
      findReleases(*function, function->blocks[index], isCondition);
  }
  return llvm::Error::success();
}

} // namespace assay::engine
