// ragged_dot: products of groups. A list of sizes splits one dimension of lhs
// into groups. It is a dimension of rows (each group has its own matrix of
// rhs), a contracted dimension (each group has its own product), or a batch
// dimension. Rows and products outside of all groups are 0. Source: CHLO,
// ragged_dot (jax.lax.ragged_dot_general).
#include "assay/dialect/Chlo.h"
#include "assay/reference/DotOperands.h"
#include "assay/reference/Indices.h"

#include <algorithm>
#include <cstring>

namespace assay::reference {

namespace {
/// Rows of lhs in groups; each is multiplied with the matrix of rhs of its
/// group.
struct RaggedRows {
  OperandView lhs, rhs; ///< rhs: its batch dimensions, then one matrix per
                        ///< group
  int64_t groups;
  int64_t ragged;   ///< size of the dimension that is split into groups
  int64_t inner;    ///< consecutive rows of lhs that are in the same group
  bool sizesForAll; ///< one list of sizes, not one for each batch

  /// The group of row `i` of a batch, or -1 for a row after the last group.
  int64_t groupOf(const Tensor &sizes, int64_t batch, int64_t i) const {
    int64_t outer = lhs.free / std::max<int64_t>(1, inner * ragged),
            list = sizesForAll ? 0 : batch * outer + i / (inner * ragged),
            row = i / inner % ragged;
    for (int64_t g = 0; g < groups; ++g) {
      row -= indexAt(sizes, list * groups + g);
      if (row < 0)
        return g;
    }
    return -1;
  }
};
} // namespace

static llvm::Error runRaggedRows(const RaggedRows &rows,
                                 const Contraction &contraction,
                                 StepContext &context) {
  ElementType compute = contraction.computeType();
  llvm::Expected<Arranged> both =
      arrangeBoth(context, rows.lhs, rows.rhs, compute);
  if (!both)
    return both.takeError();
  const Tensor &sizes = context.operandValue(2).tensor();
  int64_t m = rows.lhs.free, n = rows.rhs.free, k = rows.lhs.contracted,
          wide = compute.storageBytes(),
          width = context.out(0).elementType().storageBytes();
  std::byte *out = context.out(0).mutableBytes();
  context.run.threads.parallelFor(
      rows.lhs.batch * m, 16, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          int64_t batch = row / m, group = rows.groupOf(sizes, batch, row % m);
          if (group < 0) // the row belongs to no group
            std::memset(out + row * n * width, 0,
                        static_cast<size_t>(n * width));
          else
            contraction.multiply(both->lhs.bytes() + row * k * wide,
                                 both->rhs.bytes() +
                                     (batch * rows.groups + group) * n * k *
                                         wide,
                                 out + row * n * width, 1, n, k, n);
        }
      });
  return llvm::Error::success();
}

namespace {
/// Sums over the contracted elements of each group: one product per group.
struct RaggedSums {
  OperandView lhs, rhs;
  int64_t groups;
  int64_t ragged;       ///< size of the dimension that is split into groups
  int64_t outer, inner; ///< contracted elements before and after it
  bool sizesForAll;

  /// The ranges of the group's elements among the contracted ones of a batch.
  std::vector<std::pair<int64_t, int64_t>>
  rangesOf(const Tensor &sizes, int64_t batch, int64_t group) const {
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (int64_t o = 0; o < outer; ++o) {
      int64_t list = sizesForAll ? 0 : batch * outer + o, begin = 0;
      for (int64_t g = 0; g < group; ++g)
        begin += indexAt(sizes, list * groups + g);
      int64_t end = begin + indexAt(sizes, list * groups + group);
      begin = std::clamp<int64_t>(begin, 0, ragged);
      end = std::clamp<int64_t>(end, begin, ragged);
      ranges.push_back(
          {(o * ragged + begin) * inner, (o * ragged + end) * inner});
    }
    return ranges;
  }
};
} // namespace

/// Copies these ranges of each of `count` rows of k, one after another.
static std::vector<std::byte>
pack(const std::byte *rows, int64_t count, int64_t k, int64_t width,
     llvm::ArrayRef<std::pair<int64_t, int64_t>> ranges) {
  std::vector<std::byte> packed;
  for (int64_t row = 0; row < count; ++row)
    for (auto [begin, end] : ranges)
      packed.insert(packed.end(), rows + (row * k + begin) * width,
                    rows + (row * k + end) * width);
  return packed;
}

