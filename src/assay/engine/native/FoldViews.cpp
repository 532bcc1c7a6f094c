// Products and the rearrangements around them. A product reads each operand
// through strides, so transposes, slices, reshapes and broadcasts before it
// need not be made; and it writes through strides, so a transpose that is the only
// reader of its result is written directly. A convolution reads its filter likewise, even
// backwards. Products of bytes that were widened to 32 bits read the bytes.
#include "assay/engine/native/FusionPass.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/ConvolutionAlgorithms.h"

namespace assay::engine {

using program::BlockPlan;
using program::FunctionPlan;
using program::SlotId;
using program::StepNode;
using program::TensorType;

/// The transpose that is the only reader of the product's result, or null.
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

/// The longest of dimensions [begin, end) is long, and the others make few products.
static bool isLongAlone(const Shape &shape, size_t begin, size_t end) {
  constexpr int64_t kLong = 32, kMostProducts = 64;
  int64_t longest = 1, all = 1;
  for (size_t d = begin; d < end; ++d) {
    longest = std::max(longest, shape[d]);
    all *= shape[d];
  }
  return longest >= kLong && all <= kMostProducts * longest;
}

/// Rows and columns of the result are each equally spaced; or, where there are
/// batches anyway, would be if they were batches too (groups of queries that share keys).
static bool isWritable(const StepNode &node, const Shape &strides,
                       bool hasEpilogue) {
  TensorType lhs = typeOf(node.op->getOperand(0)),
             result = typeOf(node.op->getResult(0));
  DotDimensions dims = *dotDimensions(node.op, lhs);
  size_t batch = dims.lhsBatch.size(),
         rows = lhs.shape.size() - dims.lhsContracted.size(),
         rank = result.shape.size();
  bool maySplit = batch > 0 && !hasEpilogue;
  auto lies = [&](size_t begin, size_t end) {
    return continues(result.shape, strides, begin, end) ||
           (maySplit && isLongAlone(result.shape, begin, end));
  };
  return lies(batch, rows) && lies(rows, rank);
}

namespace {
/// What a product reads: a slot, the operand's layout in it, its element type.
struct Source {
  SlotId slot = 0;
  Layout layout;
  TensorType type;
};

/// Follows operands to where they come from.
class Sources {
public:
  Sources(const FunctionPlan &function, const BlockPlan &block,
          const std::function<bool(mlir::Operation *)> &wanted)
      : block_(block), wanted_(wanted), uses_(function, block),
        views_(viewsOf(block, wanted)) {}
  /// Operand `o` read through views.
  Source viewed(const StepNode &node, unsigned o) const;
  /// The same, also through a reversal.
  Source reversed(const StepNode &node, unsigned o) const;
  /// The bytes that integers of 32 bits were widened from, if any.
  void narrow(Source &source) const;

private:
  const StepNode *producer(SlotId slot) const;
  View viewOfSlot(SlotId slot, const Shape &shape) const {
    auto view = views_.find(slot);
    return view == views_.end() ? View::dense(slot, shape) : view->second;
  }

