// The order of the native engine's passes. Inlining comes first, so that chains
// cross functions; constants next, so that what they make is read as such; then
// products take their rearrangements, and loops are fused out of the rest. Last
// uses are found again at the end: passes only keep the plan in
// single-assignment form.
#include "assay/engine/native/Passes.h"

#include "assay/engine/PlanEdit.h"
#include "assay/engine/native/FusionPass.h"
#include "assay/engine/native/Simplify.h"
#include "assay/engine/native/Steps.h"

namespace assay::engine {

using program::BlockPlan;
using program::StepNode;

/// Constants are the same tensors run after run, arguments where the caller
/// says so.
static void markWeights(const BlockPlan &entry, bool keepsArguments) {
  llvm::DenseSet<program::SlotId> fixed;
  if (keepsArguments)
    fixed.insert(entry.arguments.begin(), entry.arguments.end());
  for (const StepNode &node : entry.steps) {
    if (node.control == StepNode::Control::Constant)
      fixed.insert(node.results.begin(), node.results.end());
    if (node.step && node.operands.size() >= 2 &&
        fixed.contains(node.operands[1]))
      setConstantRhs(*node.step);
  }
}

llvm::Error runPasses(program::Plan &plan, const NativeEngine &engine,
                      const program::StepCompiler &compiler,
                      const PlanRequest &request) {
  const std::function<bool(mlir::Operation *)> &wanted = request.wanted;
  if (!wanted)
    if (llvm::Error error = inlineCalls(plan, compiler, request))
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
      foldViews(*function, block, engine, request);
      fuseLoops(*function, block, wanted);
      if (!wanted)
        removeUnused(*function, block);
      sortSteps(*function, block);
    }
    if (function == plan.functions[plan.entry])
      markWeights(function->blocks.front(), request.keepsArguments);
    for (auto [index, isCondition] : blocks)
      findReleases(*function, function->blocks[index], isCondition);
  }
  return llvm::Error::success();
}

} // namespace assay::engine
