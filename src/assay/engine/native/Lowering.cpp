// A group's step is made of its region: the operations there say which kernel runs and
// how it reads its operands. Other operations are compiled alone.
#include "assay/engine/native/Lowering.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/AttentionStep.h"
#include "assay/engine/native/FusionProgram.h"
#include "assay/engine/native/KeptStep.h"
#include "assay/engine/native/ProductGroups.h"

namespace assay::engine {

using mlir::Operation;

/// The operand that the value is.
static size_t operandOf(Operation &op, mlir::Value value) {
  return static_cast<size_t>(llvm::find(op.getOperands(), value) -
                             op.operand_begin());
}

std::unique_ptr<Step> Lowering::lower(Operation *group) const {
  if (auto loop = mlir::dyn_cast<native::FusedOp>(group)) {
    auto program = programOf(loop);
    return program ? makeFusedStep(std::move(*program),
                                   std::shared_ptr<kernels::Jit>(
                                       context(), &context()->registry.jit()))
                   : nullptr;
  }
  mlir::Block &body = group->getRegion(0).front();
  auto loop = llvm::find_if(
      body, [](Operation &op) { return mlir::isa<native::FusedOp>(op); });
  if (loop != body.end()) {
    Operation &first = body.front(), &second = *std::next(loop);
    size_t made = operandOf(*loop, first.getResult(0));
    if (mlir::isa<native::AttentionOp>(group))
      return makeAttentionStep(
          context(), {&stepOf(&first), &stepOf(&*loop), &stepOf(&second), made,
                      operandOf(second, loop->getResult(0)),
                      *knownTypeOf(first.getResult(0)),
                      *knownTypeOf(loop->getResult(0))});
    return makeFollowedStep(stepOf(&first), stepOf(&*loop), made,
                            first.getNumOperands(),
                            *knownTypeOf(first.getResult(0)));
  }
  for (Operation &op : body) {
    if (auto product = productAround(&op))
      return makeProductStep(context(), *product);
    if (auto convolution = convolutionAround(&op))
      return makeViewedConvolution(context(), *convolution, numeric_);
  }
  return nullptr;
}

static bool isQuantized(const TensorType &type) {
  return type.element.quantization != nullptr;
}

std::unique_ptr<Step> &Lowering::stepOf(Operation *op) const {
  auto found = steps_.find(op);
  if (found != steps_.end())
    return found->second;
  if (native::isGroup(op))
    return steps_[op] = lower(op);
  StepSpec spec{op, {}, {}, numeric_};
  auto addTypes = [](mlir::ValueRange values, auto &types) {
    for (mlir::Value value : values)
      if (auto type = knownTypeOf(value); type && !isQuantized(*type))
        types.push_back(*type);
    return types.size() == values.size();
  };
  std::unique_ptr<Step> step;
  if (addTypes(op->getOperands(), spec.operands) &&
      addTypes(op->getResults(), spec.results)) {
    llvm::Expected<Compiled> made = engine_.compile({spec});
    if (!made)
      llvm::consumeError(made.takeError()); // the plan meets it again
    else if (auto *own = std::get_if<std::unique_ptr<Step>>(&*made))
      step = std::move(*own);
  }
  return steps_[op] = std::move(step);
}

llvm::Expected<std::unique_ptr<Step>>
Lowering::make(const StepSpec &spec) const {
  if (llvm::any_of(spec.operands, isQuantized) ||
      llvm::any_of(spec.results, isQuantized))
    return rest_->compile(spec);
  if (auto found = steps_.find(spec.op);
      found != steps_.end() && found->second)
    return std::move(found->second);
  if (native::isGroup(spec.op)) {
    if (std::unique_ptr<Step> step = lower(spec.op))
      return step;
    return makeError(ErrorCode::Internal, "a group of operations has no step");
  }
  llvm::Expected<Compiled> made = engine_.compile({spec});
  if (!made)
    return made.takeError();
  if (auto *step = std::get_if<std::unique_ptr<Step>>(&*made))
    return std::move(*step);
  return rest_->compile(spec);
}

llvm::Expected<std::unique_ptr<Step>>
Lowering::compile(const StepSpec &spec) const {
  llvm::Expected<std::unique_ptr<Step>> step = make(spec);
  if (!step)
    return step;
  if (spec.op->hasAttr(kWeightStays))
    setConstantWeight(**step);
  if (spec.op->hasAttr(kResultStays))
    return makeKeptStep(std::move(*step), spec.results);
  return step;
}

} // namespace assay::engine
