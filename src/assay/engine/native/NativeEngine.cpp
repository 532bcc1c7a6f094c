// The native engine's dispatch: products, convolutions, pooling and column
// reductions that kernels take become native steps when the plan is made; the
// rest is refused and stays with the reference. Passes rewrite the program
// before that (ProgramPasses.def) and make groups, each of them a step (Lowering.h).
#include "assay/engine/native/NativeEngine.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/ConvAlgorithm.h"
#include "assay/engine/native/Groups.h"
#include "assay/engine/native/Lowering.h"
#include "assay/engine/native/ProgramDump.h"
#include "assay/program/Clone.h"
#include "assay/reference/DotAlgorithm.h"

namespace assay::engine {

static double elements(const TensorType &type) {
  double count = 1;
  for (int64_t size : type.shape)
    count *= double(size);
  return count;
}

static double depth(const DotDimensions &dot, const TensorType &lhs) {
  double depth = 1;
  for (int64_t dim : dot.lhsContracted)
    depth *= double(lhs.shape[dim]);
  return depth;
}

llvm::Expected<Compiled>
NativeEngine::compile(const OperationRequest &request) const {
  const StepSpec &spec = request.spec;
  if (spec.shadow || spec.numeric.accumulatePerStep)
    return Refusal{ErrorCode::Unsupported,
                   "shadows and --accumulate=step are the reference's"};
  // A product that asks for an algorithm is left to the reference.
  std::optional<DotDimensions> dot =
      spec.operands.empty() || reference::hasAlgorithm(spec.op)
          ? std::nullopt
          : dotDimensions(spec.op, spec.operands[0]);
  if (dot && kernelTakes(spec.operands[0].element, spec.operands[1].element,
                         spec.results[0].element)) {
    if (elements(spec.results[0]) * depth(*dot, spec.operands[0]) <
        options_.minimumWork)
      return Refusal{ErrorCode::Unsupported, "the product is small"};
    Layout lhs = Layout::dense(spec.operands[0]),
           rhs = Layout::dense(spec.operands[1]);
    if (!request.layouts.empty())
      lhs = request.layouts[0], rhs = request.layouts[1];
    return makeDotStep(context_, *dot, std::move(lhs), std::move(rhs),
                       spec.operands[0], spec.operands[1], spec.results[0]);
  }
  if (!request.layouts.empty())
    return Refusal{ErrorCode::Unsupported,
                   "only products read operands through views"};
  if (mlir::isa<stablehlo::ConvolutionOp>(spec.op)) {
    ConvRequest convolution(context_, spec);
    convolution.minimumWork = options_.minimumWork;
    return makeConvolution(convolution);
  }
  // Do not reorder sums when this engine backs the reference.
  if (std::unique_ptr<Step> step = makePoolStep(spec, options_.fuse))
    return step;
  if (options_.fuse)
    if (std::unique_ptr<Step> step = makeColumnReductionStep(spec))
      return step;
  return Refusal{ErrorCode::Unsupported,
                 "no kernel takes the operation with these types"};
}

/// The nodes of an observed program, whose observer knows its own operations.
static void nameOriginals(program::Plan &plan, const mlir::IRMapping &copies) {
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> originals;
  for (auto [original, copy] : copies.getOperationMap())
    originals[copy] = original;
  auto rename = [&](mlir::Operation *&op) {
    if (op && !native::isGroup(op))
      op = originals.lookup(op);
  };
  for (auto &function : plan.functions) {
    rename(function->op);
    for (program::BlockPlan &block : function->blocks)
      for (program::StepNode &node : block.steps)
        rename(node.op);
  }
}

llvm::Expected<std::unique_ptr<program::Plan>>
NativeEngine::makePlan(std::shared_ptr<const program::Program> program,
                       const PlanRequest &request) const {
  if (!options_.fuse || request.shadow || request.numeric.accumulatePerStep)
    return Engine::makePlan(std::move(program), request);
  llvm::Expected<mlir::func::FuncOp> entry = program->function(request.entry);
  if (!entry)
    return entry.takeError();
  llvm::Expected<PassObserver> dump =
      dumpInto(request.wanted ? "" : options_.dumpPasses);
  if (!dump)
    return dump.takeError();
  ProgramPassOptions options{
      request.keepsArguments, request.numeric.foldsScales,
      entry->getSymName().str(), bool(request.wanted),
      std::make_shared<Lowering>(*this, &rest(), request.numeric)};
  mlir::IRMapping copies;
  auto copy = program::cloneOf(program, request.wanted ? &copies : nullptr);
  if (request.wanted)
    for (auto [original, marked] : copies.getOperationMap())
      if (request.wanted(original))
        marked->setAttr(kObserved, mlir::UnitAttr::get(marked->getContext()));
  if (llvm::Error error = runProgramPasses(copy->module(), *dump, options))
    return error;
  auto plan = program::buildPlan(copy, *options.lowering, request);
  if (plan && request.wanted)
    nameOriginals(**plan, copies);
  return plan;
}

} // namespace assay::engine
