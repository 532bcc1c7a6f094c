// dot_general and dot: both operands are brought to [batch, free, contracted]
// in the contraction's compute type, then every result row is a row of sums of
// products. Formula:  result[b, i, j] = sum_k lhs[b, i, k] * rhs[b, j, k]
// Source:   StableHLO specification, dot_general; the order of the result's
// dimensions is dot_general_c11.
#include "assay/dialect/Stablehlo.h"
#include "assay/reference/DotOperands.h"
#include "assay/reference/Ops.h"

namespace assay::reference {

llvm::Expected<std::unique_ptr<Step>>
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
    llvm::Expected<Arranged> both = arrangeBoth(context, lhs, rhs, compute);
    if (!both)
      return both.takeError();
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
            contraction.multiply(
                both->lhs.bytes() + (batch * m + row) * k * wide,
                both->rhs.bytes() + batch * n * k * wide,
                out + (batch * m + row) * n * width, rows, n, k, n);
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