static llvm::Error runRaggedSums(const RaggedSums &sums,
                                 const Contraction &contraction,
                                 StepContext &context) {
  ElementType compute = contraction.computeType();
  llvm::Expected<Arranged> both =
      arrangeBoth(context, sums.lhs, sums.rhs, compute);
  if (!both)
    return both.takeError();
  const Tensor &sizes = context.operandValue(2).tensor();
  int64_t m = sums.lhs.free, n = sums.rhs.free, k = sums.lhs.contracted,
          batches = sums.lhs.batch, wide = compute.storageBytes(),
          width = context.out(0).elementType().storageBytes();
  std::byte *out = context.out(0).mutableBytes();
  context.run.threads.parallelFor(
      sums.groups * batches, 1, [&](int64_t begin, int64_t end) {
        for (int64_t at = begin; at < end; ++at) {
          int64_t batch = at % batches;
          auto ranges = sums.rangesOf(sizes, batch, at / batches);
          int64_t length = 0;
          for (auto [first, last] : ranges)
            length += last - first;
          auto rows = pack(both->lhs.bytes() + batch * m * k * wide, m, k, wide,
                           ranges),
               columns = pack(both->rhs.bytes() + batch * n * k * wide, n, k,
                              wide, ranges);
          contraction.multiply(rows.data(), columns.data(),
                               out + at * m * n * width, m, n, length, n);
        }
      });
  return llvm::Error::success();
}

static RaggedSums raggedSumsOf(const StepSpec &spec,
                               chlo::RaggedDotDimensionNumbersAttr dims) {
  const TensorType &lhs = spec.operands[0];
  int64_t ragged = dims.getLhsRaggedDimensions()[0];
  RaggedSums sums{viewOf(lhs, dims.getLhsBatchingDimensions(),
                         dims.getLhsContractingDimensions()),
                  viewOf(spec.operands[1], dims.getRhsBatchingDimensions(),
                         dims.getRhsContractingDimensions()),
                  spec.operands[2].shape.back(),
                  lhs.shape[ragged],
                  1,
                  1,
                  spec.operands[2].shape.size() == 1};
  bool behind = false;
  for (int64_t dim : dims.getLhsContractingDimensions())
    if (dim == ragged)
      behind = true;
    else
      (behind ? sums.inner : sums.outer) *= lhs.shape[dim];
  return sums;
}

static RaggedRows raggedRowsOf(const StepSpec &spec,
                               chlo::RaggedDotDimensionNumbersAttr dims) {
  const TensorType &lhs = spec.operands[0], &rhs = spec.operands[1];
  int64_t ragged = dims.getLhsRaggedDimensions()[0];
  Shape rhsBatch(dims.getRhsBatchingDimensions());
  rhsBatch.push_back(dims.getRhsGroupDimensions()[0]);
  RaggedRows rows{viewOf(lhs, dims.getLhsBatchingDimensions(),
                         dims.getLhsContractingDimensions()),
                  viewOf(rhs, rhsBatch, dims.getRhsContractingDimensions()),
                  rhs.shape[rhsBatch.back()],
                  lhs.shape[ragged],
                  1,
                  spec.operands[2].shape.size() == 1};
  for (auto d = static_cast<size_t>(ragged) + 1; d < lhs.shape.size(); ++d)
    if (!llvm::is_contained(dims.getLhsBatchingDimensions(), d) &&
        !llvm::is_contained(dims.getLhsContractingDimensions(), d))
      rows.inner *= lhs.shape[d];
  return rows;
}

// The ragged dimension is one of the rows of lhs, of its contracted dimensions,
// or of its batches. Groups of batches do not change the product.
llvm::Expected<std::unique_ptr<Step>> raggedDot(const StepSpec &spec) {
  chlo::RaggedDotDimensionNumbersAttr dims =
      mlir::cast<chlo::RaggedDotOp>(spec.op).getRaggedDotDimensionNumbers();
  int64_t ragged = dims.getLhsRaggedDimensions()[0];
  if (llvm::is_contained(dims.getLhsBatchingDimensions(), ragged))
    return makeDot(
        spec, dims.getLhsBatchingDimensions(), dims.getRhsBatchingDimensions(),
        dims.getLhsContractingDimensions(), dims.getRhsContractingDimensions());
  llvm::Expected<Contraction> contraction = Contraction::make(
      spec.operands[0].element, spec.operands[1].element,
      spec.results[0].element, spec.numeric.accumulatePerStep, spec.shadow);
  if (!contraction)
    return contraction.takeError();
  if (llvm::is_contained(dims.getLhsContractingDimensions(), ragged))
    return program::makeStep(
        [sums = raggedSumsOf(spec, dims),
         contraction = *contraction](StepContext &context) {
          return runRaggedSums(sums, contraction, context);
        });
  return program::makeStep([rows = raggedRowsOf(spec, dims),
                            contraction = *contraction](StepContext &context) {
    return runRaggedRows(rows, contraction, context);
  });
}

} // namespace assay::reference
