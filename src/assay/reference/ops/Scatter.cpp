// scatter and select_and_scatter. Both first determine which update goes to
// which element of the result; an update whose target is outside is dropped.
// Updates of one element keep their order; different elements are updated side
// by side. Source: StableHLO specification, scatter, select_and_scatter.
#include "assay/dialect/Stablehlo.h"
#include "assay/reference/Indices.h"
#include "assay/reference/LaneBuffer.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Rounds.h"
#include "assay/reference/Strided.h"
#include "assay/reference/Windows.h"

#include <algorithm>
#include <optional>

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
  std::vector<Update> findUpdates(StepContext &context) const;
  llvm::SmallVector<TensorType, 3> operands_;
  llvm::SmallVector<TensorType, 1> results_;
  mlir::Operation *op_;
};

class SelectAndScatterStep final : public Step {
public:
  explicit SelectAndScatterStep(const StepSpec &spec)
      : window_(windowsOf(spec.op, spec.operands[0])),
        operand_(spec.operands[0]), source_(spec.operands[1]) {}
  bool isRegionStep() const override { return true; }
  bool jointShadow() const override { return true; }
  RegionTask
  start(StepContext &context,
        llvm::MutableArrayRef<RegionEvaluator> regions) const override;

private:
  geometry::Windows window_;
  TensorType operand_, source_;
};

// The index spaces of a scatter, with the strides that walk them. The update
// has the dimensions of the window and those of the indices except the index
// vector dimension.
struct ScatterSpaces {
  ScatterSpaces(stablehlo::ScatterDimensionNumbersAttr dims,
                const Shape &inputShape, const Shape &updateShape,
                llvm::ArrayRef<int64_t> indexShape);
  // The start in the input for the scatter index `at`.
  void startOf(llvm::ArrayRef<int64_t> at, const Tensor &indices,
               Shape &start) const;
  // The input's element at position `within` of the window at `start`, or
  // nullopt outside. So only the inside part of a window that crosses the edge
  // is updated.
  std::optional<int64_t> targetOf(const Shape &start,
                                  const Shape &within) const;

  stablehlo::ScatterDimensionNumbersAttr dims;
  Shape inputShape, inputStrides;
  Shape windowShape, windowInput, windowSource, windowDims;
  Shape scatterShape, scatterSource, scatterIndex;
  int64_t vectorDim, vectorStride;
};

// Updates of distinct targets, side by side: for every result, the current
// elements and the values that are combined with them.
class UpdateLanes {
public:
  // The updates are operands `firstUpdate` and following.
  UpdateLanes(StepContext &context, llvm::ArrayRef<TensorType> types,
              size_t firstUpdate, int64_t lanes);
  void load(llvm::ArrayRef<Update> updates);
  void store(llvm::ArrayRef<Update> updates);

  std::vector<Lanes> arguments, results;

private:
  Tensor &shadowOf(size_t i) {
    return context_.shadows.empty() ? context_.results[i].tensor()
                                    : context_.shadows[i];
  }
  StepContext &context_;
  size_t firstUpdate_;
  std::vector<LaneBuffer> current_, update_;
};

// The windows of a block of select_and_scatter, side by side, with the element
// that `select` has kept for each so far.
class SelectLanes {
public:
  SelectLanes(const geometry::Windows &window, const Shape &windows, const Value &operand,
              bool withShadow);
  void beginBlock(int64_t first, int64_t count);
  // Loads the element under `tap` and the kept one for each window that has
  // both.
  void load(llvm::ArrayRef<int64_t> tap);
  // Applies the results of `select`.
  void choose();
  // Appends an update for each window of the block that has kept an element.
  void endBlock(std::vector<Update> &updates) const;
  int64_t active() const { return static_cast<int64_t>(active_.size()); }

  std::vector<Lanes> arguments, results;

private:
  const geometry::Windows &window_;
  const Shape &windows_;
  const Value &operand_;
  LaneBuffer selected_, packedSelected_, packedCandidate_, keep_;
  int64_t first_ = 0, count_ = 0;
  std::vector<int64_t> winner_, element_, active_;
};

// Copies value and shadow of an operand to a result.
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

ScatterSpaces::ScatterSpaces(stablehlo::ScatterDimensionNumbersAttr numbers,
                             const Shape &input, const Shape &updateShape,
                             llvm::ArrayRef<int64_t> indexShape)
    : dims(numbers), inputShape(input),
      inputStrides(tensor::rowMajorStrides(input)),
      vectorDim(numbers.getIndexVectorDim()) {
  Shape indexStrides = tensor::rowMajorStrides(indexShape),
        updateStrides = tensor::rowMajorStrides(updateShape);
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
  auto rank = static_cast<int64_t>(indexShape.size());
  for (int64_t d = 0; d < rank; ++d)
    if (d != vectorDim)
      scatterIndex.push_back(indexStrides[d]);
  vectorStride = vectorDim < rank ? indexStrides[vectorDim] : 0;
}

