// sort. The comparator is a region. Where it is a lexicographic order of keys
// (Comparators.h), the keys of all elements are computed once and each row is
// sorted by them, the last key first. Any other comparator, or a NaN that the
// comparator does not order, is handled by a stable merge sort. It evaluates
// the comparator on many pairs at once, one pair for every unfinished merge,
// over all rows. It ends with a permutation whatever the comparator returns
// (even for NaN). The order is determined from the values and also applied to
// their shadows.
// Source: StableHLO specification, sort.
#include "assay/numerics/Dispatch.h"
#include "assay/reference/Comparators.h"
#include "assay/reference/LaneBuffer.h"
#include "assay/reference/LaneProgram.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Strided.h"

#include <algorithm>
#include <atomic>
#include <numeric>

namespace assay::reference {

using program::Lanes;
using program::RegionEvaluator;
using program::RegionTask;

namespace {

// The key of the sort: an operand, or a function of the operands.
struct SortKey {
  KeyRule rule;
  ElementType type;
  size_t operand = 0;
  std::unique_ptr<program::LaneFunction> function;
};

// The keys of all elements, narrow or wide.
struct KeyColumn {
  std::vector<uint32_t> narrow;
  std::vector<uint64_t> wide;
};

struct Rows;

class SortStep final : public Step {
public:
  explicit SortStep(const StepSpec &spec)
      : types_(spec.operands.begin(), spec.operands.end()),
        dimension_(intOf(spec.op, "dimension", -1)),
        keys_(sortKeys(spec.op->getRegion(0))) {
    if (dimension_ < 0)
      dimension_ += static_cast<int64_t>(types_[0].shape.size());
  }
  bool isRegionStep() const override { return true; }
  bool jointShadow() const override { return true; }
  RegionTask
  start(StepContext &context,
        llvm::MutableArrayRef<RegionEvaluator> regions) const override;

private:
  static std::vector<SortKey> sortKeys(mlir::Region &comparator);
  bool makeColumn(const SortKey &key, llvm::ArrayRef<Tensor> operands,
                  ThreadPool &threads, KeyColumn &column) const;
  llvm::Expected<bool> sortByKeys(StepContext &context, const Rows &rows) const;

  llvm::SmallVector<TensorType, 2> types_;
  int64_t dimension_;
  std::vector<SortKey> keys_;
};

// The positions of the sorted rows' elements in the tensor.
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
  int64_t base; // position in the order array at which the row begins
  int64_t i, iEnd, j, jEnd, out;
};

// A merge sort of all rows at once. A pass merges neighbouring runs. At most as
// many merges as there are lanes are open; each waits for one result of the
// comparator.
class MergeSort {
public:
  explicit MergeSort(const Rows &rows);
  void beginPass(int64_t run);
  // Opens waiting merges while lanes are free; false when none is open and the
  // pass is finished.
  bool openUpTo(int64_t lanes);
  void endPass() { std::swap(order_, merged_); }
  // Loads the two elements that each open merge compares into two lane buffers
  // per operand: the right one, then the left one.
  void load(StepContext &context, std::vector<LaneBuffer> &buffers) const;
  // Advances every open merge by one element.
  void advance(LaneBuffer &less);
  int64_t open() const { return static_cast<int64_t>(open_.size()); }
  // Copies an operand in the sorted order.
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

// Takes the right element only if the comparator says that it is less than the
// left one; so the sort is stable.
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

// out = from, with the elements of a row in the given order.
template <typename Index>
static void permuteRow(const Rows &rows, int64_t row, const Index *order,
                       const Tensor &from, std::byte *out) {
  int64_t width = from.elementType().storageBytes();
  numerics::dispatchStorage(width, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    auto *source = reinterpret_cast<const T *>(from.bytes());
    auto *target = reinterpret_cast<T *>(out);
    for (int64_t at = 0; at < rows.length; ++at)
      target[rows.elementOf(row, at)] =
          source[from.isSplat() ? 0 : rows.elementOf(row, order[at])];
  });
}

void MergeSort::permute(const Tensor &from, Tensor &to) const {
  std::byte *out = to.mutableBytes();
  for (int64_t row = 0; row < rows_.count; ++row)
    permuteRow(rows_, row, order_.data() + row * rows_.length, from, out);
}

std::vector<SortKey> SortStep::sortKeys(mlir::Region &comparator) {
  std::vector<SortKey> keys;
  for (const ComparedKey &compared : comparedKeys(comparator)) {
    std::optional<ElementType> type =
        program::elementTypeOf(compared.left.getType());
    if (!type || !hasKeys(*type))
      return {};
    SortKey &key = keys.emplace_back();
    key.rule = compared.rule;
    key.type = *type;
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(compared.left))
      key.operand = argument.getArgNumber() / 2;
    else if (!(key.function = compileLaneValue(comparator, compared.left)))
      return {};
  }
  return keys;
}