  const BlockPlan &block_;
  const std::function<bool(mlir::Operation *)> &wanted_;
  BlockUses uses_;
  llvm::DenseMap<SlotId, View> views_;
};
} // namespace

/// The step that makes a slot, if the value it makes is not watched.
const StepNode *Sources::producer(SlotId slot) const {
  auto found = uses_.producer.find(slot);
  if (found == uses_.producer.end())
    return nullptr;
  const StepNode &node = block_.steps[found->second];
  bool plain = node.control == StepNode::Control::Data && node.op &&
               node.operands.size() == 1 && !(wanted_ && wanted_(node.op));
  return plain ? &node : nullptr;
}

static Source sourceOf(const View &view, TensorType type) {
  return {view.base, {view.shape, view.strides, view.offset}, std::move(type)};
}

Source Sources::viewed(const StepNode &node, unsigned o) const {
  TensorType type = typeOf(node.op->getOperand(o));
  return sourceOf(viewOfSlot(node.operands[o], type.shape), type);
}

Source Sources::reversed(const StepNode &node, unsigned o) const {
  const StepNode *reverse = producer(node.operands[o]);
  if (!reverse || !mlir::isa<stablehlo::ReverseOp>(reverse->op))
    return viewed(node, o);
  TensorType type = typeOf(node.op->getOperand(o));
  View view = viewOfSlot(reverse->operands[0], type.shape);
  for (int64_t dim : reference::intsOf(reverse->op, "dimensions")) {
    view.offset += (view.shape[dim] - 1) * view.strides[dim];
    view.strides[dim] = -view.strides[dim];
  }
  return sourceOf(view, type);
}

void Sources::narrow(Source &source) const {
  const StepNode *convert = producer(source.slot);
  if (!convert || !mlir::isa<stablehlo::ConvertOp>(convert->op))
    return;
  TensorType from = typeOf(convert->op->getOperand(0)),
             to = typeOf(convert->op->getResult(0));
  if (!from.element.isInteger() || from.element.bits != 8 ||
      !to.element.isInteger() || to.element.bits != 32)
    return;
  source.slot = convert->operands[0];
  source.type.element = from.element;
}

/// A product of 32-bit integers: only the integers before widening can have a kernel.
static bool isWideIntegers(const StepNode &node) {
  if (node.control != StepNode::Control::Data || !node.op ||
      node.operands.size() != 2 || node.results.size() != 1 || !node.step)
    return false;
  if (!mlir::isa<stablehlo::ConvolutionOp, stablehlo::DotGeneralOp,
                 stablehlo::DotOp>(node.op))
    return false;
  auto isWide = [](mlir::Value value) {
    numerics::ElementType type = typeOf(value).element;
    return type.isInteger() && type.bits == 32;
  };
  return isWide(node.op->getResult(0)) &&
         llvm::all_of(node.op->getOperands(), isWide);
}

/// Compiles the product again if something new was found around it.
/// Keeps it as it is otherwise.
static void compileDot(StepNode &node, const NativeEngine &engine,
                       const Sources &sources, const Shape &resultStrides,
                       const DotEpilogue &epilogue) {
  bool wide = isWideIntegers(node),
       changed = !resultStrides.empty() || epilogue.bias != kernels::Bias::None;
  Source operands[2] = {sources.viewed(node, 0), sources.viewed(node, 1)};
  for (unsigned o : {0, 1}) {
    if (wide)
      sources.narrow(operands[o]);
    changed |= operands[o].slot != node.operands[o];
  }
  TensorType result = typeOf(node.op->getResult(0));
  if (!changed || !kernelTakes(operands[0].type.element,
                               operands[1].type.element, result.element))
    return;
  for (unsigned o : {0, 1})
    node.operands[o] = operands[o].slot;
  node.step = makeDotStep(
      engine.context(), *dotDimensions(node.op, typeOf(node.op->getOperand(0))),
      operands[0].layout, operands[1].layout, operands[0].type,
      operands[1].type, result, resultStrides, epilogue);
}

/// The same for a convolution, whose input has to be in memory as it is.
static void compileConvolution(StepNode &node, const NativeEngine &engine,
                               const PlanRequest &request,
                               const Sources &sources) {
  if (node.step && perChannelOf(*node.step) != PerChannel::No)
    return;
  Source input = {node.operands[0], {}, typeOf(node.op->getOperand(0))},
         filter = sources.reversed(node, 1);
  if (isWideIntegers(node)) {
    sources.narrow(input);
    sources.narrow(filter);
  }
  if (input.slot == node.operands[0] && filter.slot == node.operands[1])
    return;
  program::StepSpec spec{node.op,
                         {input.type, filter.type},
                         {typeOf(node.op->getResult(0))},
                         request.numeric,
                         false};
  std::unique_ptr<Step> step;
  auto take = [&](Compiled made) {
    if (auto *found = std::get_if<std::unique_ptr<Step>>(&made))
      step = std::move(*found);
  };
  take(makeChosenConvolution(engine.context(), spec, filter.layout,
                             /*minimumWork=*/0));
  bool dense =
      filter.layout.offset == 0 &&
      filter.layout.strides == tensor::rowMajorStrides(filter.layout.shape);
  if (!step && dense)
    take(makeDepthwiseStep(engine.context(), spec, /*minimumWork=*/0));
  if (!step)
    step = makePlanarConvolutionStep(engine.context(), spec, filter.layout,
                                     /*minimumWork=*/0);
  if (!step && dense && gathersForTiles(*engine.context(), spec))
    step = makeConvolutionStep(engine.context(), spec, /*minimumWork=*/0);
  // Bytes have no other algorithm where windows are of one element, or lines short.
  if (!step)
    take(makeChannelsLastStep(
        engine.context(), spec, filter.layout, /*minimumWork=*/0,
        isWideIntegers(node)
            ? kernels::ConvConfig{kernels::ConvAlgorithm::Windows}
            : kernels::ConvConfig()));
  if (!step)
    return;
  node.step =
      withWinograd(engine.context(), spec, filter.layout, std::move(step));
  node.operands[0] = input.slot;
  node.operands[1] = filter.slot;
}

void foldViews(const FunctionPlan &function, BlockPlan &block,
               const NativeEngine &engine, const PlanRequest &request) {
  const std::function<bool(mlir::Operation *)> &wanted = request.wanted;
  llvm::DenseMap<SlotId, DotEpilogue> epilogues =
      foldEpilogues(function, block, wanted);
  BlockUses uses(function, block);
  llvm::DenseMap<SlotId, Shape> resultStrides;
  // 1. Where products write: before views are taken, which begin at slots.
  for (StepNode &node : block.steps) {
    if (!node.step || !productStepOf(*node.step) || (wanted && wanted(node.op)))
      continue;
    StepNode *transpose = transposeBehind(block, uses, node.results[0], wanted);
    if (!transpose)
      continue;
    TensorType type = typeOf(transpose->op->getResult(0));
    SlotId slot = transpose->results[0], before = node.results[0];
    Shape strides = stridesThrough(transpose->op, type.shape);
    if (!isWritable(node, strides, epilogues.contains(before)))
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
  Sources sources(function, block, wanted);
  for (StepNode &node : block.steps) {
    if (!node.step || !node.op)
      continue;
    if (mlir::isa<stablehlo::ConvolutionOp>(node.op))
      compileConvolution(node, engine, request, sources);
    else if (productStepOf(*node.step) || isWideIntegers(node))
      compileDot(node, engine, sources, resultStrides.lookup(node.results[0]),
                 epilogues.lookup(node.results[0]));
  }
}

} // namespace assay::engine
