// Steps that read only parameters: their results are kept between runs.
#include "assay/engine/native/KeptStep.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/FoldScales.h"
#include "assay/engine/native/FusionRoles.h"
#include "assay/engine/native/GroupPasses.h"
#include "assay/engine/native/Groups.h"
#include "assay/engine/native/KeptResult.h"
#include "assay/program/PlanBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace assay::engine {

using mlir::Operation;
using program::Step;
using program::StepContext;
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
    return error;
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

std::unique_ptr<Step> makeKeptStep(std::unique_ptr<Step> step,
                                   llvm::ArrayRef<TensorType> results) {
  bool allocates = !step->ownsResults();
  return std::make_unique<KeptStep>(
      std::move(step), allocates ? results : llvm::ArrayRef<TensorType>(),
      results.size());
}

//===--- Which are kept ---------------------------------------------------===//

static bool isVector(mlir::Value value) {
  auto type = knownTypeOf(value);
  return type && type->shape.size() == 1 && type->element.isFloat() &&
         type->element.bits == 32;
}

/// Whether the types of all results are known, and their sizes small.
static bool makesLittle(Operation &op) {
  int64_t bytes = 0;
  for (mlir::Value result : op.getResults()) {
    auto type = knownTypeOf(result);
    if (!type)
      return false;
    bytes += elementsOf(type->shape) * type->element.storageBytes();
  }
  return bytes <= kMostBytes;
}

namespace {
/// What a block's operations read, by whether it is the same at each run.
class Kept {
public:
  /// `keepsArguments`: those of the function are.
  Kept(mlir::Block &block, bool keepsArguments);
  /// Marks what is kept.
  void mark(mlir::Block &block);
  /// Constants, kept results and, where they stay, all arguments.
  llvm::DenseSet<mlir::Value> fixed() const;

private:
  bool isKept(Operation &op) const;
  llvm::DenseSet<mlir::Value> kept_, ///< vectors among the arguments, kept results
      fixed_,                        ///< constants
      arguments_;                    ///< of other ranks
};
} // namespace

Kept::Kept(mlir::Block &block, bool keepsArguments) {
  if (keepsArguments)
    for (mlir::Value argument : block.getArguments())
      (isVector(argument) ? kept_ : arguments_).insert(argument);
}

/// The operation, or the last one of a group, is marked kStays.
static bool isAsked(Operation &op) {
  return op.hasAttr(kStays) ||
         (native::isGroup(&op) &&
          isAsked(*op.getRegion(0).front().getTerminator()->getPrevNode()));
}

bool Kept::isKept(Operation &op) const {
  bool asked = isAsked(op);
  if ((op.getNumRegions() != 0 && !native::isGroup(&op)) ||
      !mlir::isMemoryEffectFree(&op) || (!asked && !makesLittle(op)))
    return false;
  return llvm::all_of(op.getOperands(),
                      [&](mlir::Value value) {
                        return kept_.contains(value) ||
                               fixed_.contains(value) ||
                               (asked && arguments_.contains(value));
                      }) &&
         (asked || llvm::any_of(op.getOperands(), [&](mlir::Value value) {
            return kept_.contains(value);
          }));
}

void Kept::mark(mlir::Block &block) {
  for (Operation &op : block.without_terminator())
    if (program::constantOf(&op)) {
      fixed_.insert(op.getResult(0));
    } else if (isKept(op)) {
      op.setAttr(kResultStays, mlir::UnitAttr::get(op.getContext()));
      kept_.insert_range(op.getResults());
    }
}

llvm::DenseSet<mlir::Value> Kept::fixed() const {
  llvm::DenseSet<mlir::Value> all = kept_;
  all.insert_range(fixed_);
  all.insert_range(arguments_);
  return all;
}

/// A loop's arguments stay fixed if they are fixed when it begins and its body passes
/// them on unchanged.
static void addInvariants(stablehlo::WhileOp loop,
                          llvm::DenseSet<mlir::Value> &fixed) {
  mlir::Block &body = loop->getRegion(1).front();
  for (auto [operand, argument, returned] :
       llvm::zip(loop->getOperands(), body.getArguments(),
                 body.getTerminator()->getOperands()))
    if (argument == returned && fixed.contains(operand))
      fixed.insert(argument);
}

/// `fixed`: values that are the same run after run.
static void markWeights(mlir::Block &block,
                        llvm::DenseSet<mlir::Value> &fixed) {
  for (Operation &op : block) {
    if (program::constantOf(&op))
      fixed.insert(op.getResult(0));
    if ((isProduct(&op) || isConvolution(&op)) &&
        fixed.contains(op.getOperand(1)))
      op.setAttr(kWeightStays, mlir::UnitAttr::get(op.getContext()));
    if (auto loop = mlir::dyn_cast<stablehlo::WhileOp>(op))
      addInvariants(loop, fixed);
    if (program::regionControl(&op))
      for (mlir::Region &region : op.getRegions())
        markWeights(region.front(), fixed);
  }
}

void markKept(mlir::ModuleOp module, const ProgramPassOptions &options) {
  auto function = module.lookupSymbol<mlir::func::FuncOp>(options.entry);
  if (!function || !function.getBody().hasOneBlock())
    return;
  mlir::Block &block = function.getBody().front();
  Kept kept(block, options.argumentsStay);
  if (!options.isObserved)
    kept.mark(block);
  llvm::DenseSet<mlir::Value> fixed = kept.fixed();
  markWeights(block, fixed);
}

} // namespace assay::engine