void ScatterSpaces::startOf(llvm::ArrayRef<int64_t> at, const Tensor &indices,
                            Shape &start) const {
  int64_t base = dotIndex(at, scatterIndex);
  for (auto [i, d] : llvm::enumerate(dims.getScatterDimsToOperandDims()))
    start[d] = indexAt(indices, base + static_cast<int64_t>(i) * vectorStride);
  for (auto [inputDim, indexDim] : llvm::zip_equal(
           dims.getInputBatchingDims(), dims.getScatterIndicesBatchingDims()))
    start[inputDim] = at[indexDim - (indexDim > vectorDim ? 1 : 0)];
}

std::optional<int64_t> ScatterSpaces::targetOf(const Shape &start,
                                               const Shape &within) const {
  bool inside = true;
  int64_t target = 0;
  for (size_t d = 0; d < start.size(); ++d)
    target += static_cast<int64_t>(static_cast<uint64_t>(start[d]) *
                                   static_cast<uint64_t>(inputStrides[d]));
  for (size_t i = 0; i < windowDims.size(); ++i) {
    int64_t position = start[windowDims[i]];
    // A start far outside stays outside; for any other start, adding a window
    // index cannot overflow.
    inside &= position > -inputShape[windowDims[i]] - windowShape[i] &&
              position < inputShape[windowDims[i]] &&
              position + within[i] >= 0 &&
              position + within[i] < inputShape[windowDims[i]];
    target += within[i] * windowInput[i];
  }
  for (int64_t d : dims.getInsertedWindowDims())
    inside &= start[d] >= 0 && start[d] < inputShape[d];
  return inside ? std::optional(target) : std::nullopt;
}

// Determines the start of each scatter index, and from it the targets of the
// elements of its window.
std::vector<Update> ScatterStep::findUpdates(StepContext &context) const {
  const Tensor &indices = context.operandValue(results_.size()).tensor();
  auto op = mlir::cast<stablehlo::ScatterOp>(op_);
  SortedPromise sorted(op.getIndicesAreSorted());
  ScatterSpaces spaces(op.getScatterDimensionNumbers(), operands_[0].shape,
                       operands_[results_.size() + 1].shape, indices.shape());
  int64_t windows = llvm::cantFail(tensor::elementCount(spaces.scatterShape));
  int64_t windowSize = llvm::cantFail(tensor::elementCount(spaces.windowShape));
  std::vector<Update> updates;
  updates.reserve(static_cast<size_t>(windows * windowSize));
  Shape at(spaces.scatterShape.size(), 0), start(spaces.inputShape.size(), 0),
      within(spaces.windowShape.size(), 0);
  for (int64_t w = 0; w < windows; ++w, nextIndex(at, spaces.scatterShape)) {
    int64_t source = dotIndex(at, spaces.scatterSource);
    spaces.startOf(at, indices, start);
    sorted.see(start);
    for (int64_t e = 0; e < windowSize;
         ++e, nextIndex(within, spaces.windowShape))
      if (std::optional<int64_t> target = spaces.targetOf(start, within))
        updates.push_back(
            {*target, source + dotIndex(within, spaces.windowSource)});
  }
  if (sorted.isBroken())
    noteBrokenPromise(context, "indices_are_sorted", "they are not");
  return updates;
}

UpdateLanes::UpdateLanes(StepContext &context, llvm::ArrayRef<TensorType> types,
                         size_t firstUpdate, int64_t lanes)
    : arguments(2 * types.size()), results(types.size()), context_(context),
      firstUpdate_(firstUpdate) {
  for (const TensorType &type : types) {
    current_.emplace_back(type.element, lanes, context.withShadow());
    update_.emplace_back(type.element, lanes, context.withShadow());
  }
  for (size_t i = 0; i < types.size(); ++i) {
    arguments[i] = results[i] = current_[i].lanes();
    arguments[types.size() + i] = update_[i].lanes();
  }
}

void UpdateLanes::load(llvm::ArrayRef<Update> updates) {
  for (size_t i = 0; i < results.size(); ++i) {
    Tensor &result = context_.results[i].tensor(), &shadow = shadowOf(i);
    const Value &source = context_.operandValue(firstUpdate_ + i);
    for (size_t n = 0; n < updates.size(); ++n) {
      auto lane = static_cast<int64_t>(n);
      current_[i].load(lane, result, shadow, updates[n].target);
      update_[i].load(lane, source.tensor(), source.shadow(),
                      updates[n].source);
    }
  }
}

void UpdateLanes::store(llvm::ArrayRef<Update> updates) {
  for (size_t i = 0; i < results.size(); ++i) {
    Tensor &result = context_.results[i].tensor(), &shadow = shadowOf(i);
    for (size_t n = 0; n < updates.size(); ++n)
      current_[i].store(static_cast<int64_t>(n), result, shadow,
                        updates[n].target);
  }
}

