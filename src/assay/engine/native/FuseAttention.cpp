// Finds two products with one fused loop between them (AttentionStep.h): only the
// loop reads the first product, and only the second product reads the loop. What the
// loop computes does not matter: a softmax of masked scores, a linear attention's
// feature map, nothing but a scale.
#include "assay/engine/native/AttentionStep.h"
#include "assay/engine/native/DotParts.h"
#include "assay/engine/native/Fused.h"
#include "assay/engine/native/FusionPass.h"

namespace assay::engine {

using program::BlockPlan;
using program::FunctionPlan;
using program::SlotId;
using program::StepNode;

namespace {
class AttentionFinder {
public:
  AttentionFinder(const FunctionPlan &function, BlockPlan &block,
                  std::shared_ptr<NativeContext> context,
                  const std::function<bool(mlir::Operation *)> &wanted)
      : block_(block), uses_(function, block), context_(std::move(context)),
        wanted_(wanted) {}
  void visit(StepNode &second);

private:
  bool isWanted(const StepNode &node) const {
    return wanted_ && wanted_(node.op);
  }
  bool mayBeWeight(SlotId slot) const;
  bool readsWeights(const StepNode &first, const StepNode &second,
                    size_t read) const;
  bool join(StepNode &second, size_t read, StepNode &loop, size_t made);

  BlockPlan &block_;
  BlockUses uses_;
  std::shared_ptr<NativeContext> context_;
  const std::function<bool(mlir::Operation *)> &wanted_;
};
} // namespace

/// Made from a single argument or constant, or not made here.
bool AttentionFinder::mayBeWeight(SlotId slot) const {
  for (auto made = uses_.producer.find(slot); made != uses_.producer.end();
       made = uses_.producer.find(slot)) {
    const StepNode &node = block_.steps[made->second];
    if (node.control == StepNode::Control::Constant)
      return true;
    if (node.operands.size() != 1)
      return false;
    slot = node.operands[0];
  }
  return true;
}

/// One matrix for all rows, on either side, that may be kept in panels from run to
/// run: two layers of a network and what is between them. Narrow ones are packed
/// again in less time than pieces of many rows save, wide ones are not (64 against
/// 768 columns, Zen 5, 24 November 2026).
bool AttentionFinder::readsWeights(const StepNode &first,
                                   const StepNode &second, size_t read) const {
  constexpr int64_t kNarrow = 256, kManyRows = 128;
  std::optional<DotParts> scores = dotPartsOf(*first.step),
                          values = dotPartsOf(*second.step);
  if (!scores || !values || scores->entries.size() != 1)
    return false;
  const kernels::GemmProblem &a = scores->problem, &b = values->problem;
  bool isTurned = a.cStrides.column != 1;
  int64_t rows = isTurned ? a.n : a.m, width = read == 0 ? b.n : b.m;
  if (rows >= kManyRows && a.k + width <= kNarrow)
    return false;
  return mayBeWeight(first.operands[isTurned ? 0 : 1]) ||
         mayBeWeight(second.operands[1 - read]);
}

/// True where the three have become one.
bool AttentionFinder::join(StepNode &second, size_t read, StepNode &loop,
                           size_t made) {
  StepNode *first = soleMaker(block_, uses_, loop, made);
  if (!first || !productStepOf(*first->step) || isWanted(*first) ||
      readsWeights(*first, second, read))
    return false;
  std::unique_ptr<Step> step = makeAttentionStep(
      context_, {&first->step, &loop.step, &second.step, made, read,
                 first->resultTypes[0], loop.resultTypes[0]});
  if (!step)
    return false;
  auto operands = first->operands;
  operands.push_back(second.operands[1 - read]);
  for (size_t o = 0; o < loop.operands.size(); ++o)
    if (o != made)
      operands.push_back(loop.operands[o]);
  second.step = std::move(step);
  second.operands = std::move(operands);
  second.name = "native.attention";
  for (StepNode *gone : {first, &loop}) {
    gone->results.clear();
    gone->operands.clear();
    gone->op = nullptr;
  }
  return true;
}

void AttentionFinder::visit(StepNode &second) {
  if (!second.op || !second.step || !productStepOf(*second.step) ||
      isWanted(second))
    return;
  for (size_t read : {0, 1}) {
    StepNode *loop = soleMaker(block_, uses_, second, read);
    if (!loop || !followingLoopOf(*loop->step) || isWanted(*loop))
      continue;
    for (size_t made = 0; made < loop->operands.size(); ++made)
      if (join(second, read, *loop, made))
        return;
  }
}

void fuseAttention(const FunctionPlan &function, BlockPlan &block,
                   std::shared_ptr<NativeContext> context,
                   const std::function<bool(mlir::Operation *)> &wanted) {
  AttentionFinder finder(function, block, std::move(context), wanted);
  for (StepNode &node : block.steps)
    finder.visit(node);
  std::erase_if(block.steps, [](const StepNode &node) {
    return node.control == StepNode::Control::Data && !node.op;
  });
}

} // namespace assay::engine
