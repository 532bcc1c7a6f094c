// Products and the rearrangements around them. A product reads each operand
// through strides, so transposes, slices, reshapes and broadcasts before it
// need not be made; and it writes through strides, so a transpose that alone
// reads its result is where it writes.
#include "assay/engine/native/FusionPass.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/Steps.h"

namespace assay::engine {

using program::BlockPlan;
using program::FunctionPlan;
using program::SlotId;
using program::StepNode;
using program::TensorType;

/// The transpose that alone reads the product's result, or null.
static StepNode *
transposeBehind(BlockPlan &block, const BlockUses &uses, SlotId result,
                const std::function<bool(mlir::Operation *)> &wanted) {
  auto readers = uses.readers.find(result);
  if (readers == uses.readers.end() || readers->second.size() != 1 ||
      readers->second.front() >= block.steps.size())
    return nullptr;
  StepNode &node = block.steps[readers->second.front()];
  if (node.control != StepNode::Control::Data ||
      !mlir::isa<stablehlo::TransposeOp>(node.op) ||
      (wanted && wanted(node.op)))
    return nullptr;
  return &node;
}

/// Strides of the product's own result in the transposed one.
static Shape stridesThrough(mlir::Operation *transpose, const Shape &shape) {
  Shape dense = tensor::rowMajorStrides(shape), strides(shape.size());
  for (auto [to, from] :
       llvm::enumerate(reference::intsOf(transpose, "permutation")))
    strides[from] = dense[to];
  return strides;
}

/// True when neighbouring dimensions [begin, end) continue each other, so that
/// a product can write them as one.
static bool continues(const Shape &shape, const Shape &strides, size_t begin,
                      size_t end) {
  int64_t next = 0;
  for (size_t d = end; d-- > begin;) {
    if (shape[d] == 1)
      continue;
    if (next != 0 && strides[d] != next)
      return false;
    next = strides[d] * shape[d];
  }
  return true;
}

/// Rows and columns of the result each lie at equal distances.
static bool isWritable(const StepNode &node, const Shape &strides) {
  TensorType lhs = typeOf(node.op->getOperand(0)),
             result = typeOf(node.op->getResult(0));
  DotDimensions dims = *dotDimensions(node.op, lhs);
  size_t batch = dims.lhsBatch.size(),
         rows = lhs.shape.size() - dims.lhsContracted.size();
  return continues(result.shape, strides, batch, rows) &&
         continues(result.shape, strides, rows, result.shape.size());
}

void foldViews(const FunctionPlan &function, BlockPlan &block,
               const NativeCompiler &compiler,
               const std::function<bool(mlir::Operation *)> &wanted) {
  llvm::DenseMap<SlotId, DotEpilogue> epilogues =
      foldEpilogues(function, block, wanted);
  BlockUses uses(function, block);
  llvm::DenseMap<SlotId, Shape> resultStrides;
  // 1. Where products write: before views are taken, which begin at slots.
  for (StepNode &node : block.steps) {
    if (!node.step || !isDotStep(*node.step) || (wanted && wanted(node.op)))
      continue;
    StepNode *transpose = transposeBehind(block, uses, node.results[0], wanted);
    if (!transpose)
      continue;
    TensorType type = typeOf(transpose->op->getResult(0));
    SlotId slot = transpose->results[0], before = node.results[0];
    Shape strides = stridesThrough(transpose->op, type.shape);
    if (!isWritable(node, strides))
      continue;
    resultStrides[slot] = strides;
    if (auto epilogue = epilogues.find(before); epilogue != epilogues.end())
      epilogues[slot] = DotEpilogue(epilogue->second);
    node.results[0] = slot;
    node.resultTypes = {type};
    transpose->op = nullptr;
  }
  std::erase_if(block.steps, [](const StepNode &node) {
    return node.control == StepNode::Control::Data && !node.op;
  });
  // 2. What they read.
  llvm::DenseMap<SlotId, View> views = viewsOf(block, wanted);
  for (StepNode &node : block.steps) {
    if (!node.step || !isDotStep(*node.step))
      continue;
    OperandView operands[2];
    TensorType types[2];
    bool changed = false;
    for (unsigned o = 0; o < 2; ++o) {
      types[o] = typeOf(node.op->getOperand(o));
      operands[o] = OperandView::dense(types[o]);
      auto view = views.find(node.operands[o]);
      if (view == views.end())
        continue;
      operands[o] = {view->second.shape, view->second.strides,
                     view->second.offset};
      node.operands[o] = view->second.base;
      changed = true;
    }
    auto strides = resultStrides.find(node.results[0]);
    DotEpilogue epilogue = epilogues.lookup(node.results[0]);
    if (!changed && strides == resultStrides.end() &&
        epilogue.bias == kernels::Bias::None)
      continue;
    node.step = makeDotStep(
        compiler.context(), *dotDimensions(node.op, types[0]), operands[0],
        operands[1], types[0], types[1], typeOf(node.op->getResult(0)),
        strides == resultStrides.end() ? Shape() : strides->second, epilogue);
  }
}

} // namespace assay::engine