RegionTask
ScatterStep::start(StepContext &context,
                   llvm::MutableArrayRef<RegionEvaluator> regions) const {
  size_t inputs = results_.size();
  constexpr size_t kBlock = 4096;
  for (size_t i = 0; i < inputs; ++i)
    if (llvm::Error error = copyInto(context, i, context.operandValue(i)))
      co_return error;
  int64_t targets = context.results[0].tensor().size();
  std::vector<std::vector<Update>> rounds =
      roundsOf(findUpdates(context), targets);
  if (rounds.size() > 1 &&
      mlir::cast<stablehlo::ScatterOp>(op_).getUniqueIndices())
    noteBrokenPromise(
        context, "unique_indices",
        llvm::formatv("an element is updated {0} times", rounds.size()).str());
  UpdateLanes lanes(context, results_, inputs + 1, kBlock);
  for (const std::vector<Update> &round : rounds)
    for (size_t first = 0; first < round.size(); first += kBlock) {
      llvm::ArrayRef<Update> block =
          llvm::ArrayRef(round).slice(first).take_front(kBlock);
      lanes.load(block);
      llvm::Error error = co_await regions[0].evaluate(
          lanes.arguments, lanes.results, static_cast<int64_t>(block.size()));
      if (error)
        co_return error;
      lanes.store(block);
    }
  co_return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> scatter(const StepSpec &spec) {
  return std::make_unique<ScatterStep>(spec);
}

SelectLanes::SelectLanes(const geometry::Windows &window, const Shape &windows,
                         const Value &operand, bool withShadow)
    : window_(window), windows_(windows), operand_(operand),
      selected_(operand.tensor().elementType(), kWindowLanes, withShadow),
      packedSelected_(selected_), packedCandidate_(selected_),
      keep_(ElementType::boolean(), kWindowLanes, false) {
  arguments = {packedSelected_.lanes(), packedCandidate_.lanes()};
  results = {keep_.lanes()};
}

void SelectLanes::beginBlock(int64_t first, int64_t count) {
  first_ = first;
  count_ = count;
  winner_.assign(static_cast<size_t>(count), -1);
}

void SelectLanes::load(llvm::ArrayRef<int64_t> tap) {
  active_.clear();
  element_.clear();
  Shape at(windows_.size());
  for (int64_t lane = 0; lane < count_; ++lane) {
    unflatten(first_ + lane, windows_, at);
    int64_t offset = window_.elementAt(at, tap);
    if (offset < 0)
      continue;
    if (winner_[lane] < 0) {
      winner_[lane] = offset;
      selected_.load(lane, operand_.tensor(), operand_.shadow(), offset);
      continue;
    }
    packedSelected_.copyLane(active(), selected_, lane);
    packedCandidate_.load(active(), operand_.tensor(), operand_.shadow(),
                          offset);
    active_.push_back(lane);
    element_.push_back(offset);
  }
}

void SelectLanes::choose() {
  for (size_t i = 0; i < active_.size(); ++i)
    if (*keep_.value(static_cast<int64_t>(i)) == std::byte{0}) {
      winner_[active_[i]] = element_[i];
      selected_.copyLane(active_[i], packedCandidate_, static_cast<int64_t>(i));
    }
}

void SelectLanes::endBlock(std::vector<Update> &updates) const {
  for (int64_t lane = 0; lane < count_; ++lane)
    if (winner_[lane] >= 0)
      updates.push_back({winner_[lane], first_ + lane});
}

RegionTask SelectAndScatterStep::start(
    StepContext &context,
    llvm::MutableArrayRef<RegionEvaluator> regions) const {
  // 1. Find the element that `select` keeps of every window, all windows of a
  // block side by side.
  SelectLanes select(window_, source_.shape, context.operandValue(0),
                     context.withShadow());
  int64_t windows = llvm::cantFail(tensor::elementCount(source_.shape));
  std::vector<Update> updates;
  for (int64_t first = 0; first < windows; first += kWindowLanes) {
    select.beginBlock(first, std::min(kWindowLanes, windows - first));
    Shape tap(window_.axes.size(), 0);
    bool more = window_.taps() > 0;
    while (more) {
      select.load(tap);
      llvm::Error error = co_await regions[0].evaluate(
          select.arguments, select.results, select.active());
      if (error)
        co_return error;
      select.choose();
      more = window_.nextTap(tap);
    }
    select.endBlock(updates);
  }
  // 2. Combine each kept element's sources, starting from the initial value.
  if (llvm::Error error = copyInto(context, 0, context.operandValue(2)))
    co_return error;
  UpdateLanes lanes(context, operand_, 1, kWindowLanes);
  std::vector<std::vector<Update>> rounds =
      roundsOf(updates, context.results[0].tensor().size());
  for (const std::vector<Update> &round : rounds)
    for (size_t first = 0; first < round.size(); first += kWindowLanes) {
      llvm::ArrayRef<Update> block =
          llvm::ArrayRef(round).slice(first).take_front(kWindowLanes);
      lanes.load(block);
      llvm::Error error = co_await regions[1].evaluate(
          lanes.arguments, lanes.results, static_cast<int64_t>(block.size()));
      if (error)
        co_return error;
      lanes.store(block);
    }
  co_return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> selectAndScatter(const StepSpec &spec) {
  return std::make_unique<SelectAndScatterStep>(spec);
}

} // namespace assay::reference
