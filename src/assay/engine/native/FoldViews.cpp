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

/// Where the operands of a product are, once views are taken off: their layouts,
/// and in `node` the slots that hold them. True if any is a view.
static bool takeViews(StepNode &node, const llvm::DenseMap<SlotId, View> &views,
                      llvm::SmallVector<Layout, 2> &layouts) {
  bool changed = false;
  for (unsigned o = 0; o < 2; ++o) {
    layouts.push_back(Layout::dense(typeOf(node.op->getOperand(o))));
    auto view = views.find(node.operands[o]);
    if (view == views.end())
      continue;
    layouts[o] = {view->second.shape, view->second.strides,
                  view->second.offset};
    node.operands[o] = view->second.base;
    changed = true;
  }
  return changed;
}

/// Compiles the product again with what was found around it.
static llvm::Error compileProduct(StepNode &node, const NativeEngine &engine,
                                  const PlanRequest &request,
                                  llvm::ArrayRef<Layout> layouts,
                                  const Shape &resultStrides,
                                  const DotEpilogue &epilogue) {
  program::StepSpec spec{
      node.op,
      {typeOf(node.op->getOperand(0)), typeOf(node.op->getOperand(1))},
      {typeOf(node.op->getResult(0))},
      request.numeric,
      false};
  if (!resultStrides.empty() || epilogue.bias != kernels::Bias::None) {
    node.step =
        makeDotStep(engine.context(), *dotDimensions(node.op, spec.operands[0]),
                    layouts[0], layouts[1], spec.operands[0], spec.operands[1],
                    spec.results[0], resultStrides, epilogue);
    return llvm::Error::success();
  }
  llvm::Expected<Compiled> compiled = engine.compile({spec, layouts});
  if (!compiled)
    return compiled.takeError();
  if (auto *refusal = std::get_if<Refusal>(&*compiled))
    return makeError(ErrorCode::Internal,
                     "a product was refused when read through views: {0}",
                     refusal->text);
  node.step = std::move(std::get<std::unique_ptr<Step>>(*compiled));
  return llvm::Error::success();
}

llvm::Error foldViews(const FunctionPlan &function, BlockPlan &block,
                      const NativeEngine &engine, const PlanRequest &request) {
  const std::function<bool(mlir::Operation *)> &wanted = request.wanted;
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
    llvm::SmallVector<Layout, 2> layouts;
    bool changed = takeViews(node, views, layouts);
    Shape strides = resultStrides.lookup(node.results[0]);
    DotEpilogue epilogue = epilogues.lookup(node.results[0]);
    if (changed || !strides.empty() || epilogue.bias != kernels::Bias::None)
      if (llvm::Error error =
              compileProduct(node, engine, request, layouts, strides, epilogue))
        return error;
  }
  return llvm::Error::success();
}

} // namespace assay::engine
