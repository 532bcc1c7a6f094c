// reduce_window. For a block of windows at once, tap by tap in lexicographic
// order, the elements under the tap (the initial value in padding) are combined
// with the accumulators: in a wide type where the body is one simple operation,
// else by the region's lanes. Padding is skipped where the body computes NaN
// from two initial values, because it could only turn results into NaN (an
// implementation may use the initial value any number of times; JAX's
// cumlogsumexp of complex numbers relies on that). Where padding changes
// nothing, running reductions (jnp.cumsum) take a single pass along their
// dimension: after each element the accumulator is that element's result.
// Source: StableHLO, reduce_window, reduce.
#include "assay/geometry/Scan.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/Fold.h"
#include "assay/reference/LaneBuffer.h"
#include "assay/reference/LaneProgram.h"
#include "assay/reference/Strided.h"
#include "assay/reference/Windows.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace assay::reference {

using program::Lanes;
using program::RegionEvaluator;
using program::RegionTask;

namespace {

/// The elements that lanes combine step by step: those under the taps of
/// windows, or those along the lines of a running reduction.
class Walk {
public:
  Walk(const geometry::Windows &windows, const Shape &result,
       const std::optional<geometry::Scan> &scan)
      : windows_(windows), result_(result), scan_(scan) {}

  int64_t lanes() const {
    return windows_.positions() / (scan_ ? scan_->length : 1);
  }
  /// Goes to the first step of `count` lanes; false if there is none.
  bool begin(int64_t first, int64_t count);
  /// Goes to the next step; false after the last.
  bool next();
  /// For each lane its element, counted row-major; -1 in padding.
  llvm::ArrayRef<int64_t> elements() const { return elements_; }

private:
  void find();
  const geometry::Windows &windows_;
  const Shape &result_;
  const std::optional<geometry::Scan> &scan_;
  std::vector<int64_t> elements_, at_;
  Shape tap_;
  int64_t first_ = 0, step_ = 0;
};

class SimpleReduceWindow final : public Step {
public:
  SimpleReduceWindow(geometry::Windows window, Fold fold, TensorType result)
      : window_(std::move(window)), scan_(geometry::Scan::of(window_)),
        fold_(fold), result_(std::move(result)) {}
  llvm::Error run(StepContext &context) const override;

private:
  struct Run {
    const std::byte *elements, *init;
    std::byte *out;
    std::optional<geometry::Scan> scan;
  };
  bool isNeutral(const std::byte *init) const;
  void runBlock(const Run &run, int64_t begin, int64_t count) const;
  geometry::Windows window_;
  std::optional<geometry::Scan> scan_;
  Fold fold_;
  TensorType result_;
};

class LaneReduceWindow final : public Step {
public:
  LaneReduceWindow(geometry::Windows window, llvm::ArrayRef<TensorType> results)
      : window_(std::move(window)), types_(results.begin(), results.end()) {}
  bool isRegionStep() const override { return true; }
  bool jointShadow() const override { return true; }
  RegionTask
  start(StepContext &context,
        llvm::MutableArrayRef<RegionEvaluator> regions) const override;

private:
  bool madeNaN(std::vector<LaneBuffer> &values,
               std::vector<LaneBuffer> &reduced) const;
  std::optional<geometry::Scan> scanOf(std::vector<LaneBuffer> &values,
                                       std::vector<LaneBuffer> &reduced,
                                       bool padded) const;
  geometry::Windows window_;
  llvm::SmallVector<TensorType, 2> types_;
};

} // namespace

bool Walk::begin(int64_t first, int64_t count) {
  first_ = first;
  step_ = 0;
  elements_.resize(static_cast<size_t>(count));
  if (!scan_) {
    if (windows_.taps() == 0)
      return false;
    tap_.assign(result_.size(), 0);
    at_.resize(static_cast<size_t>(count) * result_.size());
    for (int64_t lane = 0; lane < count; ++lane)
      unflatten(first + lane, result_,
                {at_.data() + lane * static_cast<int64_t>(result_.size()),
                 result_.size()});
  }
  find();
  return true;
}

bool Walk::next() {
  if (scan_ ? ++step_ == scan_->length : !windows_.nextTap(tap_))
    return false;
  find();
  return true;
}

void Walk::find() {
  size_t rank = result_.size();
  for (size_t lane = 0; lane < elements_.size(); ++lane)
    elements_[lane] =
        scan_ ? scan_->elementAt(first_ + static_cast<int64_t>(lane), step_)
              : windows_.elementAt({at_.data() + lane * rank, rank}, tap_);
}

