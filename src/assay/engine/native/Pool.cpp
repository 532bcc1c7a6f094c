// reduce_window by a maximum, a minimum or (f32) a sum over images: the last
// dimension is no part of the window, so each output row is the greatest (least,
// sum) of a few input rows, one typed loop each. Rows are shared out to threads.
// The order of an extreme does not matter to the result, so it equals the
// reference's; sums are made in f64 and rounded once.
#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/RowLoops.h"
#include "assay/engine/native/Steps.h"
#include "assay/reference/Elementwise.h"
#include "assay/reference/LaneProgram.h"
#include "assay/reference/Strided.h"
#include "assay/reference/Window.h"

#include <cstring>
#include <vector>

namespace assay::engine {

using tensor::Shape;

namespace {
class PoolStep final : public Step {
public:
  PoolStep(reference::Window window, reference::ElementwiseFunction function,
           TensorType result, bool sums)
      : window_(std::move(window)), function_(std::move(function)),
        result_(std::move(result)), sums_(sums) {}
  llvm::Error run(StepContext &context) const override;

private:
  /// What run() works on: bytes of the operand, of the initial value, of the
  /// result.
  struct Run {
    const std::byte *operand, *init;
    std::byte *out;
  };
  void extremeRow(const Run &run, llvm::ArrayRef<int64_t> at,
                  std::byte *to) const;
  void sumRow(const Run &run, llvm::ArrayRef<int64_t> at, std::byte *to,
              llvm::MutableArrayRef<double> sums) const;

  reference::Window window_;
  reference::ElementwiseFunction function_;
  TensorType result_;
  bool sums_;
};
} // namespace

void PoolStep::extremeRow(const Run &run, llvm::ArrayRef<int64_t> at,
                          std::byte *to) const {
  static constexpr int64_t kOnes[2] = {1, 1};
  int64_t width = result_.element.storageBytes(), inner = result_.shape.back();
  reference::fillElements(width, to, inner, run.init);
  Shape taps(window_.size.begin(), window_.size.end()), tap(taps.size(), 0);
  do {
    int64_t from = window_.elementAt(at, tap);
    if (from >= 0)
      function_.evaluate({to, run.operand + from * width}, kOnes, to, inner);
  } while (reference::nextIndex(tap, taps));
}

/// Padding counts with the initial value, like the reference's.
void PoolStep::sumRow(const Run &run, llvm::ArrayRef<int64_t> at, std::byte *to,
                      llvm::MutableArrayRef<double> sums) const {
  Shape taps(window_.size.begin(), window_.size.end()), tap(taps.size(), 0);
  float init;
  std::memcpy(&init, run.init, sizeof init);
  std::fill(sums.begin(), sums.end(), double(init));
  double outside = 0;
  do {
    int64_t from = window_.elementAt(at, tap);
    if (from >= 0)
      addRows(reinterpret_cast<const float *>(run.operand) + from, 0, 1,
              static_cast<int64_t>(sums.size()), sums.data());
    else
      outside += double(init);
  } while (reference::nextIndex(tap, taps));
  auto *out = reinterpret_cast<float *>(to);
  for (size_t i = 0; i < sums.size(); ++i)
    out[i] = static_cast<float>(sums[i] + outside);
}

llvm::Error PoolStep::run(StepContext &context) const {
  ++context.run.engineSteps;
  llvm::Expected<Tensor> operand = context.dense(0);
  if (!operand)
    return operand.takeError();
  const Run run{operand->bytes(), context.operand(1).bytes(),
                context.out(0).mutableBytes()};
  int64_t width = result_.element.storageBytes(), inner = result_.shape.back();
  Shape rows(result_.shape.begin(), result_.shape.end() - 1);
  int64_t count = 1;
  for (int64_t size : rows)
    count *= size;
  if (inner == 0)
    return llvm::Error::success();
  context.run.threads.parallelFor(count, 16, [&](int64_t begin, int64_t end) {
    Shape at(result_.shape.size(), 0);
    std::vector<double> sums(sums_ ? static_cast<size_t>(inner) : 0);
    for (int64_t row = begin; row < end; ++row) {
      reference::unflatten(
          row, rows,
          llvm::MutableArrayRef<int64_t>(at).take_front(rows.size()));
      std::byte *to = run.out + row * inner * width;
      if (sums_)
        sumRow(run, at, to, sums);
      else
        extremeRow(run, at, to);
    }
  });
  return llvm::Error::success();
}

std::unique_ptr<Step> makePoolStep(const StepSpec &spec, bool allowsSums) {
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
  numerics::ElementType type = spec.results[0].element;
  bool sums = allowsSums && name == "stablehlo.add" && type.isFloat() && type.bits == 32;
  if (!sums && name != "stablehlo.maximum" && name != "stablehlo.minimum")
    return nullptr;
  reference::Window window = reference::Window::of(spec.op, spec.operands[0]);
  size_t last = window.size.size() - 1;
  if (window.size[last] != 1 || window.stride[last] != 1 ||
      window.low[last] != 0 || window.baseDilation[last] != 1 ||
      spec.results[0].shape.back() != spec.operands[0].shape.back() ||
      llvm::is_contained(window.size, 0))
    return nullptr;
  auto function =
      reference::ElementwiseFunction::make(single, {type, type}, type);
  if (!function) {
    llvm::consumeError(function.takeError());
    return nullptr;
  }
  return std::make_unique<PoolStep>(std::move(window), std::move(*function),
                                    spec.results[0], sums);
}

} // namespace assay::engine
