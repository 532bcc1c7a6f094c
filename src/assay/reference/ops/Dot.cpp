// dot_general and dot: both operands are brought to [batch, free, contracted]
// in the contraction's compute type, then every result row is a row of sums of
// products. Formula:  result[b, i, j] = sum_k lhs[b, i, k] * rhs[b, j, k]
// Source:   StableHLO specification, dot_general; the order of the result's
// dimensions is dot_general_c11.
#include "assay/dialect/Chlo.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/Contraction.h"
#include "assay/reference/Indices.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Strided.h"

#include <cstring>

namespace assay::reference {

namespace {
// How one operand is read: its dimensions in the order batch, free, contracted.
struct OperandView {
  Shape shape, strides;
  int64_t batch = 1, free = 1, contracted = 1;
};
} // namespace

static OperandView viewOf(const TensorType &type, llvm::ArrayRef<int64_t> batch,
                          llvm::ArrayRef<int64_t> contracted) {
  OperandView view;
  Shape strides = tensor::rowMajorStrides(type.shape);
  auto add = [&](int64_t d, int64_t &count) {
    view.shape.push_back(type.shape[d]);
    view.strides.push_back(strides[d]);
    count *= type.shape[d];
  };
  for (int64_t d : batch)
    add(d, view.batch);
  for (int64_t d = 0; d < static_cast<int64_t>(type.shape.size()); ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracted, d))
      add(d, view.free);
  for (int64_t d : contracted)
    add(d, view.contracted);
  return view;
}

static llvm::Expected<Tensor> arrange(StepContext &context,
                                      const Tensor &operand,
                                      const OperandView &view,
                                      numerics::ElementType compute) {
  int64_t width = operand.elementType().storageBytes();
  Shape shape{view.batch, view.free, view.contracted};
  Tensor packed = operand;
  bool inOrder = view.strides == tensor::rowMajorStrides(view.shape);
  if (operand.isSplat() || !inOrder) {
    llvm::Expected<Tensor> copy =
        context.allocate({operand.elementType(), shape});
    if (!copy)
      return copy;
    copyStrided(width, view.shape, operand.bytes(),
                operand.isSplat() ? Shape(view.shape.size(), 0) : view.strides,
                copy->mutableBytes(), tensor::rowMajorStrides(view.shape),
                &context.run.threads);
    packed = std::move(*copy);
  }
  if (packed.elementType() == compute)
    return packed;
  llvm::Expected<Tensor> result = context.allocate({compute, shape});
  if (!result)
    return result;
  std::byte *out = result->mutableBytes();
  context.run.threads.parallelFor(
      packed.size(), 1 << 15, [&](int64_t begin, int64_t end) {
        numerics::convertArray(
            packed.elementType(), packed.bytes() + begin * width, compute,
            out + begin * compute.storageBytes(), end - begin);
      });
  return result;
}

static llvm::Expected<std::unique_ptr<Step>>
makeDot(const StepSpec &spec, llvm::ArrayRef<int64_t> lhsBatch,
        llvm::ArrayRef<int64_t> rhsBatch, llvm::ArrayRef<int64_t> lhsContracted,
        llvm::ArrayRef<int64_t> rhsContracted) {
  const TensorType &result = spec.results[0];
  llvm::Expected<Contraction> contraction = Contraction::make(
      spec.operands[0].element, spec.operands[1].element, result.element,
      spec.numeric.accumulatePerStep, spec.shadow);
  if (!contraction)
    return contraction.takeError();
  OperandView lhs = viewOf(spec.operands[0], lhsBatch, lhsContracted);
  OperandView rhs = viewOf(spec.operands[1], rhsBatch, rhsContracted);
  return program::makeStep([=, contraction = *contraction,
                            width = result.element.storageBytes()](
                               StepContext &context) -> llvm::Error {
    ElementType compute = contraction.computeType();
    llvm::Expected<Tensor> a =
        arrange(context, context.operand(0), lhs, compute);
    if (!a)
      return a.takeError();
    llvm::Expected<Tensor> b =
        arrange(context, context.operand(1), rhs, compute);
    if (!b)
      return b.takeError();
    int64_t m = lhs.free, n = rhs.free, k = lhs.contracted,
            wide = compute.storageBytes();
    std::byte *out = context.out(0).mutableBytes();
    // Rows of all batches, cut into blocks; a block never crosses a batch.
    int64_t rowsPerBlock = std::max<int64_t>(
        2, std::min<int64_t>(m, (1 << 17) / std::max<int64_t>(1, n)));
    int64_t blocksPerBatch = m == 0 ? 0 : (m + rowsPerBlock - 1) / rowsPerBlock;
    context.run.threads.parallelFor(
        lhs.batch * blocksPerBatch, 1, [&](int64_t begin, int64_t end) {
          for (int64_t block = begin; block < end; ++block) {
            int64_t batch = block / blocksPerBatch,
                    row = block % blocksPerBatch * rowsPerBlock;
            int64_t rows = std::min(rowsPerBlock, m - row);
            contraction.multiply(a->bytes() + (batch * m + row) * k * wide,
                                 b->bytes() + batch * n * k * wide,
                                 out + (batch * m + row) * n * width, rows, n,
                                 k, n);
          }
        });
    return llvm::Error::success();
  });
}

