// sort and chlo.top_k. The comparator is a region: a stable merge sort evaluates it
// on many pairs at once, one pair for every merge that is still open, over all
// rows. Whatever the comparator answers (NaN included) the sort ends, in a
// permutation. The order is found from the values and applied to their shadows.
// Source: StableHLO specification, sort; chlo.top_k: total order, largest
// first, ties by index.
#include "assay/numerics/Convert.h"
#include "assay/reference/Indices.h"
#include "assay/reference/LaneBuffer.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Strided.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace assay::reference {

using program::Lanes;
using program::RegionEvaluator;
using program::RegionTask;

namespace {

class SortStep final : public Step {
public:
  explicit SortStep(const StepSpec &spec)
      : types_(spec.operands.begin(), spec.operands.end()),
        dimension_(intOf(spec.op, "dimension", -1)) {
    if (dimension_ < 0)
      dimension_ += static_cast<int64_t>(types_[0].shape.size());
  }
  bool isRegionStep() const override { return true; }
  bool jointShadow() const override { return true; }
  RegionTask
  start(StepContext &context,
        llvm::MutableArrayRef<RegionEvaluator> regions) const override;

private:
  llvm::SmallVector<TensorType, 2> types_;
  int64_t dimension_;
};

// The places of the elements of the rows that are sorted.
struct Rows {
  Rows(const Shape &shape, int64_t dimension);
  int64_t elementOf(int64_t row, int64_t at) const {
    return row / stride * stride * length + row % stride + at * stride;
  }

  int64_t length, total, count, stride = 1;
};

// One merge of the runs [i, iEnd) and [j, jEnd) of row `row` into position
// `out`.
struct Merge {
  int64_t base; // first position of the row in the order array
  int64_t i, iEnd, j, jEnd, out;
};

// A merge sort of all rows at once. A pass joins neighbouring runs; as many of
// its merges as there are lanes are open, and each waits for one answer of the
// comparator.
class MergeSort {
public:
  explicit MergeSort(const Rows &rows);
  void beginPass(int64_t run);
  // Opens merges that wait while there are lanes; false when none is open: the
  // pass is over.
  bool openUpTo(int64_t lanes);
  void endPass() { std::swap(order_, merged_); }
  // The elements that each open merge compares go into two lane buffers for
  // every operand: the right one, then the left one.
  void load(StepContext &context, std::vector<LaneBuffer> &buffers) const;
  // One element further in every open merge.
  void advance(LaneBuffer &less);
  int64_t open() const { return static_cast<int64_t>(open_.size()); }
  // The operand in the order that was found.
  void permute(const Tensor &from, Tensor &to) const;

private:
  const Rows &rows_;
  std::vector<int64_t> order_, merged_; // [row * length + rank] = position
  std::vector<Merge> waiting_, open_;
};

} // namespace

Rows::Rows(const Shape &shape, int64_t dimension)
    : length(shape.empty() ? 1 : shape[dimension]),
      total(llvm::cantFail(tensor::elementCount(shape))),
      count(length == 0 ? 0 : total / length) {
  for (size_t d = static_cast<size_t>(dimension) + 1; d < shape.size(); ++d)
    stride *= shape[d];
}

MergeSort::MergeSort(const Rows &rows)
    : rows_(rows), order_(static_cast<size_t>(rows.total)),
      merged_(order_.size()) {
  for (int64_t row = 0; row < rows.count; ++row)
    std::iota(order_.begin() + row * rows.length,
              order_.begin() + (row + 1) * rows.length, int64_t{0});
}

void MergeSort::beginPass(int64_t run) {
  int64_t length = rows_.length;
  waiting_.clear();
  for (int64_t row = 0; row < rows_.count; ++row)
    for (int64_t lo = 0; lo < length; lo += 2 * run) {
      int64_t mid = std::min(lo + run, length),
              hi = std::min(lo + 2 * run, length);
      if (mid == hi)
        std::copy(order_.begin() + row * length + lo,
                  order_.begin() + row * length + hi,
                  merged_.begin() + row * length + lo);
      else
        waiting_.push_back({row * length, lo, mid, mid, hi, lo});
    }
}

