// The order of the native engine's passes over a plan: products take their
// rearrangements, and loops are fused out of the rest. Last uses are found again
// at the end: passes only keep the plan in single-assignment form.
#include "assay/engine/native/Passes.h"

#include "assay/engine/PlanEdit.h"
#include "assay/engine/native/FusionPass.h"
#include "assay/engine/native/KeptStep.h"
#include "assay/engine/native/Steps.h"

namespace assay::engine {

using program::BlockPlan;
using program::FunctionPlan;
using program::StepNode;

/// A loop's arguments stay fixed if they are fixed when it begins and its body passes
/// them on unchanged.
static void addInvariants(const FunctionPlan &function, const StepNode &loop,
                          llvm::DenseSet<program::SlotId> &fixed) {
  const BlockPlan &body = function.blocks[loop.blocks.back()];
  for (auto [operand, argument, returned] :
       llvm::zip(loop.operands, body.arguments, body.returns))
    if (argument == returned && fixed.contains(operand))
      fixed.insert(argument);
}

/// `fixed`: slots whose tensors are the same run after run, those of the blocks
/// around this one. Constants are, and arguments where the caller says so.
static void markWeights(const FunctionPlan &function, const BlockPlan &block,
                        llvm::DenseSet<program::SlotId> &fixed) {
  for (const StepNode &node : block.steps) {
    if (node.control == StepNode::Control::Constant)
      fixed.insert(node.results.begin(), node.results.end());
    if (node.step && node.operands.size() >= 2 &&
        fixed.contains(node.operands[1]))
      setConstantWeight(*node.step);
    if (node.control == StepNode::Control::Data)
      continue;
    if (node.control == StepNode::Control::While)
      addInvariants(function, node, fixed);
    for (uint32_t inner : node.blocks)
      markWeights(function, function.blocks[inner], fixed);
  }
}

void runPasses(program::Plan &plan, const NativeEngine &engine,
               const PlanRequest &request) {
  const std::function<bool(mlir::Operation *)> &wanted = request.wanted;
  for (auto &function : plan.functions) {
    llvm::DenseMap<uint32_t, bool> blocks = controlBlocks(*function);
    // A loop's condition reads its arguments' slots again each time, and they
    // outlive it: fused like any other, released differently.
    for (auto [index, isCondition] : blocks) {
      BlockPlan &block = function->blocks[index];
      foldViews(*function, block, engine, request);
      fuseLoops(*function, block, wanted,
                std::shared_ptr<kernels::Jit>(
                    engine.context(), &engine.context()->registry.jit()));
      if (!wanted)
        removeUnused(*function, block);
      fuseAttention(*function, block, engine.context(), wanted);
      followConvolutions(*function, block, wanted);
      sortSteps(*function, block);
    }
    if (function == plan.functions[plan.entry]) {
      const BlockPlan &body = function->blocks.front();
      llvm::DenseSet<program::SlotId> fixed;
      if (request.keepsArguments)
        fixed.insert(body.arguments.begin(), body.arguments.end());
      if (!wanted)
        fixed.insert_range(keepParameterSteps(
            *function, function->blocks.front(), request.keepsArguments));
      markWeights(*function, body, fixed);
    }
    for (auto [index, isCondition] : blocks)
      findReleases(*function, function->blocks[index], isCondition);
  }
}

} // namespace assay::engine
