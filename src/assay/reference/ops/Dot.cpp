// dot_general and dot: both operands are brought to [batch, free, contracted]
// in the contraction's compute type, then every result row is a row of sums of
// products.
// Formula:  result[b, i, j] = sum_k lhs[b, i, k] * rhs[b, j, k]
// Source:   StableHLO specification, dot_general; the order of the result's
//           dimensions is dot_general_c11.
#include "assay/dialect/Stablehlo.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/reference/DotAlgorithm.h"
#include "assay/reference/DotOperands.h"
#include "assay/reference/Ops.h"

#include <cmath>
#include <cstring>

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
    // Rows of all batches, split into blocks; a block never crosses a batch.
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

/// Splits one operand, [batch, free, contracted] in the compute type, into
/// components.
static llvm::Expected<Tensor> splitOperand(StepContext &context,
                                           const Tensor &operand,
                                           const FactorFormat &format,
                                           llvm::ArrayRef<int> which) {
  ElementType compute = operand.elementType(),
              wide = ElementType::floating(numerics::FloatFormat::F64);
  std::vector<double> values(static_cast<size_t>(operand.size()));
  numerics::convertArray(compute, operand.bytes(), wide, values.data(),
                         operand.size());
  int64_t width = operand.shape().back();
  std::vector<double> parts = componentsOf(format, values, width, which);
  Shape shape(operand.shape().begin(), operand.shape().end());
  shape.back() *= static_cast<int64_t>(which.size());
  llvm::Expected<Tensor> result = context.allocate({compute, shape});
  if (result)
    numerics::convertArray(wide, parts.data(), compute, result->mutableBytes(),
                           result->size());
  return result;
}

namespace {
/// A product by an algorithm: the products of its components as one long sum in
/// f64 (like Contraction's), rounded to the type in which it requests sums to
/// be kept, then to the result's type. A shadow is not rounded at all.
struct AlgorithmDot {
  DotAlgorithm algorithm;
  Contraction contraction;
  ElementType sums;
  OperandView lhs, rhs;

  llvm::Error run(StepContext &context) const;
  llvm::Expected<Tensor> multiply(StepContext &context, const Arranged &both,
                                  size_t products) const;
};
} // namespace

llvm::Expected<Tensor> AlgorithmDot::multiply(StepContext &context,
                                              const Arranged &both,
                                              size_t products) const {
  llvm::SmallVector<int> left, right;
  for (auto [a, b] : algorithm.pairs().take_front(products)) {
    left.push_back(a);
    right.push_back(b);
  }
  llvm::Expected<Tensor> a =
      splitOperand(context, both.lhs, algorithm.lhs, left);
  if (!a)
    return a;
  llvm::Expected<Tensor> b =
      splitOperand(context, both.rhs, algorithm.rhs, right);
  if (!b)
    return b;
  llvm::Expected<Tensor> out =
      context.allocate({sums, {lhs.batch, lhs.free, rhs.free}});
  if (!out)
    return out;
  int64_t m = lhs.free, n = rhs.free,
          k = lhs.contracted * static_cast<int64_t>(products),
          wide = contraction.computeType().storageBytes();
  std::byte *rows = out->mutableBytes();
  context.run.threads.parallelFor(
      lhs.batch * m, 16, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row)
          contraction.multiply(
              a->bytes() + row * k * wide, b->bytes() + row / m * n * k * wide,
              rows + row * n * sums.storageBytes(), 1, n, k, n);
      });
  return out;
}

llvm::Error AlgorithmDot::run(StepContext &context) const {
  llvm::Expected<Arranged> both =
      arrangeBoth(context, lhs, rhs, contraction.computeType());
  if (!both)
    return both.takeError();
  auto products = static_cast<size_t>(algorithm.products);
  llvm::Expected<Tensor> made = multiply(context, *both, products);
  if (!made)
    return made.takeError();
  if (products > 1) { // infinities and NaN are those of the first product
    llvm::Expected<Tensor> first = multiply(context, *both, 1);
    if (!first)
      return first.takeError();
    int64_t width = sums.storageBytes();
    for (int64_t i = 0; i < made->size(); ++i) {
      double value = 0;
      numerics::toDoubles(sums, first->bytes() + i * width, &value, 1);
      if (!std::isfinite(value))
        std::memcpy(made->mutableBytes() + i * width,
                    first->bytes() + i * width, static_cast<size_t>(width));
    }
  }
  Tensor &out = context.out(0);
  numerics::convertArray(sums, made->bytes(), out.elementType(),
                         out.mutableBytes(), out.size());
  return llvm::Error::success();
}

static llvm::Expected<std::unique_ptr<Step>>
makeAlgorithmDot(const StepSpec &spec, const DotAlgorithm &algorithm) {
  auto dims =
      mlir::cast<stablehlo::DotGeneralOp>(spec.op).getDotDimensionNumbers();
  ElementType result = spec.results[0].element;
  bool isNarrower =
      numerics::formatInfo(algorithm.accumulation.format).precision() <
      numerics::formatInfo(result.format).precision();
  ElementType sums =
      spec.shadow || !isNarrower ? result : algorithm.accumulation;
  llvm::Expected<Contraction> contraction =
      Contraction::make(spec.operands[0].element, spec.operands[1].element,
                        sums, spec.numeric.accumulatePerStep, spec.shadow);
  if (!contraction)
    return contraction.takeError();
  AlgorithmDot dot{algorithm, *contraction, sums,
                   viewOf(spec.operands[0], dims.getLhsBatchingDimensions(),
                          dims.getLhsContractingDimensions()),
                   viewOf(spec.operands[1], dims.getRhsBatchingDimensions(),
                          dims.getRhsContractingDimensions())};
  return program::makeStep(
      [dot](StepContext &context) { return dot.run(context); });
}

llvm::Expected<std::unique_ptr<Step>> dotGeneral(const StepSpec &spec) {
  llvm::Expected<std::optional<DotAlgorithm>> algorithm = dotAlgorithm(spec.op);
  if (!algorithm)
    return algorithm.takeError();
  if (*algorithm)
    return makeAlgorithmDot(spec, **algorithm);
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
