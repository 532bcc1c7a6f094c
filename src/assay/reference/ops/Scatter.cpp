// scatter and select_and_scatter. Both first find out which update goes to
// which element of the result; an update whose target lies outside is dropped.
// Updates of one element keep their order; different elements are updated side
// by side. Source: StableHLO specification, scatter, select_and_scatter.
#include "assay/dialect/Stablehlo.h"
#include "assay/reference/Indices.h"
#include "assay/reference/LaneBuffer.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Rounds.h"
#include "assay/reference/Strided.h"
#include "assay/reference/Window.h"

#include <algorithm>

namespace assay::reference {

using program::Lanes;
using program::RegionEvaluator;
using program::RegionTask;

namespace {

class ScatterStep final : public Step {
public:
  explicit ScatterStep(const StepSpec &spec)
      : operands_(spec.operands.begin(), spec.operands.end()),
        results_(spec.results.begin(), spec.results.end()), op_(spec.op) {}
  bool isRegionStep() const override { return true; }
  bool jointShadow() const override { return true; }
  RegionTask
  start(StepContext &context,
        llvm::MutableArrayRef<RegionEvaluator> regions) const override;

private:
  std::vector<Update> findUpdates(const Tensor &indices) const;
  llvm::SmallVector<TensorType, 3> operands_;
  llvm::SmallVector<TensorType, 1> results_;
  mlir::Operation *op_;
};

class SelectAndScatterStep final : public Step {
public:
  explicit SelectAndScatterStep(const StepSpec &spec)
      : window_(Window::of(spec.op, spec.operands[0])),
        operand_(spec.operands[0]), source_(spec.operands[1]) {}
  bool isRegionStep() const override { return true; }
  bool jointShadow() const override { return true; }
  RegionTask
  start(StepContext &context,
        llvm::MutableArrayRef<RegionEvaluator> regions) const override;

private:
  Window window_;
  TensorType operand_, source_;
};

// result = operand, value and shadow.
llvm::Error copyInto(StepContext &context, size_t result, const Value &from) {
  auto copy = [&](const Tensor &source, Tensor &target) {
    Shape strides = tensor::rowMajorStrides(target.shape());
    copyStrided(
        source.elementType().storageBytes(), target.shape(), source.bytes(),
        source.isSplat() || source.rank() == 0 ? Shape(strides.size(), 0)
                                               : strides,
        target.mutableBytes(), strides, &context.run.threads);
  };
  copy(from.tensor(), context.results[result].tensor());
  if (context.withShadow() && from.shadow().valid())
    copy(from.shadow(), context.shadows[result]);
  return llvm::Error::success();
}

} // namespace

// Every scatter index gives a start in the input; the elements of its window
// follow. Both index spaces are walked with strides that are worked out once.
std::vector<Update> ScatterStep::findUpdates(const Tensor &indices) const {
  auto dims =
      mlir::cast<stablehlo::ScatterOp>(op_).getScatterDimensionNumbers();
  const Shape &inputShape = operands_[0].shape,
              &updateShape = operands_[results_.size() + 1].shape;
  int64_t vectorDim = dims.getIndexVectorDim();
  Shape indexStrides = tensor::rowMajorStrides(indices.shape()),
        inputStrides = tensor::rowMajorStrides(inputShape),
        updateStrides = tensor::rowMajorStrides(updateShape);
  // The update's dimensions: those of the window, and one for each dimension of
  // the indices but the vector's.
  Shape windowShape, windowInput, windowSource, windowDims, scatterShape,
      scatterSource, scatterIndex;
  for (int64_t d = 0; d < static_cast<int64_t>(updateShape.size()); ++d) {
    bool window = llvm::is_contained(dims.getUpdateWindowDims(), d);
    (window ? windowShape : scatterShape).push_back(updateShape[d]);
    (window ? windowSource : scatterSource).push_back(updateStrides[d]);
  }
  for (int64_t d = 0; d < static_cast<int64_t>(inputShape.size()); ++d)
    if (!llvm::is_contained(dims.getInsertedWindowDims(), d) &&
        !llvm::is_contained(dims.getInputBatchingDims(), d)) {
      windowInput.push_back(inputStrides[d]);
      windowDims.push_back(d);
    }
  for (int64_t d = 0; d < indices.rank(); ++d)
    if (d != vectorDim)
      scatterIndex.push_back(indexStrides[d]);
  int64_t vectorStride =
      vectorDim < indices.rank() ? indexStrides[vectorDim] : 0;
  int64_t windows = llvm::cantFail(tensor::elementCount(scatterShape));
  int64_t windowSize = llvm::cantFail(tensor::elementCount(windowShape));
  std::vector<Update> updates;
  updates.reserve(static_cast<size_t>(windows * windowSize));
  Shape at(scatterShape.size(), 0), start(inputShape.size(), 0),
      within(windowShape.size(), 0);
  for (int64_t w = 0; w < windows; ++w, nextIndex(at, scatterShape)) {
    int64_t base = dotIndex(at, scatterIndex),
            source = dotIndex(at, scatterSource);
    for (auto [i, d] : llvm::enumerate(dims.getScatterDimsToOperandDims()))
      start[d] =
          indexAt(indices, base + static_cast<int64_t>(i) * vectorStride);
    for (auto [inputDim, indexDim] : llvm::zip_equal(
             dims.getInputBatchingDims(), dims.getScatterIndicesBatchingDims()))
      start[inputDim] = at[indexDim - (indexDim > vectorDim ? 1 : 0)];
    // Element by element: of a window that hangs over the edge the inside part
    // is updated.
    for (int64_t e = 0; e < windowSize; ++e, nextIndex(within, windowShape)) {
      bool inside = true;
      int64_t target = 0;
      for (size_t d = 0; d < start.size(); ++d)
        target += static_cast<int64_t>(static_cast<uint64_t>(start[d]) *
                                       static_cast<uint64_t>(inputStrides[d]));
      for (size_t i = 0; i < windowDims.size(); ++i) {
        int64_t position = start[windowDims[i]];
        // A start far outside stays outside; the sum of a start inside and a
        // window index cannot overflow.
        inside &= position > -inputShape[windowDims[i]] - windowShape[i] &&
                  position < inputShape[windowDims[i]] &&
                  position + within[i] >= 0 &&
                  position + within[i] < inputShape[windowDims[i]];
        target += within[i] * windowInput[i];
      }
      for (int64_t d : dims.getInsertedWindowDims())
        inside &= start[d] >= 0 && start[d] < inputShape[d];
      if (inside)
        updates.push_back({target, source + dotIndex(within, windowSource)});
    }
  }
  return updates;
}

RegionTask
ScatterStep::start(StepContext &context,
                   llvm::MutableArrayRef<RegionEvaluator> regions) const {
  size_t inputs = results_.size();
  constexpr int64_t kBlock = 4096;
  for (size_t i = 0; i < inputs; ++i)
    if (llvm::Error error = copyInto(context, i, context.operandValue(i)))
      co_return error;
  int64_t targets = context.results[0].tensor().size();
  std::vector<std::vector<Update>> rounds =
      roundsOf(findUpdates(context.operandValue(inputs).tensor()), targets);
  std::vector<LaneBuffer> current, update;
  std::vector<Lanes> arguments(2 * inputs), results(inputs);
  for (size_t i = 0; i < inputs; ++i) {
    current.emplace_back(results_[i].element, kBlock, context.withShadow());
    update.emplace_back(results_[i].element, kBlock, context.withShadow());
  }
  for (size_t i = 0; i < inputs; ++i) {
    arguments[i] = results[i] = current[i].lanes();
    arguments[inputs + i] = update[i].lanes();
  }
  for (const std::vector<Update> &round : rounds)
    for (size_t first = 0; first < round.size(); first += kBlock) {
      auto count =
          static_cast<int64_t>(std::min<size_t>(kBlock, round.size() - first));
      for (size_t i = 0; i < inputs; ++i) {
        Tensor &result = context.results[i].tensor();
        Tensor &shadow = context.shadows.empty() ? result : context.shadows[i];
        const Value &updates = context.operandValue(inputs + 1 + i);
        for (int64_t lane = 0; lane < count; ++lane) {
          const Update &at = round[first + static_cast<size_t>(lane)];
          current[i].load(lane, result, shadow, at.target);
          update[i].load(lane, updates.tensor(), updates.shadow(), at.source);
        }
      }
      llvm::Error error =
          co_await regions[0].evaluate(arguments, results, count);
      if (error)
        co_return error;
      for (size_t i = 0; i < inputs; ++i) {
        Tensor &result = context.results[i].tensor();
        for (int64_t lane = 0; lane < count; ++lane)
          current[i].store(lane, result,
                           context.shadows.empty() ? result
                                                   : context.shadows[i],
                           round[first + static_cast<size_t>(lane)].target);
      }
    }
  co_return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> scatter(const StepSpec &spec) {
  return std::make_unique<ScatterStep>(spec);
}

RegionTask SelectAndScatterStep::start(
    StepContext &context,
    llvm::MutableArrayRef<RegionEvaluator> regions) const {
  // 1. For every window the element that `select` keeps, all windows of a block
  // side by side.
  ElementType type = operand_.element;
  bool shadows = context.withShadow();
  LaneBuffer selected(type, kWindowLanes, shadows),
      candidate(type, kWindowLanes, shadows);
  LaneBuffer keep(ElementType::boolean(), kWindowLanes, false);
  LaneBuffer packedSelected(type, kWindowLanes, shadows),
      packedCandidate(type, kWindowLanes, shadows);
  std::vector<Lanes> selectArguments{packedSelected.lanes(),
                                     packedCandidate.lanes()},
      selectResults{keep.lanes()};
  const Value &operand = context.operandValue(0),
              &source = context.operandValue(1),
              &init = context.operandValue(2);
  int64_t windows = llvm::cantFail(tensor::elementCount(source_.shape));
  std::vector<Update> updates;
  std::vector<int64_t> winner, element, active;
  Shape at(source_.shape.size());
  for (int64_t first = 0; first < windows; first += kWindowLanes) {
    int64_t count = std::min(kWindowLanes, windows - first);
    winner.assign(static_cast<size_t>(count), -1);
    Shape tap(window_.size.size(), 0);
    bool more = window_.taps() > 0;
    while (more) {
      active.clear();
      element.clear();
      for (int64_t lane = 0; lane < count; ++lane) {
        unflatten(first + lane, source_.shape, at);
        int64_t offset = window_.elementAt(at, tap);
        if (offset < 0)
          continue;
        if (winner[lane] < 0) {
          winner[lane] = offset;
          selected.load(lane, operand.tensor(), operand.shadow(), offset);
          continue;
        }
        auto packed = static_cast<int64_t>(active.size());
        packedSelected.copyLane(packed, selected, lane);
        packedCandidate.load(packed, operand.tensor(), operand.shadow(),
                             offset);
        active.push_back(lane);
        element.push_back(offset);
      }
      llvm::Error error = co_await regions[0].evaluate(
          selectArguments, selectResults, static_cast<int64_t>(active.size()));
      if (error)
        co_return error;
      for (size_t i = 0; i < active.size(); ++i)
        if (*keep.value(static_cast<int64_t>(i)) == std::byte{0}) {
          winner[active[i]] = element[i];
          selected.copyLane(active[i], packedCandidate,
                            static_cast<int64_t>(i));
        }
      more = nextIndex(tap, window_.size);
    }
    for (int64_t lane = 0; lane < count; ++lane)
      if (winner[lane] >= 0)
        updates.push_back({winner[lane], first + lane});
  }
  // 2. Every kept element gathers the sources of its windows, starting from the
  // initial value.
  if (llvm::Error error = copyInto(context, 0, init))
    co_return error;
  Tensor &result = context.results[0].tensor();
  Tensor &shadow = context.shadows.empty() ? result : context.shadows[0];
  LaneBuffer accumulator(type, kWindowLanes, shadows),
      value(type, kWindowLanes, shadows);
  std::vector<Lanes> scatterArguments{accumulator.lanes(), value.lanes()},
      scatterResults{accumulator.lanes()};
  std::vector<std::vector<Update>> rounds = roundsOf(updates, result.size());
  for (const std::vector<Update> &round : rounds)
    for (size_t first = 0; first < round.size(); first += kWindowLanes) {
      auto count = static_cast<int64_t>(
          std::min<size_t>(kWindowLanes, round.size() - first));
      for (int64_t lane = 0; lane < count; ++lane) {
        const Update &update = round[first + static_cast<size_t>(lane)];
        accumulator.load(lane, result, shadow, update.target);
        value.load(lane, source.tensor(), source.shadow(), update.source);
      }
      llvm::Error error =
          co_await regions[1].evaluate(scatterArguments, scatterResults, count);
      if (error)
        co_return error;
      for (int64_t lane = 0; lane < count; ++lane)
        accumulator.store(lane, result, shadow,
                          round[first + static_cast<size_t>(lane)].target);
    }
  co_return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> selectAndScatter(const StepSpec &spec) {
  return std::make_unique<SelectAndScatterStep>(spec);
}

} // namespace assay::reference