llvm::Expected<std::unique_ptr<Step>> dotGeneral(const StepSpec &spec) {
  auto dims =
      mlir::cast<stablehlo::DotGeneralOp>(spec.op).getDotDimensionNumbers();
  return makeDot(
      spec, dims.getLhsBatchingDimensions(), dims.getRhsBatchingDimensions(),
      dims.getLhsContractingDimensions(), dims.getRhsContractingDimensions());
}

// dot contracts the last dimension of lhs with the first of rhs.
llvm::Expected<std::unique_ptr<Step>> dot(const StepSpec &spec) {
  int64_t last = static_cast<int64_t>(spec.operands[0].shape.size()) - 1;
  return makeDot(spec, {}, {}, {last}, {0});
}

namespace {
/// Rows of lhs in groups, each times the matrix of rhs that its group names.
struct RaggedRows {
  OperandView lhs, rhs; ///< rhs: its batches, then a matrix for each group
  int64_t groups;
  int64_t ragged;   ///< how many rows the groups share
  int64_t inner;    ///< rows of lhs behind one another in the same group
  bool sizesForAll; ///< one list of sizes, not one for each batch

  /// The group of row `i` of a batch, or -1 behind the last one.
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

static llvm::Error runRagged(const RaggedRows &rows,
                             const Contraction &contraction,
                             StepContext &context) {
  ElementType compute = contraction.computeType();
  llvm::Expected<Tensor> a =
      arrange(context, context.operand(0), rows.lhs, compute);
  if (!a)
    return a.takeError();
  llvm::Expected<Tensor> b =
      arrange(context, context.operand(1), rows.rhs, compute);
  if (!b)
    return b.takeError();
  const Tensor &sizes = context.operandValue(2).tensor();
  int64_t m = rows.lhs.free, n = rows.rhs.free, k = rows.lhs.contracted,
          wide = compute.storageBytes(),
          width = context.out(0).elementType().storageBytes();
  std::byte *out = context.out(0).mutableBytes();
  context.run.threads.parallelFor(
      rows.lhs.batch * m, 16, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          int64_t batch = row / m, group = rows.groupOf(sizes, batch, row % m);
          if (group < 0) // rows that no group has
            std::memset(out + row * n * width, 0,
                        static_cast<size_t>(n * width));
          else
            contraction.multiply(a->bytes() + row * k * wide,
                                 b->bytes() + (batch * rows.groups + group) *
                                                  n * k * wide,
                                 out + row * n * width, 1, n, k, n);
        }
      });
  return llvm::Error::success();
}

// A ragged dimension among the rows of lhs; ragged batches and ragged sums are
// refused.
llvm::Expected<std::unique_ptr<Step>> raggedDot(const StepSpec &spec) {
  chlo::RaggedDotDimensionNumbersAttr dims =
      mlir::cast<chlo::RaggedDotOp>(spec.op).getRaggedDotDimensionNumbers();
  int64_t ragged = dims.getLhsRaggedDimensions()[0];
  if (dims.getRhsGroupDimensions().empty())
    return makeError(ErrorCode::Unsupported,
                     "groups of batches or of summed elements are not run; "
                     "groups of rows are");
  const TensorType &lhs = spec.operands[0], &rhs = spec.operands[1];
  llvm::Expected<Contraction> contraction =
      Contraction::make(lhs.element, rhs.element, spec.results[0].element,
                        spec.numeric.accumulatePerStep, spec.shadow);
  if (!contraction)
    return contraction.takeError();
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
  return program::makeStep(
      [rows, contraction = *contraction](StepContext &context) {
        return runRagged(rows, contraction, context);
      });
}

} // namespace assay::reference
