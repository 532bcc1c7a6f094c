// reduce and map. A reducer that is one simple operation is folded in a wide
// type (Fold.h); a search for the largest or smallest value is in
// ArgReduce.cpp. Any other body is evaluated in lanes: many results at once,
// one element after another of their reduced index space, in lexicographic
// order. Where there are few results, the elements of each are cut into
// consecutive strands that are reduced side by side and then joined in order,
// which the specification allows because a reducer is associative.
// Source: StableHLO specification, reduce, map.
#include "assay/numerics/Convert.h"
#include "assay/reference/Fold.h"
#include "assay/reference/LaneBuffer.h"
#include "assay/reference/LaneProgram.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Strided.h"
#include "assay/reference/ops/ArgReduce.h"

#include <algorithm>

namespace assay::reference {

using program::Lanes;
using program::RegionEvaluator;
using program::RegionTask;

namespace {

class SimpleReduce final : public Step {
public:
  SimpleReduce(Split split, Fold fold, TensorType type)
      : split_(std::move(split)), fold_(fold), type_(std::move(type)) {}
  llvm::Error run(StepContext &context) const override;

private:
  void rows(const Tensor &operand, const void *init, std::byte *out,
            int64_t begin, int64_t end) const;
  void columns(const Tensor &operand, const void *init, std::byte *out,
               int64_t begin, int64_t end) const;
  Split split_;
  Fold fold_;
  TensorType type_;
};

class LaneReduce final : public Step {
public:
  LaneReduce(Split split, llvm::ArrayRef<TensorType> results)
      : split_(std::move(split)), types_(results.begin(), results.end()) {}
  bool isRegionStep() const override { return true; }
  bool jointShadow() const override { return true; }
  RegionTask
  start(StepContext &context,
        llvm::MutableArrayRef<RegionEvaluator> regions) const override;

private:
  Split split_;
  llvm::SmallVector<TensorType, 2> types_;
};

// Cuts the elements of few results into strands, so that all lanes are used.
// Lane s * count + r is strand s of result r, in a block of `count` results.
class StrandLanes {
public:
  StrandLanes(StepContext &context, const Split &split,
              llvm::ArrayRef<TensorType> types);
  int64_t resultsPerBlock() const { return resultsPerBlock_; }
  int64_t length() const { return length_; }
  int64_t strands() const { return strands_; }
  // Strand 0 starts with the initial value and the others with their first
  // element, so that the initial value is used only once.
  void beginBlock(int64_t first, int64_t count);
  // Loads element number t of each strand that has one as the second argument
  // (the accumulator is the first). Returns how many lanes take part.
  int64_t load(int64_t t);
  // Loads strand s as the second argument to strand 0, for all results of the
  // block.
  void loadStrand(int64_t s);
  void endBlock();

