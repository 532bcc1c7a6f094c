// reduce_window by a maximum or minimum over images: the last dimension is no
// part of the window, so each output row is the greatest (least) of a few input
// rows, one typed loop each. Rows are shared out to threads. The order of such
// a reduction does not matter to the result, so it equals the reference's.
#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/Steps.h"
#include "assay/reference/Elementwise.h"
#include "assay/reference/LaneProgram.h"
#include "assay/reference/Strided.h"
#include "assay/reference/Window.h"

namespace assay::engine {

using tensor::Shape;

namespace {
class PoolStep final : public Step {
public:
  PoolStep(reference::Window window, reference::ElementwiseFunction function,
           TensorType result)
      : window_(std::move(window)), function_(std::move(function)),
        result_(std::move(result)) {}
  llvm::Error run(StepContext &context) const override;

private:
  reference::Window window_;
  reference::ElementwiseFunction function_;
  TensorType result_;
};
} // namespace

llvm::Error PoolStep::run(StepContext &context) const {
  ++context.run.engineSteps;
  llvm::Expected<Tensor> operand = context.dense(0);
  if (!operand)
    return operand.takeError();
  const std::byte *init = context.operand(1).bytes();
  std::byte *out = context.out(0).mutableBytes();
  int64_t width = result_.element.storageBytes(), inner = result_.shape.back();
  Shape rows(result_.shape.begin(), result_.shape.end() - 1),
      taps(window_.size.begin(), window_.size.end());
  int64_t count = 1;
  for (int64_t size : rows)
    count *= size;
  if (inner == 0)
    return llvm::Error::success();
  static constexpr int64_t kOnes[2] = {1, 1};
  context.run.threads.parallelFor(count, 16, [&](int64_t begin, int64_t end) {
    Shape at(result_.shape.size(), 0), tap(taps.size(), 0);
    for (int64_t row = begin; row < end; ++row) {
      reference::unflatten(
          row, rows,
          llvm::MutableArrayRef<int64_t>(at).take_front(rows.size()));
      std::byte *to = out + row * inner * width;
      reference::fillElements(width, to, inner, init);
      std::fill(tap.begin(), tap.end(), 0);
      do {
        int64_t from = window_.elementAt(at, tap);
        if (from >= 0)
          function_.evaluate({to, operand->bytes() + from * width}, kOnes, to,
                             inner);
      } while (reference::nextIndex(tap, taps));
    }
  });
  return llvm::Error::success();
}

std::unique_ptr<Step> makePoolStep(const StepSpec &spec) {
  constexpr int64_t kShortestRow = 8;
  if (!mlir::isa<stablehlo::ReduceWindowOp>(spec.op) ||
      spec.operands.size() != 2 || spec.results.size() != 1 ||
      !(spec.operands[0].element == spec.results[0].element) ||
      !(spec.operands[1].element == spec.results[0].element) ||
      spec.results[0].shape.empty() ||
      spec.results[0].shape.back() < kShortestRow)
    return nullptr;
  mlir::Operation *single =
      reference::singleBinaryOperation(spec.op->getRegion(0));
  llvm::StringRef name = single ? single->getName().getStringRef() : "";
  if (name != "stablehlo.maximum" && name != "stablehlo.minimum")
    return nullptr;
  reference::Window window = reference::Window::of(spec.op, spec.operands[0]);
  size_t last = window.size.size() - 1;
  if (window.size[last] != 1 || window.stride[last] != 1 ||
      window.low[last] != 0 || window.baseDilation[last] != 1 ||
      spec.results[0].shape.back() != spec.operands[0].shape.back() ||
      llvm::is_contained(window.size, 0))
    return nullptr;
  numerics::ElementType type = spec.results[0].element;
  auto function =
      reference::ElementwiseFunction::make(single, {type, type}, type);
  if (!function) {
    llvm::consumeError(function.takeError());
    return nullptr;
  }
  return std::make_unique<PoolStep>(std::move(window), std::move(*function),
                                    spec.results[0]);
}

} // namespace assay::engine
