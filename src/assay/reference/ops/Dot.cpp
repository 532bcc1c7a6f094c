// dot_general and dot: both operands are brought to [batch, free, contracted]
// in the contraction's compute type, then every result row is a row of sums of
// products. Formula:  result[b, i, j] = sum_k lhs[b, i, k] * rhs[b, j, k]
// Source:   StableHLO specification, dot_general; the order of the result's
// dimensions is dot_general_c11.
#include "assay/dialect/Stablehlo.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/Contraction.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Strided.h"

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

} // namespace assay::reference
