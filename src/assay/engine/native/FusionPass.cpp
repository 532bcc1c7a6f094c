// Fused loops instead of chains of operations (FusionChains.h): the operations of a
// block are visited from the last to the first, and each that could be the end of a
// chain becomes one. Then the chains become groups, in the same order.
#include "assay/engine/native/GroupPasses.h"

#include "assay/engine/native/FusionProgram.h"

namespace assay::engine {

static void fuseLoops(mlir::Block &block) {
  llvm::SmallVector<std::pair<GroupParts, mlir::Location>> groups;
  ChainFinder ops(block);
  for (size_t end = ops.size(); end-- > 0;) {
    std::optional<Chain> chain = ops.chainEndingAt(end);
    if (!chain || !ops.isWorthwhile(*chain))
      continue;
    std::optional<GroupParts> parts = groupOf(ops, *chain);
    if (!parts)
      continue;
    ops.take(*chain);
    groups.emplace_back(std::move(*parts), ops.op(end)->getLoc());
  }
  for (auto &[parts, location] : groups)
    makeGroup("native.fused", std::move(parts), location);
}

void fuseLoops(mlir::ModuleOp module) {
  forEachBlock(module, [](mlir::Block &block) { fuseLoops(block); });
}

} // namespace assay::engine