bool MergeSort::openUpTo(int64_t lanes) {
  while (!waiting_.empty() && open() < lanes) {
    open_.push_back(waiting_.back());
    waiting_.pop_back();
  }
  return !open_.empty();
}

void MergeSort::load(StepContext &context,
                     std::vector<LaneBuffer> &buffers) const {
  for (size_t lane = 0; lane < open_.size(); ++lane) {
    const Merge &m = open_[lane];
    int64_t row = m.base / rows_.length;
    int64_t right = rows_.elementOf(row, order_[m.base + m.j]),
            left = rows_.elementOf(row, order_[m.base + m.i]);
    for (size_t t = 0; t < buffers.size() / 2; ++t) {
      const Value &operand = context.operandValue(t);
      buffers[2 * t].load(static_cast<int64_t>(lane), operand.tensor(),
                          operand.shadow(), right);
      buffers[2 * t + 1].load(static_cast<int64_t>(lane), operand.tensor(),
                              operand.shadow(), left);
    }
  }
}

// The right element goes first only if the comparator says it is before the
// left one: so equal ones stay.
void MergeSort::advance(LaneBuffer &less) {
  size_t kept = 0;
  for (size_t lane = 0; lane < open_.size(); ++lane) {
    Merge m = open_[lane];
    bool takeRight = *less.value(static_cast<int64_t>(lane)) != std::byte{0};
    merged_[m.base + m.out++] = order_[m.base + (takeRight ? m.j++ : m.i++)];
    if (m.i < m.iEnd && m.j < m.jEnd) {
      open_[kept++] = m;
      continue;
    }
    auto rest = std::copy(order_.begin() + m.base + m.i,
                          order_.begin() + m.base + m.iEnd,
                          merged_.begin() + m.base + m.out);
    std::copy(order_.begin() + m.base + m.j, order_.begin() + m.base + m.jEnd,
              rest);
  }
  open_.resize(kept);
}

void MergeSort::permute(const Tensor &from, Tensor &to) const {
  int64_t width = to.elementType().storageBytes();
  std::byte *out = to.mutableBytes();
  for (int64_t row = 0; row < rows_.count; ++row)
    for (int64_t at = 0; at < rows_.length; ++at) {
      int64_t source =
          from.isSplat()
              ? 0
              : rows_.elementOf(row, order_[row * rows_.length + at]);
      std::memcpy(out + rows_.elementOf(row, at) * width,
                  from.bytes() + source * width, static_cast<size_t>(width));
    }
}

