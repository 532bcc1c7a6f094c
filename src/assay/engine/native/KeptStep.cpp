// Steps that read only parameters: their results are kept between runs.
#include "assay/engine/native/KeptStep.h"

#include "assay/engine/PlanEdit.h"
#include "assay/engine/native/FoldScales.h"
#include "assay/engine/native/FusionRoles.h"
#include "assay/engine/native/KeptResult.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace assay::engine {

using program::SlotId;
using program::Step;
using program::StepContext;
using program::StepNode;
using program::TensorType;
using program::Value;
using tensor::Tensor;

/// Larger results are not kept, unless a pass asks for it.
static constexpr int64_t kMostBytes = int64_t(64) << 10;

namespace {
class KeptStep final : public Step {
public:
  /// `types`: of results allocated for the step; `results`: how many it makes.
  KeptStep(std::unique_ptr<Step> step, llvm::ArrayRef<TensorType> types,
           size_t results)
      : step_(std::move(step)), types_(types.begin(), types.end()),
        count_(results) {}
  bool ownsResults() const override { return true; }
  llvm::Error run(StepContext &context) const override;

private:
  struct Results {
    llvm::SmallVector<Value, 1> values;
    int64_t engineSteps = 0; ///< the engine's steps that made them
  };
  llvm::Expected<Results> compute(StepContext &context) const;

  std::unique_ptr<Step> step_;
  llvm::SmallVector<TensorType, 1> types_;
  size_t count_;
  mutable KeptResult<Results> results_;
};
} // namespace

llvm::Expected<KeptStep::Results>
KeptStep::compute(StepContext &context) const {
  Results made;
  for (const TensorType &type : types_) {
    llvm::Expected<Tensor> memory = context.allocate(type);
    if (!memory)
      return memory.takeError();
    made.values.push_back(Value(std::move(*memory)));
  }
  made.values.resize(count_);
  StepContext inner(context.run, context.op);
  inner.operands = context.operands;
  inner.dying.assign(context.operandCount(), false);
  inner.results = made.values;
  int64_t before = context.run.engineSteps;
  if (llvm::Error error = step_->run(inner))
    return std::move(error);
  made.engineSteps = std::exchange(context.run.engineSteps, before) - before;
  return made;
}

llvm::Error KeptStep::run(StepContext &context) const {
  llvm::SmallVector<Tensor, 3> operands;
  for (size_t i = 0; i < context.operandCount(); ++i)
    operands.push_back(context.operand(i));
  auto results = results_.get(operands, [&] { return compute(context); });
  if (!results)
    return results.takeError();
  context.run.engineSteps += results->engineSteps;
  for (size_t i = 0; i < count_; ++i)
    context.setResult(i, results->values[i]);
  return llvm::Error::success();
}

//===--- Which steps are kept -------------------------------------------===//

static bool isVector(const TensorType &type) {
  return type.shape.size() == 1 && type.element.isFloat() &&
         type.element.bits == 32;
}

/// Whether the types of all results are known, and their sizes small.
static bool makesLittle(const StepNode &node) {
  llvm::SmallVector<TensorType, 1> types = node.resultTypes;
  if (types.empty() && node.op->getNumResults() == node.results.size())
    for (mlir::Value result : node.op->getResults())
      if (auto type = knownTypeOf(result))
        types.push_back(*type);
  int64_t bytes = 0;
  for (const TensorType &type : types)
    bytes += elementsOf(type.shape) * type.element.storageBytes();
  return types.size() == node.results.size() && bytes <= kMostBytes;
}

namespace {
/// What a block's steps read, by whether it is the same at each run.
class Kept {
public:
  /// `keepsArguments`: those of the function are.
  Kept(const program::FunctionPlan &function, const program::BlockPlan &block,
       bool keepsArguments);
  bool isKept(const StepNode &node) const;
  void addConstant(const StepNode &node) {
    fixed_.insert(node.results.begin(), node.results.end());
  }
  void addKept(const StepNode &node) {
    kept_.insert(node.results.begin(), node.results.end());
  }

private:
  llvm::DenseSet<SlotId> kept_, ///< vectors among the arguments, kept results
      fixed_,                   ///< constants
      arguments_;               ///< of other ranks
};
} // namespace

Kept::Kept(const program::FunctionPlan &function,
           const program::BlockPlan &block, bool keepsArguments) {
  auto op = mlir::dyn_cast_or_null<mlir::func::FuncOp>(function.op);
  if (!keepsArguments || !op ||
      op.getNumArguments() != block.arguments.size())
    return;
  for (auto [slot, value] : llvm::zip(block.arguments, op.getArguments()))
    if (auto type = knownTypeOf(value); type && isVector(*type))
      kept_.insert(slot);
    else
      arguments_.insert(slot);
}

bool Kept::isKept(const StepNode &node) const {
  bool isAsked = node.op->hasAttr(kStays);
  if (!isAsked && !makesLittle(node))
    return false;
  return llvm::all_of(node.operands,
                      [&](SlotId slot) {
                        return kept_.contains(slot) || fixed_.contains(slot) ||
                               (isAsked && arguments_.contains(slot));
                      }) &&
         (isAsked || llvm::any_of(node.operands, [&](SlotId slot) {
           return kept_.contains(slot);
         }));
}

llvm::SmallVector<SlotId>
keepParameterSteps(const program::FunctionPlan &function,
                   program::BlockPlan &block, bool keepsArguments) {
  Kept kept(function, block, keepsArguments);
  llvm::SmallVector<SlotId> results;
  for (StepNode &node : block.steps) {
    if (node.control == StepNode::Control::Constant)
      kept.addConstant(node);
    if (node.control != StepNode::Control::Data || !node.step || !node.op ||
        !node.blocks.empty() || node.step->isRegionStep() ||
        !hasNoEffects(node.op) || !kept.isKept(node))
      continue;
    node.step = std::make_unique<KeptStep>(
        std::move(node.step), node.resultTypes, node.results.size());
    node.resultTypes.clear();
    kept.addKept(node);
    llvm::append_range(results, node.results);
  }
  return results;
}

} // namespace assay::engine
