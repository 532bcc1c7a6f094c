// reduce_window: for a block of windows at once, tap by tap in lexicographic
// order, the elements under the tap (the initial value in padding) are combined
// with the accumulators: folded in a wide type where the body is one simple
// operation, else by the region's lanes. Padding is left out where the body
// makes NaN from two initial values: it could only destroy results (how often
// the initial value takes part is the implementation's choice; JAX's cumlogsumexp
// of complex numbers relies on it). Source: StableHLO, reduce_window, reduce.
#include "assay/numerics/Convert.h"
#include "assay/reference/Fold.h"
#include "assay/reference/LaneBuffer.h"
#include "assay/reference/LaneProgram.h"
#include "assay/reference/Strided.h"
#include "assay/reference/Windows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace assay::reference {

using program::Lanes;
using program::RegionEvaluator;
using program::RegionTask;

namespace {

class SimpleReduceWindow final : public Step {
public:
  SimpleReduceWindow(geometry::Windows window, Fold fold, TensorType result)
      : window_(std::move(window)), fold_(fold), result_(std::move(result)) {}
  llvm::Error run(StepContext &context) const override {
    llvm::Expected<Tensor> operand = context.dense(0);
    if (!operand)
      return operand.takeError();
    std::byte *out = context.out(0).mutableBytes();
    int64_t total = context.out(0).size(),
            blocks = (total + kWindowLanes - 1) / kWindowLanes;
    context.run.threads.parallelFor(blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block)
        runBlock(operand->bytes(), context.operand(1).bytes(), out,
                 block * kWindowLanes,
                 std::min(total, (block + 1) * kWindowLanes));
    });
    return llvm::Error::success();
  }

private:
  void runBlock(const std::byte *elements, const std::byte *init,
                std::byte *out, int64_t begin, int64_t end) const;
  geometry::Windows window_;
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
  geometry::Windows window_;
  llvm::SmallVector<TensorType, 2> types_;
};

} // namespace

void SimpleReduceWindow::runBlock(const std::byte *elements,
                                  const std::byte *init, std::byte *out,
                                  int64_t begin, int64_t end) const {
  int64_t count = end - begin, width = result_.element.storageBytes(),
          wide = fold_.computeType().storageBytes();
  std::vector<std::byte> gathered(static_cast<size_t>(count * width)),
      values(static_cast<size_t>(count * wide));
  std::vector<std::byte> accumulators(
      static_cast<size_t>(count * fold_.accumulatorBytes()));
  std::vector<int64_t> at(static_cast<size_t>(count) * result_.shape.size());
  Shape index(result_.shape.size());
  for (int64_t lane = 0; lane < count; ++lane) {
    unflatten(begin + lane, result_.shape, index);
    std::copy(index.begin(), index.end(),
              at.begin() + lane * static_cast<int64_t>(index.size()));
    std::memcpy(gathered.data() + lane * width, init,
                static_cast<size_t>(width));
  }
  numerics::convertArray(result_.element, gathered.data(), fold_.computeType(),
                         values.data(), count);
  fold_.start(accumulators.data(), values.data(), count);
  if (window_.taps() > 0) {
    Shape tap(window_.axes.size(), 0);
    do {
      for (int64_t lane = 0; lane < count; ++lane) {
        int64_t element = window_.elementAt(
            {at.data() + lane * static_cast<int64_t>(index.size()),
             index.size()},
            tap);
        std::memcpy(gathered.data() + lane * width,
                    element < 0 ? init : elements + element * width,
                    static_cast<size_t>(width));
      }
      numerics::convertArray(result_.element, gathered.data(),
                             fold_.computeType(), values.data(), count);
      fold_.lanes(accumulators.data(), values.data(), count);
    } while (window_.nextTap(tap));
  }
  fold_.finish(accumulators.data(), values.data(), count);
  numerics::convertArray(fold_.computeType(), values.data(), result_.element,
                         out + begin * width, count);
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

/// Whether the body made NaN from numbers: `reduced` is its result on `values`
/// and `values`, in lane 0.
bool LaneReduceWindow::madeNaN(std::vector<LaneBuffer> &values,
                               std::vector<LaneBuffer> &reduced) const {
  for (size_t i = 0; i < types_.size(); ++i)
    if (isNaN(types_[i].element, reduced[i].value(0)) &&
        !isNaN(types_[i].element, values[i].value(0)))
      return true;
  return false;
}

/// Stores the accumulators of `count` lanes as the results from `begin` on.
static void storeResults(std::vector<LaneBuffer> &accumulators,
                         StepContext &context, int64_t begin, int64_t count) {
  for (size_t i = 0; i < accumulators.size(); ++i)
    for (int64_t lane = 0; lane < count; ++lane)
      accumulators[i].store(lane, context.results[i].tensor(),
                            context.shadows.empty()
                                ? context.results[i].tensor()
                                : context.shadows[i],
                            begin + lane);
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
  // body(init, init) tells whether padding may take part.
  for (size_t i = 0; i < inputs; ++i)
    for (auto *buffers : {&accumulators, &values})
      load((*buffers)[i], inputs + i, 0, 0);
  if (llvm::Error error = co_await regions[0].evaluate(arguments, results, 1))
    co_return error;
  const bool padded = !madeNaN(values, reduced);
  for (size_t i = 0; padded && i < inputs; ++i)
    results[i] = accumulators[i].lanes();
  int64_t total = context.results[0].tensor().size();
  Shape at(types_[0].shape.size());
  std::vector<int64_t> elements(kWindowLanes);
  for (int64_t begin = 0; begin < total; begin += kWindowLanes) {
    int64_t count = std::min(kWindowLanes, total - begin);
    for (size_t i = 0; i < inputs; ++i)
      for (int64_t lane = 0; lane < count; ++lane)
        load(accumulators[i], inputs + i, lane, 0);
    Shape tap(window_.axes.size(), 0);
    bool more = window_.taps() > 0;
    while (more) {
      for (int64_t lane = 0; lane < count; ++lane) {
        unflatten(begin + lane, types_[0].shape, at);
        int64_t element = elements[lane] = window_.elementAt(at, tap);
        for (size_t i = 0; i < inputs; ++i)
          load(values[i], element < 0 ? inputs + i : i, lane,
               std::max<int64_t>(0, element));
      }
      llvm::Error error =
          co_await regions[0].evaluate(arguments, results, count);
      if (error)
        co_return error;
      for (size_t i = 0; !padded && i < inputs; ++i)
        for (int64_t lane = 0; lane < count; ++lane)
          if (elements[lane] >= 0)
            accumulators[i].copyLane(lane, reduced[i], lane);
      more = window_.nextTap(tap);
    }
    storeResults(accumulators, context, begin, count);
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