RegionTask
SortStep::start(StepContext &context,
                llvm::MutableArrayRef<RegionEvaluator> regions) const {
  Rows rows(types_[0].shape, dimension_);
  MergeSort order(rows);
  constexpr int64_t kLanes = 1024;
  std::vector<LaneBuffer> buffers;
  std::vector<Lanes> arguments, results;
  for (const TensorType &type : types_)
    for (int side = 0; side < 2; ++side)
      buffers.emplace_back(type.element, kLanes, context.withShadow());
  for (LaneBuffer &buffer : buffers)
    arguments.push_back(buffer.lanes());
  LaneBuffer less(ElementType::boolean(), kLanes, false);
  results.push_back(less.lanes());
  for (int64_t run = 1; run < rows.length; run *= 2) {
    order.beginPass(run);
    while (order.openUpTo(kLanes)) {
      order.load(context, buffers);
      llvm::Error error =
          co_await regions[0].evaluate(arguments, results, order.open());
      if (error)
        co_return error;
      order.advance(less);
    }
    order.endPass();
  }
  for (size_t t = 0; t < types_.size(); ++t) {
    order.permute(context.operandValue(t).tensor(),
                  context.results[t].tensor());
    if (context.withShadow() && context.operandValue(t).shadow().valid())
      order.permute(context.operandValue(t).shadow(), context.shadows[t]);
  }
  co_return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> sort(const StepSpec &spec) {
  return std::make_unique<SortStep>(spec);
}

namespace {
// Values and indices of the k largest elements of the last dimension.
class TopKStep final : public Step {
public:
  TopKStep(TensorType operand, int64_t k)
      : operand_(std::move(operand)), k_(k) {}
  bool jointShadow() const override { return true; }
  llvm::Error run(StepContext &context) const override;

private:
  TensorType operand_;
  int64_t k_;
};
} // namespace

// Integers whose order is the total order of the elements: floats by their
// bits, negative ones reversed.
static std::vector<int64_t> orderedKeys(const Tensor &tensor) {
  ElementType type = tensor.elementType();
  std::vector<int64_t> keys(static_cast<size_t>(tensor.size()));
  if (!type.isFloat()) {
    for (int64_t i = 0; i < tensor.size(); ++i)
      keys[i] = type.bits == 64 && !type.isSigned()
                    ? static_cast<int64_t>(
                          tensor.data<uint64_t>()[tensor.isSplat() ? 0 : i] ^
                          (uint64_t{1} << 63))
                    : indexAt(tensor, i);
    return keys;
  }
  std::vector<double> values(keys.size());
  Tensor dense = llvm::cantFail(tensor.dense());
  numerics::convertArray(type, dense.bytes(),
                         ElementType::floating(numerics::FloatFormat::F64),
                         values.data(), dense.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    auto bits = std::bit_cast<int64_t>(values[i]);
    keys[i] = bits < 0 ? bits ^ INT64_MAX : bits;
  }
  return keys;
}

llvm::Error TopKStep::run(StepContext &context) const {
  std::vector<int64_t> keys = orderedKeys(context.operandValue(0).tensor());
  int64_t length = operand_.shape.back(),
          width = operand_.element.storageBytes();
  int64_t rows = length == 0 ? 0 : static_cast<int64_t>(keys.size()) / length;
  llvm::Expected<Tensor> values = context.operandValue(0).tensor().dense();
  if (!values)
    return values.takeError();
  Tensor shadow = context.operandValue(0).shadow();
  std::byte *out = context.results[0].tensor().mutableBytes();
  auto *indices = context.results[1].tensor().mutableData<int32_t>();
  std::vector<int64_t> order(static_cast<size_t>(length));
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t *key = keys.data() + row * length;
    std::iota(order.begin(), order.end(), int64_t{0});
    std::partial_sort(order.begin(), order.begin() + k_, order.end(),
                      [&](int64_t a, int64_t b) {
                        return key[a] != key[b] ? key[a] > key[b] : a < b;
                      });
    for (int64_t i = 0; i < k_; ++i) {
      std::memcpy(out + (row * k_ + i) * width,
                  values->bytes() + (row * length + order[i]) * width,
                  static_cast<size_t>(width));
      if (context.withShadow() && shadow.valid()) {
        int64_t wide = shadow.elementType().storageBytes();
        std::memcpy(context.shadows[0].mutableBytes() + (row * k_ + i) * wide,
                    shadow.bytes() + (shadow.isSplat()
                                          ? 0
                                          : (row * length + order[i]) * wide),
                    static_cast<size_t>(wide));
      }
      indices[row * k_ + i] = static_cast<int32_t>(order[i]);
    }
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> topK(const StepSpec &spec) {
  int64_t k = intOf(spec.op, "k");
  if (spec.operands[0].shape.empty() || k < 0 ||
      k > spec.operands[0].shape.back())
    return makeError(ErrorCode::InvalidArgument,
                     "k = {0} does not fit the last dimension of {1}", k,
                     tensor::toString(spec.operands[0]));
  return std::make_unique<TopKStep>(spec.operands[0], k);
}

} // namespace assay::reference
