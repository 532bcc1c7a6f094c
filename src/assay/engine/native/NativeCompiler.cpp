// The native engine's dispatch: products and convolutions that kernels take
// become native steps when the plan is made, everything else is asked of the
// reference. Passes then rewrite the plan (Passes.cpp).
#include "assay/engine/native/NativeCompiler.h"

#include "assay/engine/native/Passes.h"
#include "assay/engine/native/Steps.h"

namespace assay::engine {

static double elements(const TensorType &type) {
  double count = 1;
  for (int64_t size : type.shape)
    count *= double(size);
  return count;
}

llvm::Expected<std::unique_ptr<Step>>
NativeCompiler::compile(const StepSpec &spec) const {
  if (spec.shadow || spec.numeric.accumulatePerStep)
    return reference_.compile(spec);
  if (std::optional<DotDimensions> dot =
          spec.operands.empty() ? std::nullopt
                                : dotDimensions(spec.op, spec.operands[0])) {
    double depth = 1;
    for (int64_t dim : dot->lhsContracted)
      depth *= double(spec.operands[0].shape[dim]);
    if (kernelTakes(spec.operands[0].element, spec.operands[1].element,
                    spec.results[0].element) &&
        elements(spec.results[0]) * depth >= options_.minimumWork)
      return makeDotStep(context_, *dot, OperandView::dense(spec.operands[0]),
                         OperandView::dense(spec.operands[1]), spec.operands[0],
                         spec.operands[1], spec.results[0]);
  }
  if (std::unique_ptr<Step> step =
          makeConvolutionStep(context_, spec, options_.minimumWork))
    return step;
  if (std::unique_ptr<Step> step = makePoolStep(spec))
    return step;
  return reference_.compile(spec);
}

std::unique_ptr<program::LaneFunction>
NativeCompiler::compileLanes(mlir::Region &region, bool withShadow) const {
  return reference_.compileLanes(region, withShadow);
}

llvm::Expected<std::unique_ptr<program::Plan>>
buildNativePlan(std::shared_ptr<const program::Program> program,
                const NativeCompiler &compiler,
                const program::PlanOptions &options,
                std::function<bool(mlir::Operation *)> wanted) {
  auto plan = program::buildPlan(std::move(program), compiler, options);
  if (plan && compiler.options().fuse && !options.shadow &&
      !options.numeric.accumulatePerStep)
    if (llvm::Error error = runPasses(**plan, compiler, options, wanted))
      return error;
  return plan;
}

} // namespace assay::engine