llvm::Error SimpleReduceWindow::run(StepContext &context) const {
  llvm::Expected<Tensor> operand = context.dense(0);
  if (!operand)
    return operand.takeError();
  Run run = {operand->bytes(), context.operand(1).bytes(),
             context.out(0).mutableBytes(), std::nullopt};
  if (scan_ && isNeutral(run.init))
    run.scan = scan_;
  ThreadPool &threads = context.run.threads;
  int64_t lanes = Walk(window_, result_.shape, run.scan).lanes(),
          each = kWindowLanes;
  if (run.scan)
    each = std::clamp<int64_t>(ceilDiv(lanes, threads.threads()), 1, 256);
  threads.parallelFor(ceilDiv(lanes, each), 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block)
      runBlock(run, block * each, std::min(each, lanes - block * each));
  });
  return llvm::Error::success();
}

/// Whether padding changes nothing: combining two initial values gives the
/// initial value.
bool SimpleReduceWindow::isNeutral(const std::byte *init) const {
  std::vector<std::byte> accumulator(
      static_cast<size_t>(fold_.accumulatorBytes()));
  auto width = static_cast<size_t>(fold_.computeType().storageBytes());
  std::vector<std::byte> one(width), both(width);
  numerics::convertArray(result_.element, init, fold_.computeType(), one.data(),
                         1);
  fold_.start(accumulator.data(), one.data(), 1);
  fold_.lanes(accumulator.data(), one.data(), 1);
  fold_.finish(accumulator.data(), both.data(), 1);
  return one == both;
}

void SimpleReduceWindow::runBlock(const Run &run, int64_t begin,
                                  int64_t count) const {
  int64_t width = result_.element.storageBytes(),
          wide = fold_.computeType().storageBytes();
  std::vector<std::byte> gathered(static_cast<size_t>(count * width)),
      values(static_cast<size_t>(count * wide));
  std::vector<std::byte> accumulators(
      static_cast<size_t>(count * fold_.accumulatorBytes()));
  auto copy = [&](std::byte *to, const std::byte *from) {
    std::memcpy(to, from, static_cast<size_t>(width));
  };
  auto widen = [&] {
    numerics::convertArray(result_.element, gathered.data(),
                           fold_.computeType(), values.data(), count);
  };
  auto finish = [&](std::byte *to) {
    fold_.finish(accumulators.data(), values.data(), count);
    numerics::convertArray(fold_.computeType(), values.data(), result_.element,
                           to, count);
  };
  for (int64_t lane = 0; lane < count; ++lane)
    copy(gathered.data() + lane * width, run.init);
  widen();
  fold_.start(accumulators.data(), values.data(), count);
  Walk walk(window_, result_.shape, run.scan);
  for (bool more = walk.begin(begin, count); more; more = walk.next()) {
    for (int64_t lane = 0; lane < count; ++lane) {
      int64_t element = walk.elements()[static_cast<size_t>(lane)];
      copy(gathered.data() + lane * width,
           element < 0 ? run.init : run.elements + element * width);
    }
    widen();
    fold_.lanes(accumulators.data(), values.data(), count);
    if (!run.scan)
      continue;
    finish(gathered.data());
    for (int64_t lane = 0; lane < count; ++lane)
      copy(run.out + walk.elements()[static_cast<size_t>(lane)] * width,
           gathered.data() + lane * width);
  }
  if (!run.scan)
    finish(run.out + begin * width);
}

/// Whether an element of a float or complex type is NaN.
static bool isNaN(numerics::ElementType type, const std::byte *element) {
  if (!type.isFloat() && !type.isComplex())
    return false;
  double parts[2];
  numerics::convertArray(
      type, element, numerics::ElementType::complex(numerics::FloatFormat::F64),
      parts, 1);
  return std::isnan(parts[0]) || std::isnan(parts[1]);
}

/// Whether the body computed NaN from numbers; `reduced` is its result on
/// `values` as both arguments, in lane 0.
bool LaneReduceWindow::madeNaN(std::vector<LaneBuffer> &values,
                               std::vector<LaneBuffer> &reduced) const {
  for (size_t i = 0; i < types_.size(); ++i)
    if (isNaN(types_[i].element, reduced[i].value(0)) &&
        !isNaN(types_[i].element, values[i].value(0)))
      return true;
  return false;
}