  std::vector<Lanes> arguments, results;

private:
  int64_t offsetOf(int64_t result, int64_t k);
  void load(LaneBuffer &buffer, size_t input, int64_t lane, int64_t offset) {
    buffer.load(lane, context_.operandValue(input).tensor(),
                context_.operandValue(input).shadow(), offset);
  }
  StepContext &context_;
  const Split &split_;
  int64_t strands_, length_, resultsPerBlock_, first_ = 0, count_ = 0;
  std::vector<LaneBuffer> accumulators_, values_;
  Shape kept_, reduced_;
};

class MapStep final : public Step {
public:
  explicit MapStep(const StepSpec &spec)
      : operands_(spec.operands.begin(), spec.operands.end()),
        result_(spec.results[0]) {}
  bool isRegionStep() const override { return true; }
  bool jointShadow() const override { return true; }
  RegionTask
  start(StepContext &context,
        llvm::MutableArrayRef<RegionEvaluator> regions) const override;

private:
  llvm::SmallVector<TensorType, 3> operands_;
  TensorType result_;
};

} // namespace

static Split splitOf(const TensorType &type, llvm::ArrayRef<int64_t> dims) {
  Split split;
  Shape strides = tensor::rowMajorStrides(type.shape);
  for (int64_t d = 0; d < static_cast<int64_t>(type.shape.size()); ++d) {
    bool reduced = llvm::is_contained(dims, d);
    (reduced ? split.reducedShape : split.keptShape).push_back(type.shape[d]);
    (reduced ? split.reducedStrides : split.keptStrides).push_back(strides[d]);
    (reduced ? split.reduced : split.results) *= type.shape[d];
  }
  return split;
}

// Computes results [begin, end), each by folding one row.
void SimpleReduce::rows(const Tensor &operand, const void *init, std::byte *out,
                        int64_t begin, int64_t end) const {
  int64_t width = type_.element.storageBytes(),
          wide = fold_.computeType().storageBytes();
  constexpr int64_t kChunk = 4096;
  bool contiguous =
      split_.reducedStrides == tensor::rowMajorStrides(split_.reducedShape);
  std::vector<std::byte> gathered(
      contiguous ? 0 : static_cast<size_t>(split_.reduced * width));
  std::vector<std::byte> values(static_cast<size_t>(kChunk * wide));
  alignas(32) std::byte accumulator[32];
  Shape index(split_.keptShape.size());
  for (int64_t r = begin; r < end; ++r) {
    unflatten(r, split_.keptShape, index);
    const std::byte *elements =
        operand.bytes() + dotIndex(index, split_.keptStrides) * width;
    if (!contiguous) {
      copyStrided(width, split_.reducedShape, elements, split_.reducedStrides,
                  gathered.data(),
                  tensor::rowMajorStrides(split_.reducedShape));
      elements = gathered.data();
    }
    fold_.start(accumulator, init, 1);
    for (int64_t k = 0; k < split_.reduced; k += kChunk) {
      int64_t count = std::min(kChunk, split_.reduced - k);
      numerics::convertArray(type_.element, elements + k * width,
                             fold_.computeType(), values.data(), count);
      fold_.row(accumulator, values.data(), count);
    }
    alignas(32) std::byte value[32];
    fold_.finish(accumulator, value, 1);
    numerics::convertArray(fold_.computeType(), value, type_.element,
                           out + r * width, 1);
  }
}

// For a last dimension that is kept and contiguous: runs of its results are
// folded side by side. [begin, end) counts runs.
void SimpleReduce::columns(const Tensor &operand, const void *init,
                           std::byte *out, int64_t begin, int64_t end) const {
  constexpr int64_t kRun = 512;
  int64_t width = type_.element.storageBytes(),
          wide = fold_.computeType().storageBytes();
  int64_t inner = split_.keptShape.back(),
          runsPerRow = (inner + kRun - 1) / kRun;
  std::vector<std::byte> accumulators(
      static_cast<size_t>(kRun * fold_.accumulatorBytes()));
  std::vector<std::byte> values(static_cast<size_t>(kRun * wide));
  Shape index(split_.keptShape.size());
  for (int64_t run = begin; run < end; ++run) {
    int64_t row = run / runsPerRow, first = run % runsPerRow * kRun,
            count = std::min(kRun, inner - first);
    int64_t result = row * inner + first;
    unflatten(result, split_.keptShape, index);
    const std::byte *base =
        operand.bytes() + dotIndex(index, split_.keptStrides) * width;
    for (int64_t i = 0; i < count; ++i)
      fold_.start(accumulators.data() + i * fold_.accumulatorBytes(), init, 1);
    Shape reduced(split_.reducedShape.size(), 0);
    if (split_.reduced > 0)
      do {
        numerics::convertArray(type_.element,
                               base + dotIndex(reduced, split_.reducedStrides) *
                                          width,
                               fold_.computeType(), values.data(), count);
        fold_.lanes(accumulators.data(), values.data(), count);
      } while (nextIndex(reduced, split_.reducedShape));
    fold_.finish(accumulators.data(), values.data(), count);
    numerics::convertArray(fold_.computeType(), values.data(), type_.element,
                           out + result * width, count);
  }
}

llvm::Error SimpleReduce::run(StepContext &context) const {
  llvm::Expected<Tensor> operand = context.dense(0);
  if (!operand)
    return operand.takeError();
  alignas(32) std::byte init[32];
  numerics::convertArray(type_.element, context.operand(1).bytes(),
                         fold_.computeType(), init, 1);
  std::byte *out = context.out(0).mutableBytes();
  bool byColumns = !split_.keptStrides.empty() &&
                   split_.keptStrides.back() == 1 &&
                   split_.keptShape.back() >= 8 && !split_.reducedShape.empty();
  if (split_.results == 0)
    return llvm::Error::success();
  if (byColumns) {
    int64_t runs = split_.results / split_.keptShape.back() *
                   ((split_.keptShape.back() + 511) / 512);
    context.run.threads.parallelFor(
        runs, std::max<int64_t>(1, 64 / std::max<int64_t>(1, split_.reduced)),
        [&](int64_t b, int64_t e) { columns(*operand, init, out, b, e); });
  } else {
    context.run.threads.parallelFor(
        split_.results,
        std::max<int64_t>(1, 32768 / std::max<int64_t>(1, split_.reduced)),
        [&](int64_t b, int64_t e) { rows(*operand, init, out, b, e); });
  }
  return llvm::Error::success();
}

StrandLanes::StrandLanes(StepContext &context, const Split &split,
                         llvm::ArrayRef<TensorType> types)
    : arguments(2 * types.size()), results(types.size()), context_(context),
      split_(split), kept_(split.keptShape.size()),
      reduced_(split.reducedShape.size()) {
  int64_t wanted =
      split.results == 0 ? 1 : std::clamp<int64_t>(256 / split.results, 1, 256);
  wanted = std::max<int64_t>(1, std::min(wanted, split.reduced / 8));
  length_ = (split.reduced + wanted - 1) / wanted;
  strands_ = length_ == 0 ? 1 : (split.reduced + length_ - 1) / length_;
  resultsPerBlock_ = std::max<int64_t>(1, 2048 / strands_);
  for (const TensorType &type : types) {
    accumulators_.emplace_back(type.element, resultsPerBlock_ * strands_,
                               context.withShadow());
    values_.emplace_back(type.element, resultsPerBlock_ * strands_,
                         context.withShadow());
  }
}

int64_t StrandLanes::offsetOf(int64_t result, int64_t k) {
  unflatten(result, split_.keptShape, kept_);
  unflatten(k, split_.reducedShape, reduced_);
  return dotIndex(kept_, split_.keptStrides) +
         dotIndex(reduced_, split_.reducedStrides);
}

void StrandLanes::beginBlock(int64_t first, int64_t count) {
  first_ = first;
  count_ = count;
  size_t inputs = results.size();
  for (size_t i = 0; i < inputs; ++i)
    for (int64_t s = 0; s < strands_; ++s)
      for (int64_t r = 0; r < count; ++r)
        load(accumulators_[i], s == 0 ? inputs + i : i, s * count + r,
             s == 0 ? 0 : offsetOf(first + r, s * length_));
}

int64_t StrandLanes::load(int64_t t) {
  // Strand 0 takes part from t = 0 on, the others from t = 1 on.
  int64_t active = t == 0 ? 1 : strands_;
  while (active > 1 && (active - 1) * length_ + t >= split_.reduced)
    --active;
  for (size_t i = 0; i < results.size(); ++i) {
    for (int64_t s = 0; s < active; ++s)
      for (int64_t r = 0; r < count_; ++r)
        load(values_[i], i, s * count_ + r,
             offsetOf(first_ + r, s * length_ + t));
    arguments[i] = results[i] = accumulators_[i].lanes();
    arguments[results.size() + i] = values_[i].lanes();
  }
  return active * count_;
}

void StrandLanes::loadStrand(int64_t s) {
  for (size_t i = 0; i < results.size(); ++i) {
    arguments[i] = results[i] = accumulators_[i].lanes();
    arguments[results.size() + i] = accumulators_[i].lanes(s * count_);
  }
}

void StrandLanes::endBlock() {
  for (size_t i = 0; i < results.size(); ++i)
    for (int64_t r = 0; r < count_; ++r)
      accumulators_[i].store(r, context_.results[i].tensor(),
                             context_.shadows.empty()
                                 ? context_.results[i].tensor()
                                 : context_.shadows[i],
                             first_ + r);
}

RegionTask
LaneReduce::start(StepContext &context,
                  llvm::MutableArrayRef<RegionEvaluator> regions) const {
  StrandLanes lanes(context, split_, types_);
  for (int64_t first = 0; first < split_.results;
       first += lanes.resultsPerBlock()) {
    int64_t count = std::min(lanes.resultsPerBlock(), split_.results - first);
    lanes.beginBlock(first, count);
    for (int64_t t = 0; t < lanes.length(); ++t) {
      int64_t active = lanes.load(t);
      llvm::Error error =
          co_await regions[0].evaluate(lanes.arguments, lanes.results, active);
      if (error)
        co_return error;
    }
    for (int64_t s = 1; s < lanes.strands(); ++s) {
      lanes.loadStrand(s);
      llvm::Error error =
          co_await regions[0].evaluate(lanes.arguments, lanes.results, count);
      if (error)
        co_return error;
    }
    lanes.endBlock();
  }
  co_return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> reduce(const StepSpec &spec) {
  Split split = splitOf(spec.operands[0], intsOf(spec.op, "dimensions"));
  mlir::Region &body = spec.op->getRegion(0);
  const TensorType &result = spec.results[0];
  bool sameType = spec.operands[0].element == result.element;
  if (spec.results.size() == 1 && sameType &&
      !(spec.numeric.accumulatePerStep && !spec.shadow))
    if (mlir::Operation *single = singleBinaryOperation(body))
      if (std::optional<Fold> fold = Fold::make(single, result.element))
        return std::make_unique<SimpleReduce>(std::move(split), *fold, result);
  if (!sameType)
    return makeError(
        ErrorCode::Unsupported,
        "a reducer that promotes its element type; convert the operand first");
  if (auto step = makeArgReduce(spec, split))
    return step;
  return std::make_unique<LaneReduce>(std::move(split), spec.results);
}

RegionTask
MapStep::start(StepContext &context,
               llvm::MutableArrayRef<RegionEvaluator> regions) const {
  constexpr int64_t kBlock = 2048;
  int64_t total = context.results[0].tensor().size();
  std::vector<LaneBuffer> inputs;
  std::vector<Lanes> arguments, results(1);
  for (const TensorType &type : operands_)
    inputs.emplace_back(type.element, kBlock, context.withShadow());
  LaneBuffer output(result_.element, kBlock, context.withShadow());
  for (LaneBuffer &input : inputs)
    arguments.push_back(input.lanes());
  results[0] = output.lanes();
  for (int64_t first = 0; first < total; first += kBlock) {
    int64_t count = std::min(kBlock, total - first);
    for (size_t i = 0; i < inputs.size(); ++i)
      for (int64_t lane = 0; lane < count; ++lane)
        inputs[i].load(lane, context.operandValue(i).tensor(),
                       context.operandValue(i).shadow(), first + lane);
    llvm::Error error = co_await regions[0].evaluate(arguments, results, count);
    if (error)
      co_return error;
    for (int64_t lane = 0; lane < count; ++lane)
      output.store(lane, context.results[0].tensor(),
                   context.shadows.empty() ? context.results[0].tensor()
                                           : context.shadows[0],
                   first + lane);
  }
  co_return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> map(const StepSpec &spec) {
  return std::make_unique<MapStep>(spec);
}

} // namespace assay::reference
