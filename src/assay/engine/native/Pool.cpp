// reduce_window by a maximum, a minimum or (f32) a sum over images: the last
// dimension is not part of the window, so each output row is the greatest (least,
// sum) of a few input rows, the taps, whose offsets are the same for all windows that see no
// padding. Rows of f32 go through all taps in registers, others a typed loop each. Rows
// are shared out to threads. The order of an extreme does not matter to the result, so it
// equals the reference's; sums are made in f64 and rounded once.
#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/RowLoops.h"
#include "assay/engine/native/Steps.h"
#include "assay/geometry/Scan.h"
#include "assay/reference/Elementwise.h"
#include "assay/reference/LaneProgram.h"
#include "assay/reference/Strided.h"
#include "assay/reference/Windows.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cstring>

namespace assay::engine {

using geometry::Axis;
using tensor::Shape;

namespace {
class PoolStep final : public Step {
public:
  PoolStep(geometry::Windows windows, reference::ElementwiseFunction function,
           TensorType result, Fold fold);
  llvm::Error run(StepContext &context) const override;

private:
  /// The data of run(): bytes of the operand, of the initial value, of the
  /// result.
  struct Run {
    const std::byte *operand, *init;
    std::byte *out;
  };
  /// The rows that a window sees, in elements of the operand, and how many of its taps
  /// see none.
  struct Taps {
    llvm::SmallVector<int64_t, 32> rows;
    int64_t outside = 0;
  };
  /// Windows whose taps have the same offsets, one after the other in the last dimension but one: the
  /// first one's element, and how many there are.
  struct Windows {
    int64_t base, count;
  };
  int64_t firstInside(llvm::ArrayRef<int64_t> at) const;
  void listTaps(llvm::ArrayRef<int64_t> at, Taps &taps) const;
  int64_t insideFrom(llvm::ArrayRef<int64_t> at) const;
  void poolRows(const Run &run, const Windows &windows, const Taps &taps,
                std::byte *to) const;
  void extremeRow(const Run &run, int64_t base, const Taps &taps, std::byte *to) const;