/// The running reduction that the operation is, if any. Requires that padding
/// is skipped or changes nothing: the body maps two initial values (lane 0 of
/// `values`) to the same value (in `reduced`).
std::optional<geometry::Scan>
LaneReduceWindow::scanOf(std::vector<LaneBuffer> &values,
                         std::vector<LaneBuffer> &reduced, bool padded) const {
  for (size_t i = 0; padded && i < types_.size(); ++i)
    if (std::memcmp(values[i].value(0), reduced[i].value(0),
                    static_cast<size_t>(types_[i].element.storageBytes())) != 0)
      return std::nullopt;
  return geometry::Scan::of(window_);
}

/// Stores one lane of the accumulators as element `index` of the results.
static void storeResults(std::vector<LaneBuffer> &accumulators, int64_t lane,
                         StepContext &context, int64_t index) {
  for (size_t i = 0; i < accumulators.size(); ++i)
    accumulators[i].store(lane, context.results[i].tensor(),
                          context.shadows.empty() ? context.results[i].tensor()
                                                  : context.shadows[i],
                          index);
}

RegionTask
LaneReduceWindow::start(StepContext &context,
                        llvm::MutableArrayRef<RegionEvaluator> regions) const {
  size_t inputs = types_.size();
  std::vector<LaneBuffer> accumulators, values, reduced;
  std::vector<Lanes> arguments(2 * inputs), results(inputs);
  for (const TensorType &type : types_)
    for (auto *buffers : {&accumulators, &values, &reduced})
      buffers->emplace_back(type.element, kWindowLanes, context.withShadow());
  for (size_t i = 0; i < inputs; ++i) {
    arguments[i] = accumulators[i].lanes();
    arguments[inputs + i] = values[i].lanes();
    results[i] = reduced[i].lanes();
  }
  auto load = [&](LaneBuffer &buffer, size_t operand, int64_t lane,
                  int64_t element) {
    buffer.load(lane, context.operandValue(operand).tensor(),
                context.operandValue(operand).shadow(), element);
  };
  // body(init, init) shows whether padding must be skipped and whether it
  // changes anything.
  for (size_t i = 0; i < inputs; ++i)
    for (auto *buffers : {&accumulators, &values})
      load((*buffers)[i], inputs + i, 0, 0);
  if (llvm::Error error = co_await regions[0].evaluate(arguments, results, 1))
    co_return error;
  const bool padded = !madeNaN(values, reduced);
  const auto scan = scanOf(values, reduced, padded);
  for (size_t i = 0; i < inputs; ++i) {
    if (padded)
      results[i] = accumulators[i].lanes();
    if (scan && scan->isReversed) // the next element is the left argument
      std::swap(arguments[i], arguments[inputs + i]);
  }
  Walk walk(window_, types_[0].shape, scan);
  for (int64_t begin = 0; begin < walk.lanes(); begin += kWindowLanes) {
    int64_t count = std::min(kWindowLanes, walk.lanes() - begin);
    for (size_t i = 0; i < inputs; ++i)
      for (int64_t lane = 0; lane < count; ++lane)
        load(accumulators[i], inputs + i, lane, 0);
    for (bool more = walk.begin(begin, count); more; more = walk.next()) {
      llvm::ArrayRef<int64_t> elements = walk.elements();
      for (int64_t lane = 0; lane < count; ++lane)
        for (size_t i = 0; i < inputs; ++i)
          load(values[i], elements[lane] < 0 ? inputs + i : i, lane, std::max<int64_t>(0, elements[lane]));
      if (llvm::Error error = co_await regions[0].evaluate(arguments, results, count))
        co_return error;
      for (int64_t lane = 0; lane < count; ++lane) {
        for (size_t i = 0; !padded && i < inputs; ++i)
          if (elements[lane] >= 0)
            accumulators[i].copyLane(lane, reduced[i], lane);
        if (scan)
          storeResults(accumulators, lane, context, elements[lane]);
      }
    }
    for (int64_t lane = 0; !scan && lane < count; ++lane)
      storeResults(accumulators, lane, context, begin + lane);
  }
  co_return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> reduceWindow(const StepSpec &spec) {
  geometry::Windows window = windowsOf(spec.op, spec.operands[0]);
  const TensorType &result = spec.results[0];
  if (spec.operands[0].element != result.element)
    return makeError(
        ErrorCode::Unsupported,
        "a reducer that promotes its element type; convert the operand first");
  if (spec.results.size() == 1 &&
      !(spec.numeric.accumulatePerStep && !spec.shadow))
    if (mlir::Operation *single = singleBinaryOperation(spec.op->getRegion(0)))
      if (std::optional<Fold> fold = Fold::make(single, result.element))
        return std::make_unique<SimpleReduceWindow>(std::move(window), *fold,
                                                    result);
  return std::make_unique<LaneReduceWindow>(std::move(window), spec.results);
}

} // namespace assay::reference
