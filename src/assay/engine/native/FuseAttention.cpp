// Finds two products with one fused loop between them (AttentionStep.h): only the
// loop reads the first product, and only the second product reads the loop. What the
// loop computes does not matter: a softmax of masked scores, a linear attention's
// feature map, nothing but a scale.
#include "assay/engine/native/AttentionStep.h"
#include "assay/engine/native/DotParts.h"
#include "assay/engine/native/FusionRoles.h"
#include "assay/engine/native/GroupPasses.h"
#include "assay/engine/native/Lowering.h"

namespace assay::engine {

using mlir::Operation;
using mlir::Value;

/// Made from a single argument or constant, or not made in this block.
static bool mayBeWeight(Value value, mlir::Block *block) {
  for (Operation *made = value.getDefiningOp(); made && made->getBlock() == block;
       made = value.getDefiningOp()) {
    if (program::constantOf(made))
      return true;
    if (made->getNumOperands() != 1)
      return false;
    value = made->getOperand(0);
  }
  return true;
}

/// One matrix for all rows, on either side, that may be kept in panels from run to
/// run: two layers of a network and what is between them. Narrow ones are packed
/// again in less time than pieces of many rows save, wide ones are not (64 against
/// 768 columns, Zen 5, 24 November 2026).
static bool readsWeights(Operation *first, Operation *second, size_t read,
                         const Lowering &lowering) {
  constexpr int64_t kNarrow = 256, kManyRows = 128;
  std::optional<DotParts> scores = dotPartsOf(*lowering.stepOf(first)),
                          values = dotPartsOf(*lowering.stepOf(second));
  if (!scores || !values || scores->entries.size() != 1)
    return false;
  const kernels::GemmProblem &a = scores->problem, &b = values->problem;
  bool isTurned = a.cStrides.column != 1;
  int64_t rows = isTurned ? a.n : a.m, width = read == 0 ? b.n : b.m;
  if (rows >= kManyRows && a.k + width <= kNarrow)
    return false;
  return mayBeWeight(first->getOperand(isTurned ? 0 : 1), first->getBlock()) ||
         mayBeWeight(second->getOperand(1 - read), second->getBlock());
}

/// True where the three have become one.
static bool join(Operation *second, unsigned read, Operation *loop,
                 unsigned made, Lowering &lowering) {
  Operation *first = soleMaker(loop, made);
  if (!first || !isProduct(first) || isObserved(first) || !lowering.stepOf(first) ||
      !lowering.stepOf(second) || !lowering.stepOf(loop) ||
      readsWeights(first, second, read, lowering))
    return false;
  std::unique_ptr<Step> step = makeAttentionStep(
      lowering.context(),
      {&lowering.stepOf(first), &lowering.stepOf(loop),
       &lowering.stepOf(second), made, read, *knownTypeOf(first->getResult(0)),
       *knownTypeOf(loop->getResult(0))});
  if (!step)
    return false;
  GroupParts parts;
  parts.members = {first, loop, second};
  llvm::append_range(parts.operands, first->getOperands());
  parts.addOthers(second, read);
  parts.addOthers(loop, made);
  lowering.keep(
      makeGroup("native.attention", std::move(parts), second->getLoc()),
      std::move(step));
  return true;
}

static void visit(Operation *second, Lowering &lowering) {
  for (unsigned read : {0, 1}) {
    Operation *loop = soleMaker(second, read);
    if (!loop || !mlir::isa<native::FusedOp>(loop))
      continue;
    for (unsigned made = 0; made < loop->getNumOperands(); ++made)
      if (join(second, read, loop, made, lowering))
        return;
  }
}

void fuseAttention(mlir::ModuleOp module, const ProgramPassOptions &options) {
  llvm::SmallVector<Operation *> products;
  forEachBlock(module, [&](mlir::Block &block) {
    for (Operation &op : block)
      if (isProduct(&op) && !isObserved(&op))
        products.push_back(&op);
  });
  for (Operation *product : products)
    visit(product, *options.lowering);
}

} // namespace assay::engine