// Returns false for a NaN that the comparator does not order.
bool SortStep::makeColumn(const SortKey &key, llvm::ArrayRef<Tensor> operands,
                          ThreadPool &threads, KeyColumn &column) const {
  constexpr int64_t kBlock = 4096;
  int64_t total = operands[0].size();
  bool narrow = hasNarrowKeys(key.type);
  column.narrow.resize(narrow ? static_cast<size_t>(total) : 0);
  column.wide.resize(narrow ? 0 : static_cast<size_t>(total));
  std::atomic<bool> isOrdered{true};
  auto at = [&](const Tensor &tensor, int64_t i) {
    return const_cast<std::byte *>(tensor.bytes()) +
           i * tensor.elementType().storageBytes();
  };
  threads.parallelFor(total, kBlock, [&](int64_t begin, int64_t end) {
    std::vector<std::byte> made(
        key.function ? static_cast<size_t>(kBlock * key.type.storageBytes())
                     : 0);
    for (int64_t i = begin; i < end; i += kBlock) {
      int64_t count = std::min(kBlock, end - i);
      const std::byte *values = made.data();
      if (key.function) {
        std::vector<Lanes> arguments, results{{made.data(), nullptr}};
        for (const Tensor &operand : operands)
          arguments.insert(arguments.end(), 2, {at(operand, i), nullptr});
        llvm::cantFail(key.function->evaluate(arguments, results, count));
      } else {
        values = at(operands[key.operand], i);
      }
      if (narrow ? makeKeys(key.type, key.rule, values, count,
                            column.narrow.data() + i)
                 : makeKeys(key.type, key.rule, values, count,
                            column.wide.data() + i))
        isOrdered = false;
    }
  });
  return isOrdered;
}

namespace {
// Sorts a row by several keys, one after another, the least significant first.
template <typename Key> class RowSorter {
public:
  void add(const Rows &rows, int64_t row, const std::vector<Key> &keys,
           std::vector<uint32_t> &order) {
    entries_.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      entries_[i] = entryOf(keys[static_cast<size_t>(rows.elementOf(
                                row, static_cast<int64_t>(order[i])))],
                            static_cast<int64_t>(i));
    sortEntries<Key>(entries_, scratch_);
    before_ = order;
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = before_[static_cast<size_t>(placeOf(entries_[i]))];
  }

private:
  std::vector<Entry<Key>> entries_, scratch_;
  std::vector<uint32_t> before_;
};
} // namespace

// Returns false if the comparator is needed after all.
llvm::Expected<bool> SortStep::sortByKeys(StepContext &context,
                                          const Rows &rows) const {
  if (keys_.empty() || rows.length >= kMostPlaces || rows.total == 0)
    return false;
  std::vector<Tensor> operands;
  for (size_t t = 0; t < types_.size(); ++t) {
    llvm::Expected<Tensor> dense = context.operandValue(t).tensor().dense();
    if (!dense)
      return dense.takeError();
    operands.push_back(std::move(*dense));
  }
  std::vector<KeyColumn> columns(keys_.size());
  for (size_t k = 0; k < keys_.size(); ++k)
    if (!makeColumn(keys_[k], operands, context.run.threads, columns[k]))
      return false;
  std::vector<std::pair<Tensor, std::byte *>> moved;
  for (size_t t = 0; t < types_.size(); ++t) {
    const Tensor &shadow = context.operandValue(t).shadow();
    moved.emplace_back(operands[t], context.results[t].tensor().mutableBytes());
    if (context.withShadow() && shadow.valid())
      moved.emplace_back(shadow, context.shadows[t].mutableBytes());
  }
  context.run.threads.parallelFor(
      rows.count, std::max<int64_t>(1, 16384 / rows.length),
      [&](int64_t begin, int64_t end) {
        RowSorter<uint32_t> narrow;
        RowSorter<uint64_t> wide;
        std::vector<uint32_t> order(static_cast<size_t>(rows.length));
        for (int64_t row = begin; row < end; ++row) {
          std::iota(order.begin(), order.end(), uint32_t{0});
          for (const KeyColumn &column : llvm::reverse(columns))
            column.wide.empty() ? narrow.add(rows, row, column.narrow, order)
                                : wide.add(rows, row, column.wide, order);
          for (auto &[from, to] : moved)
            permuteRow(rows, row, order.data(), from, to);
        }
      });
  return true;
}

RegionTask
SortStep::start(StepContext &context,
                llvm::MutableArrayRef<RegionEvaluator> regions) const {
  Rows rows(types_[0].shape, dimension_);
  llvm::Expected<bool> done = sortByKeys(context, rows);
  if (!done || *done)
    co_return done.takeError();
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

} // namespace assay::reference
