// A convolution and the fused loop after it (bias, normalisation, activation,
// sum with a shortcut) as one step: each piece of the convolution's result goes
// through the loop while it is in the cache, so that it travels through memory
// once. Where the loop's result has elements of the same size and is written last,
// it takes the place of the convolution's, which then has no memory of its own.
#include "assay/engine/native/Fused.h"
#include "assay/engine/native/FusionRoles.h"
#include "assay/engine/native/GroupPasses.h"
#include "assay/engine/native/Lowering.h"

namespace assay::engine {

using program::Value;

namespace {
class FollowedStep final : public NativeStep {
public:
  FollowedStep(std::unique_ptr<Step> convolution, std::unique_ptr<Step> loop,
               size_t made, size_t convolutionOperands, TensorType between)
      : convolution_(std::move(convolution)), loop_(std::move(loop)),
        made_(made), convolutionOperands_(convolutionOperands),
        between_(std::move(between)),
        inPlace_(followingLoopOf(*loop_)->resultInPlaceOf(made)) {}
  llvm::Error run(StepContext &context) const override;
  void setConstantWeight() override {
    engine::setConstantWeight(*convolution_);
  }

private:
  std::unique_ptr<Step> convolution_, loop_;
  size_t made_, convolutionOperands_;
  TensorType between_;
  std::optional<size_t> inPlace_;
};
} // namespace

llvm::Error FollowedStep::run(StepContext &context) const {
  ++context.run.engineSteps; // the loop's
  // 1. Where the convolution writes.
  Value own;
  if (!inPlace_) {
    llvm::Expected<Tensor> memory = context.allocate(between_);
    if (!memory)
      return memory.takeError();
    own = Value(std::move(*memory));
  }
  StepContext inner(context.run, context.op);
  inner.operands.assign(context.operands.begin(),
                        context.operands.begin() +
                            static_cast<int64_t>(convolutionOperands_));
  inner.dying.assign(convolutionOperands_, false);
  inner.results = inPlace_ ? context.results.slice(*inPlace_, 1)
                           : llvm::MutableArrayRef<Value>(own);
  // 2. What the loop reads and writes.
  llvm::SmallVector<const Tensor *, 8> operands;
  for (size_t i = convolutionOperands_; i < context.operandCount(); ++i)
    operands.push_back(&context.operand(i));
  operands.insert(operands.begin() + static_cast<int64_t>(made_),
                  &inner.results[0].tensor());
  llvm::SmallVector<std::byte *, 2> results;
  for (size_t r = 0; r < context.results.size(); ++r)
    results.push_back(context.out(r).mutableBytes());
  auto loop = followingLoopOf(*loop_)->begin(operands, results);
  if (!loop)
    return loop.takeError();
  // 3. Both.
  return piecewiseOf(*convolution_)
      ->runPieces(inner, [&](int64_t begin, int64_t end) {
        (*loop)->ready(begin, end);
      });
}

std::unique_ptr<Step> makeFollowedStep(std::unique_ptr<Step> &convolution,
                                       std::unique_ptr<Step> &loop, size_t made,
                                       size_t convolutionOperands,
                                       const TensorType &between) {
  const PiecewiseStep *pieces = piecewiseOf(*convolution);
  const FollowingLoop *following = followingLoopOf(*loop);
  if (!pieces || !following || pieces->unit() < 1 ||
      !following->canFollow(made, pieces->unit()))
    return nullptr;
  return std::make_unique<FollowedStep>(std::move(convolution), std::move(loop),
                                        made, convolutionOperands, between);
}

void sayAllReady(ThreadPool &threads, int64_t elements, int64_t unit,
                 PiecewiseStep::Ready ready) {
  constexpr int64_t kElements = 1 << 14;
  int64_t pixels = elements / unit,
          grain = std::max<int64_t>(1, kElements / unit);
  threads.parallelFor(pixels, grain, [&](int64_t begin, int64_t end) {
    ready(begin * unit, end * unit);
  });
}

//===--- The pass ---------------------------------------------------------===//

static bool follow(native::FusedOp loop, unsigned operand, Lowering &lowering) {
  mlir::Operation *product = soleMaker(loop, operand);
  if (!product || isObserved(product) ||
      !(isConvolution(product) || isProduct(product)) ||
      !lowering.stepOf(product))
    return false;
  std::unique_ptr<Step> both = makeFollowedStep(
      lowering.stepOf(product), lowering.stepOf(loop), operand,
      product->getNumOperands(), *knownTypeOf(product->getResult(0)));
  if (!both)
    return false;
  GroupParts parts;
  parts.members = {product, loop};
  llvm::append_range(parts.operands, product->getOperands());
  parts.addOthers(loop, operand);
  lowering.keep(
      makeGroup(isConvolution(product) ? "native.conv" : "native.gemm",
                std::move(parts), product->getLoc()),
      std::move(both));
  return true;
}

void followProducts(mlir::ModuleOp module, const ProgramPassOptions &options) {
  forEachBlock(module, [&](mlir::Block &block) {
    for (auto loop : llvm::to_vector(block.getOps<native::FusedOp>()))
      for (unsigned o = 0; o < loop->getNumOperands(); ++o)
        if (follow(loop, o, *options.lowering))
          break;
  });
}

} // namespace assay::engine
