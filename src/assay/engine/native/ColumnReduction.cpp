// reduce of f32 over adjacent dimensions that are not the last ones: the mean
// of an image whose channels come last, the sum over a batch. Rows of the
// dimensions after the reduced ones are added (in f64, rounded once) or
// compared, some hundred columns at a time. Parts of rows and columns are
// divided among threads, by size alone, so that the result does not depend on
// the number of threads.
#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/RowLoops.h"
#include "assay/engine/native/Steps.h"
#include "assay/reference/Attributes.h"
#include "assay/reference/LaneProgram.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace assay::engine {

using tensor::Shape;

namespace {
/// Sums in parts: the number of parts, the distance from one to the next, the
/// number of columns.
struct Pieces {
  int64_t count, step, width;
};

class ColumnReduction final : public Step {
public:
  ColumnReduction(Fold fold, int64_t outer, int64_t rows, int64_t columns)
      : fold_(fold), outer_(outer), rows_(rows), columns_(columns) {}
  llvm::Error run(StepContext &context) const override;

private:
  /// Columns [first, first + width) of rows [begin, end): their sums or
  /// extremes.
  struct Part {
    const float *from;
    int64_t begin, end, width;
  };
  void sum(const Part &part, double *sums) const;
  void extreme(const Part &part, float *best) const;
  void joinExtremes(const float *parts, Pieces pieces, float init, float *out) const;

  Fold fold_;
  int64_t outer_, rows_, columns_;
};
} // namespace

static constexpr int64_t kColumns = 256; ///< in a part
/// The elements of all columns in the rows of a part: a thread has probably
/// written the adjacent rows that it reads here.
static constexpr int64_t kElements = 32768, kFewestRows = 8, kMostRows = 4096;

void ColumnReduction::sum(const Part &part, double *sums) const {
  // The sums of other threads are adjacent; a cache line that two threads write
  // would move between them.
  std::array<double, kColumns> mine{};
  addRows(part.from + part.begin * columns_, columns_, part.end - part.begin,
          part.width, mine.data());
  std::copy_n(mine.begin(), part.width, sums);
}

void ColumnReduction::extreme(const Part &part, float *best) const {
  std::array<float, kColumns> mine;
  std::memcpy(mine.data(), part.from + part.begin * columns_,
              static_cast<size_t>(part.width) * sizeof(float));
  for (int64_t row = part.begin + 1; row < part.end; ++row)
    (fold_ == Fold::Greatest ? maximumRow : minimumRow)(
        part.from + row * columns_, part.width, mine.data());
  std::copy_n(mine.begin(), part.width, best);
}

/// Adds the sums of all pieces of rows; `step` numbers separate one piece from
/// the next.
static void joinSums(const double *parts, Pieces pieces, float init, float *out) {
  std::array<double, kColumns> total;
  total.fill(init);
  for (int64_t piece = 0; piece < pieces.count; ++piece)
    for (int64_t c = 0; c < pieces.width; ++c)
      total[static_cast<size_t>(c)] += parts[piece * pieces.step + c];
  std::copy_n(total.begin(), pieces.width, out);
}

void ColumnReduction::joinExtremes(const float *parts, Pieces pieces, float init,
                                   float *out) const {
  std::fill_n(out, pieces.width, init);
  for (int64_t piece = 0; piece < pieces.count; ++piece)
    (fold_ == Fold::Greatest ? maximumRow : minimumRow)(
        parts + piece * pieces.step, pieces.width, out);
}

llvm::Error ColumnReduction::run(StepContext &context) const {
  ++context.run.engineSteps;
  llvm::Expected<Tensor> operand = context.dense(0);
  if (!operand)
    return operand.takeError();
  const auto *in = reinterpret_cast<const float *>(operand->bytes());
  auto *out = reinterpret_cast<float *>(context.out(0).mutableBytes());
  float init;
  std::memcpy(&init, context.operand(1).bytes(), sizeof init);
  int64_t each = std::clamp(kElements / columns_, kFewestRows, kMostRows),
          strips = ceilDiv(columns_, kColumns), pieces = ceilDiv(rows_, each),
          count = outer_ * strips * pieces;
  bool sums = fold_ == Fold::Sum;
  std::vector<double> parts(static_cast<size_t>(sums ? count * kColumns : 0));
  std::vector<float> bests(static_cast<size_t>(sums ? 0 : count * kColumns));
  int64_t work = std::min(rows_, each) * std::min(columns_, kColumns);
  context.run.threads.parallelFor(
      count, std::max<int64_t>(1, kElements / work),
      [&](int64_t begin, int64_t end) {
        for (int64_t index = begin; index < end; ++index) {
          int64_t strip = index % strips,
                  at = index / strips / pieces * rows_ * columns_ +
                       strip * kColumns,
                  row = index / strips % pieces * each;
          Part part{in + at, row, std::min(rows_, row + each),
                    std::min(kColumns, columns_ - strip * kColumns)};
          if (sums)
            sum(part, parts.data() + index * kColumns);
          else
            extreme(part, bests.data() + index * kColumns);
        }
      });
  for (int64_t o = 0; o < outer_; ++o)
    for (int64_t strip = 0; strip < strips; ++strip) {
      int64_t first = (o * pieces * strips + strip) * kColumns,
              at = o * columns_ + strip * kColumns,
              width = std::min(kColumns, columns_ - strip * kColumns);
      if (sums)
        joinSums(parts.data() + first, {pieces, strips * kColumns, width}, init,
                 out + at);
      else
        joinExtremes(bests.data() + first, {pieces, strips * kColumns, width}, init,
                     out + at);
    }
  return llvm::Error::success();
}

std::unique_ptr<Step> makeColumnReductionStep(const StepSpec &spec) {
  if (!mlir::isa<stablehlo::ReduceOp>(spec.op) || spec.operands.size() != 2 ||
      spec.results.size() != 1)
    return nullptr;
  auto isF32 = [](const TensorType &type) {
    return type.element.isFloat() && type.element.bits == 32;
  };
  if (!isF32(spec.operands[0]) || !isF32(spec.operands[1]) ||
      !isF32(spec.results[0]))
    return nullptr;
  mlir::Operation *single =
      reference::singleBinaryOperation(spec.op->getRegion(0));
  std::optional<Fold> fold =
      single ? foldOf(single->getName().getStringRef()) : std::nullopt;
  if (!fold)
    return nullptr;
  reference::Ints dims = reference::intsOf(spec.op, "dimensions");
  const Shape &shape = spec.operands[0].shape;
  // outer, reduced, inner: each a run of dimensions, apart from those of size
  // 1.
  int64_t sizes[3] = {1, 1, 1};
  int at = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    bool reduced = llvm::is_contained(dims, static_cast<int64_t>(d));
    if (shape[d] == 1)
      continue;
    if (reduced && at == 2)
      return nullptr;
    if (reduced)
      at = 1;
    else if (at == 1)
      at = 2;
    sizes[at] *= shape[d];
  }
  constexpr int64_t kFewestColumns = 4;
  if (at != 2 || sizes[2] < kFewestColumns || llvm::is_contained(shape, 0))
    return nullptr;
  return std::make_unique<ColumnReduction>(*fold, sizes[0], sizes[1], sizes[2]);
}

} // namespace assay::engine
