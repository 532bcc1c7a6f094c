// Folding transposes: a product reads its operands through strides, so a
// transpose whose only reader is a product need not be made. The product then
// reads the transpose's operand, which must live as long: the slot's release
// moves from wherever it was between the two to the product.
#include "assay/engine/native/Passes.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/Steps.h"
#include "assay/program/Types.h"

#include <algorithm>

namespace assay::engine {

using program::BlockPlan;
using program::SlotId;
using program::StepNode;

/// The node of the block that defines a slot before `before`, or null.
static StepNode *producerOf(BlockPlan &block, SlotId slot, size_t before) {
  for (size_t index = before; index-- > 0;)
    if (llvm::is_contained(block.steps[index].results, slot))
      return &block.steps[index];
  return nullptr;
}

/// Keeps `slot` alive until the node at `index`, and lets it go there if it was
/// let go earlier.
static void extendLife(BlockPlan &block, SlotId slot, size_t index) {
  bool released = false;
  for (size_t earlier = 0; earlier < index; ++earlier) {
    StepNode &node = block.steps[earlier];
    auto *found = llvm::find(node.release, slot);
    if (found == node.release.end())
      continue;
    node.release.erase(found);
    released = true;
    for (size_t i = 0; i < node.operands.size(); ++i)
      if (node.operands[i] == slot)
        node.dying[i] = false;
  }
  if (released && !llvm::is_contained(block.steps[index].release, slot))
    block.steps[index].release.push_back(slot);
}

/// A transpose that only this product reads, and that nobody wants to see.
static stablehlo::TransposeOp
foldable(const StepNode *producer,
         const std::function<bool(mlir::Operation *)> &wanted) {
  auto transpose =
      producer ? mlir::dyn_cast_or_null<stablehlo::TransposeOp>(producer->op) : nullptr;
  if (!transpose || !transpose->getResult(0).hasOneUse() ||
      (wanted && wanted(transpose)))
    return nullptr;
  return transpose;
}

static OperandView viewThrough(stablehlo::TransposeOp transpose,
                               const TensorType &input) {
  OperandView view, dense = OperandView::dense(input);
  for (int64_t dimension : reference::intsOf(transpose, "permutation")) {
    view.shape.push_back(dense.shape[dimension]);
    view.strides.push_back(dense.strides[dimension]);
  }
  return view;
}

/// Folds what can be folded into the product at `index`; true if a step became
/// unused (its op is null then).
static bool foldInto(BlockPlan &block, size_t index,
                     const NativeCompiler &compiler,
                     const std::function<bool(mlir::Operation *)> &wanted) {
  StepNode &node = block.steps[index];
  if (node.control != StepNode::Control::Data || !node.step ||
      !isDotStep(*node.step))
    return false;
  llvm::SmallVector<TensorType, 2> types;
  for (mlir::Type type : node.op->getOperandTypes())
    types.push_back(llvm::cantFail(program::tensorTypeOf(type)));
  TensorType result =
      llvm::cantFail(program::tensorTypeOf(node.op->getResult(0).getType()));
  OperandView views[2] = {OperandView::dense(types[0]),
                          OperandView::dense(types[1])};
  bool changed = false;
  for (size_t operand = 0; operand < 2; ++operand) {
    StepNode *producer = producerOf(block, node.operands[operand], index);
    stablehlo::TransposeOp transpose = foldable(producer, wanted);
    if (!transpose)
      continue;
    TensorType input = llvm::cantFail(
        program::tensorTypeOf(transpose->getOperand(0).getType()));
    views[operand] = viewThrough(transpose, input);
    SlotId source = producer->operands[0], gone = node.operands[operand];
    llvm::erase(node.release, gone);
    node.operands[operand] = source;
    node.dying[operand] = false;
    extendLife(block, source, index);
    producer->op = nullptr;
    changed = true;
  }
  if (changed)
    node.step =
        makeDotStep(compiler.context(), *dotDimensions(node.op, types[0]),
                    views[0], views[1], types[0], types[1], result);
  return changed;
}

void runPasses(program::Plan &plan, const NativeCompiler &compiler,
               const std::function<bool(mlir::Operation *)> &wanted) {
  for (auto &function : plan.functions)
    for (BlockPlan &block : function->blocks) {
      bool changed = false;
      for (size_t index = 0; index < block.steps.size(); ++index)
        if (block.steps[index].op)
          changed |= foldInto(block, index, compiler, wanted);
      if (changed)
        std::erase_if(block.steps,
                      [](const StepNode &node) { return !node.op; });
    }
}

} // namespace assay::engine
