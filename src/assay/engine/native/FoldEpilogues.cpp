// Epilogues of a product, done while its block of C is in the cache: a bias for each
// column, and the maximum with zero after it. Only if nothing elementwise follows: a longer
// chain becomes one fused loop anyway, which reads the product once.
// 
#include "assay/engine/native/FusionPass.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/Steps.h"
#include "assay/reference/Elementwise.h"
#include "mlir/IR/Matchers.h"

namespace assay::engine {

using program::BlockPlan;
using program::FunctionPlan;
using program::SlotId;
using program::StepNode;
using program::TensorType;

namespace {
class Folder {
public:
  Folder(const FunctionPlan &function, BlockPlan &block,
         const std::function<bool(mlir::Operation *)> &wanted)
      : block_(block), wanted_(wanted), uses_(function, block),
        views_(viewsOf(block, wanted)) {}
  llvm::DenseMap<SlotId, DotEpilogue> run();

private:
  std::optional<size_t> soleReader(SlotId slot) const;
  std::optional<SlotId> biasOf(const StepNode &dot, const StepNode &add) const;
  bool isRelu(const StepNode &node, SlotId operand) const;
  bool isReadByLoops(SlotId slot) const;

  BlockPlan &block_;
  const std::function<bool(mlir::Operation *)> &wanted_;
  BlockUses uses_;
  llvm::DenseMap<SlotId, View> views_;
};
} // namespace

/// The one step that reads the slot, if the value it reads is not watched.
std::optional<size_t> Folder::soleReader(SlotId slot) const {
  auto readers = uses_.readers.find(slot);
  if (readers == uses_.readers.end() || readers->second.size() != 1 ||
      readers->second.front() >= block_.steps.size())
    return std::nullopt;
  const StepNode &node = block_.steps[readers->second.front()];
  if (node.control != StepNode::Control::Data || !node.op ||
      node.results.size() != 1 || node.operands.size() != 2 ||
      node.operands[0] == node.operands[1])
    return std::nullopt;
  return readers->second.front();
}

/// The slot of the vector that the addition repeats for each row of the
/// product: its last dimensions are the product's columns in order.
std::optional<SlotId> Folder::biasOf(const StepNode &dot,
                                     const StepNode &add) const {
  if (!mlir::isa<stablehlo::AddOp>(add.op))
    return std::nullopt;
  unsigned other = add.operands[0] == dot.results[0] ? 1 : 0;
  auto view = views_.find(add.operands[other]);
  if (view == views_.end() || view->second.offset != 0)
    return std::nullopt;
  TensorType lhs = typeOf(dot.op->getOperand(0)),
             result = typeOf(dot.op->getResult(0));
  DotDimensions dims = *dotDimensions(dot.op, lhs);
  size_t columns = lhs.shape.size() - dims.lhsContracted.size();
  int64_t next = 1;
  for (size_t d = result.shape.size(); d-- > 0;) {
    bool column = d >= columns;
    if (result.shape[d] != 1 && view->second.strides[d] != (column ? next : 0))
      return std::nullopt;
    next *= column ? result.shape[d] : 1;
  }
  return next > 1 ? std::optional<SlotId>(view->second.base) : std::nullopt;
}

/// maximum(operand, +0)
bool Folder::isRelu(const StepNode &node, SlotId operand) const {
  if (!mlir::isa<stablehlo::MaximumOp>(node.op))
    return false;
  mlir::Value other = node.op->getOperand(node.operands[0] == operand ? 1 : 0);
  while (mlir::Operation *made = other.getDefiningOp()) {
    if (!mlir::isa<stablehlo::BroadcastInDimOp>(made)) {
      mlir::DenseElementsAttr value;
      return mlir::matchPattern(other, mlir::m_Constant(&value)) &&
             value.isSplat() &&
             value.getSplatValue<llvm::APFloat>().isPosZero();
    }
    other = made->getOperand(0);
  }
  return false;
}

/// A step reads the slot, perhaps through views, that could fuse with the
/// addition.
bool Folder::isReadByLoops(SlotId slot) const {
  auto readers = uses_.readers.find(slot);
  if (readers == uses_.readers.end())
    return false;
  return llvm::any_of(readers->second, [&](size_t reader) {
    if (reader >= block_.steps.size() || !block_.steps[reader].op)
      return false;
    const StepNode &node = block_.steps[reader];
    if (node.results.size() == 1 && views_.contains(node.results[0]))
      return isReadByLoops(node.results[0]);
    return reference::ElementwiseFunction::knows(node.op) ||
           mlir::isa<stablehlo::ReduceOp>(node.op);
  });
}

llvm::DenseMap<SlotId, DotEpilogue> Folder::run() {
  llvm::DenseMap<SlotId, DotEpilogue> epilogues;
  auto isWanted = [&](mlir::Operation *op) { return wanted_ && wanted_(op); };
  for (StepNode &dot : block_.steps) {
    if (!dot.op || !dot.step || !productStepOf(*dot.step) || isWanted(dot.op) ||
        epilogues.contains(dot.results[0]))
      continue;
    TensorType type = typeOf(dot.op->getResult(0));
    if (!type.element.isFloat() || type.element.bits < 32)
      continue; // narrower results are rounded before the addition
    std::optional<size_t> last = soleReader(dot.results[0]);
    if (!last)
      continue;
    std::optional<SlotId> bias = biasOf(dot, block_.steps[*last]);
    if (!bias)
      continue;
    DotEpilogue epilogue;
    epilogue.bias = kernels::Bias::PerColumn;
    StepNode &add = block_.steps[*last];
    std::optional<size_t> next = soleReader(add.results[0]);
    if (next && !isWanted(add.op) &&
        isRelu(block_.steps[*next], add.results[0])) {
      epilogue.activation = kernels::Activation::Relu;
      last = next;
    }
    if (isReadByLoops(block_.steps[*last].results[0]))
      continue;
    // The product runs where its last reader stood: all operands are there.
    StepNode &end = block_.steps[*last];
    dot.results = end.results;
    dot.operands.push_back(*bias);
    epilogues[dot.results[0]] = epilogue;
    add.op = nullptr;
    end = std::move(dot);
    dot.op = nullptr;
  }
  std::erase_if(block_.steps, [](const StepNode &node) {
    return node.control == StepNode::Control::Data && !node.op;
  });
  return epilogues;
}

llvm::DenseMap<SlotId, DotEpilogue>
foldEpilogues(const FunctionPlan &function, BlockPlan &block,
              const std::function<bool(mlir::Operation *)> &wanted) {
  return Folder(function, block, wanted).run();
}

} // namespace assay::engine
