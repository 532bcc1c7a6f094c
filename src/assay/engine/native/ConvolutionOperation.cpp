// The one operation of a problem's program, taken out of it: its step is made as
// dispatch makes it, and run as the executor would.
#include "assay/engine/native/ConvolutionOperation.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/program/Types.h"

namespace assay::engine {

using program::Value;

llvm::Expected<std::unique_ptr<ConvolutionOperation>>
ConvolutionOperation::create(std::shared_ptr<NativeContext> context,
                             const kernels::ConvProblem &problem) {
  auto program = convolutionProgram(problem);
  if (!program)
    return program.takeError();
  std::unique_ptr<ConvolutionOperation> made(new ConvolutionOperation());
  made->native_ = std::move(context);
  made->program_ = std::move(*program);
  auto function = made->program_->function();
  if (!function)
    return function.takeError();
  function->walk([&](stablehlo::ConvolutionOp op) { made->op_ = op; });
  for (mlir::Type type : {made->op_->getOperand(0).getType(),
                          made->op_->getOperand(1).getType(),
                          made->op_->getResult(0).getType()}) {
    auto known = program::tensorTypeOf(type);
    if (!known)
      return known.takeError();
    made->types_.push_back(*known);
  }
  return made;
}

llvm::Expected<std::unique_ptr<Step>>
ConvolutionOperation::compile(const kernels::ConvConfig &config) const {
  StepSpec spec{op_, {types_[0], types_[1]}, {types_[2]}, numeric_};
  ConvRequest request(native_, spec);
  request.config = config;
  Compiled made = makeConvolution(request);
  if (auto *refusal = std::get_if<Refusal>(&made))
    return makeError(refusal->code, "{0}: {1}", config.name(), refusal->text);
  return std::move(std::get<std::unique_ptr<Step>>(made));
}

llvm::Error ConvolutionOperation::run(const Step &step, Value &lhs, Value &rhs,
                                      Value &result,
                                      program::RunContext &run) const {
  StepContext context(run, op_);
  context.operands = {&lhs, &rhs};
  context.dying = {false, false};
  context.results = llvm::MutableArrayRef<Value>(result);
  return step.run(context);
}

} // namespace assay::engine