  geometry::Windows windows_;
  Shape strides_; ///< of the operand
  reference::ElementwiseFunction function_;
  TensorType result_;
  Fold fold_;
  bool isF32_;
  Taps inside_; ///< of a window without padding, from its first; empty if there is none
};
} // namespace

PoolStep::PoolStep(geometry::Windows windows, reference::ElementwiseFunction function,
                   TensorType result, Fold fold)
    : windows_(std::move(windows)),
      strides_(tensor::rowMajorStrides(windows_.sizes(&Axis::in))),
      function_(std::move(function)),
      result_(std::move(result)), fold_(fold),
      isF32_(result_.element == *numerics::parseElementType("f32")) {
  if (windows_.hasDilatedInput())
    return;
  Shape tap(windows_.axes.size(), 0);
  do {
    int64_t from = 0;
    for (size_t d = 0; d < tap.size(); ++d)
      from += tap[d] * windows_.axes[d].dilation * strides_[d];
    inside_.rows.push_back(from);
  } while (windows_.nextTap(tap));
}

/// The first element of the window at `at`, or -1 where it sees padding.
int64_t PoolStep::firstInside(llvm::ArrayRef<int64_t> at) const {
  if (inside_.rows.empty())
    return -1;
  int64_t first = 0;
  for (size_t d = 0; d < at.size(); ++d) {
    const Axis &axis = windows_.axes[d];
    int64_t x = at[d] * axis.stride - axis.low;
    if (x < 0 || x + axis.reach() > axis.in)
      return -1;
    first += x * strides_[d];
  }
  return first;
}

void PoolStep::listTaps(llvm::ArrayRef<int64_t> at, Taps &taps) const {
  taps.rows.clear(), taps.outside = 0;
  Shape tap(windows_.axes.size(), 0);
  do {
    int64_t from = windows_.elementAt(at, tap);
    if (from >= 0)
      taps.rows.push_back(from);
    else
      ++taps.outside;
  } while (windows_.nextTap(tap));
}

void PoolStep::extremeRow(const Run &run, int64_t base, const Taps &taps,
                          std::byte *to) const {
  static constexpr int64_t kOnes[2] = {1, 1};
  int64_t width = result_.element.storageBytes(), inner = result_.shape.back();
  reference::fillElements(width, to, inner, run.init);
  for (int64_t from : taps.rows)
    function_.evaluate({to, run.operand + (base + from) * width}, kOnes, to, inner);
}

/// The window at `at` sees no padding: the number of windows from it on of which
/// that is true.
int64_t PoolStep::insideFrom(llvm::ArrayRef<int64_t> at) const {
  if (at.size() < 2)
    return 1;
  size_t d = at.size() - 2;
  const Axis &axis = windows_.axes[d];
  int64_t end = axis.in - axis.reach() + 1,
          fitting = ceilDiv(end + axis.low, axis.stride);
  return std::min(fitting, result_.shape[d]) - at[d];
}

/// Padding counts with the initial value, like the reference's.
void PoolStep::poolRows(const Run &run, const Windows &windows, const Taps &taps,
                        std::byte *to) const {
  size_t rank = result_.shape.size();
  int64_t inner = result_.shape.back(),
          step = rank < 2 ? 0 : windows_.axes[rank - 2].stride * strides_[rank - 2];
  if (isF32_) {
    TapRows rows{reinterpret_cast<const float *>(run.operand) + windows.base, taps.rows,
                 windows.count, step, inner};
    auto *out = reinterpret_cast<float *>(to);
    float init;
    std::memcpy(&init, run.init, sizeof init);
    if (fold_ == Fold::Sum)
      return sumTaps(rows, double(init),
                     taps.outside == 0 ? 0 : double(taps.outside) * double(init), out);
    if ((fold_ == Fold::Greatest ? maximumOfTaps : minimumOfTaps)(rows, init, out))
      return;
  }
  for (int64_t w = 0; w < windows.count; ++w)
    extremeRow(run, windows.base + w * step, taps,
               to + w * inner * result_.element.storageBytes());
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
  int64_t count = product(rows);
  if (inner == 0)
    return llvm::Error::success();
  context.run.threads.parallelFor(count, 16, [&](int64_t begin, int64_t end) {
    Shape at(result_.shape.size(), 0);
    llvm::MutableArrayRef<int64_t> place =
        llvm::MutableArrayRef<int64_t>(at).take_front(rows.size());
    reference::unflatten(begin, rows, place);
    Taps some;
    for (int64_t row = begin; row < end;) {
      Windows windows{firstInside(at), 1};
      bool isInside = windows.base >= 0;
      if (isInside)
        windows.count = std::min(end - row, insideFrom(at));
      else
        windows.base = 0, listTaps(at, some);
      poolRows(run, windows, isInside ? inside_ : some, run.out + row * inner * width);
      row += windows.count;
      reference::unflatten(row, rows, place);
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
  std::optional<Fold> fold =
      single ? foldOf(single->getName().getStringRef()) : std::nullopt;
  numerics::ElementType type = spec.results[0].element;
  bool isF32 = type.isFloat() && type.bits == 32;
  if (!fold || (*fold == Fold::Sum && !(allowsSums && isF32)))
    return nullptr;
  geometry::Windows windows = reference::windowsOf(spec.op, spec.operands[0]);
  constexpr int64_t kLongestScan = 64; // longer ones take one pass in the reference
  if (!windows.axes.back().isPointwise() || windows.taps() == 0 ||
      (windows.taps() > kLongestScan && geometry::Scan::of(windows)))
    return nullptr;
  auto function =
      reference::ElementwiseFunction::make(single, {type, type}, type);
  if (!function) {
    llvm::consumeError(function.takeError());
    return nullptr;
  }
  return std::make_unique<PoolStep>(std::move(windows), std::move(*function),
                                    spec.results[0], *fold);
}

} // namespace assay::engine
