// convolution: for every output position the window of the (padded, dilated) input is gathered into a row of
// [kernel positions x input features], and the rows times the kernel matrix are sums of products, group by group.
// Formula:  out[n, p, o] = sum_{q, i} in[n, p * stride + q * rhs_dilation - pad_low, i] * kernel[q, i, o]
//           where the input is dilated by lhs_dilation (zeros between), and zero outside
// Source:   StableHLO specification, convolution (feature groups, batch groups, window reversal).
#include "assay/dialect/Stablehlo.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/Contraction.h"
#include "assay/reference/Indices.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Strided.h"

#include <algorithm>
#include <cstring>

namespace assay::reference {

namespace {
struct Convolution {
  int64_t batch, features, outFeatures;       // input batch, input features, output features
  int64_t featureGroups, batchGroups;
  Shape in, kernel, out;                      // spatial sizes
  Ints strides, low, lhsDilation, rhsDilation, reversal;
  Shape lhsPermutation, rhsPermutation, outStrides; // operands as [batch, spatial, feature], [outFeature, spatial, in]
  int64_t groups() const { return std::max(featureGroups, batchGroups); }
};
} // namespace

template <typename Op> static Convolution decode(Op op, const StepSpec &spec) {
  auto dims = op.getDimensionNumbers();
  const TensorType &lhs = spec.operands[0], &rhs = spec.operands[1], &result = spec.results[0];
  Convolution c;
  int64_t rank = static_cast<int64_t>(dims.getInputSpatialDimensions().size());
  c.batch = lhs.shape[dims.getInputBatchDimension()];
  c.features = lhs.shape[dims.getInputFeatureDimension()];
  c.outFeatures = rhs.shape[dims.getKernelOutputFeatureDimension()];
  c.featureGroups = intOf(op, "feature_group_count", 1);
  c.batchGroups = intOf(op, "batch_group_count", 1);
  c.strides = intsOf(op, "window_strides", rank, 1);
  c.lhsDilation = intsOf(op, "lhs_dilation", rank, 1);
  c.rhsDilation = intsOf(op, "rhs_dilation", rank, 1);
  c.reversal = intsOf(op, "window_reversal", rank, 0);
  Ints padding = intsOf(op, "padding", 2 * rank, 0);
  for (int64_t d = 0; d < rank; ++d)
    c.low.push_back(padding[2 * d]);
  c.lhsPermutation.push_back(dims.getInputBatchDimension());
  c.rhsPermutation.push_back(dims.getKernelOutputFeatureDimension());
  Shape outStrides = tensor::rowMajorStrides(result.shape);
  c.outStrides.push_back(outStrides[dims.getOutputBatchDimension()]);
  for (int64_t d = 0; d < rank; ++d) {
    c.in.push_back(lhs.shape[dims.getInputSpatialDimensions()[d]]);
    c.kernel.push_back(rhs.shape[dims.getKernelSpatialDimensions()[d]]);
    c.out.push_back(result.shape[dims.getOutputSpatialDimensions()[d]]);
    c.lhsPermutation.push_back(dims.getInputSpatialDimensions()[d]);
    c.rhsPermutation.push_back(dims.getKernelSpatialDimensions()[d]);
    c.outStrides.push_back(outStrides[dims.getOutputSpatialDimensions()[d]]);
  }
  c.lhsPermutation.push_back(dims.getInputFeatureDimension());
  c.rhsPermutation.push_back(dims.getKernelInputFeatureDimension());
  c.outStrides.push_back(outStrides[dims.getOutputFeatureDimension()]);
  return c;
}

// The operand transposed and converted to the compute type.
static llvm::Expected<Tensor> arrange(StepContext &context, const Tensor &operand, llvm::ArrayRef<int64_t> permutation,
                                      ElementType compute) {
  Shape strides = tensor::rowMajorStrides(operand.shape()), shape, from;
  for (int64_t d : permutation) {
    shape.push_back(operand.shape()[d]);
    from.push_back(operand.isSplat() ? 0 : strides[d]);
  }
  llvm::Expected<Tensor> packed = context.allocate({operand.elementType(), shape});
  if (!packed)
    return packed;
  copyStrided(operand.elementType().storageBytes(), shape, operand.bytes(), from, packed->mutableBytes(),
              tensor::rowMajorStrides(shape), &context.run.threads);
  llvm::Expected<Tensor> result = context.allocate({compute, shape});
  if (!result)
    return result;
  numerics::convertArray(operand.elementType(), packed->bytes(), compute, result->mutableBytes(), packed->size());
  return result;
}

// One row: the window of output position `at`, features [feature, feature + count) of batch element `n`; zero outside.
static void gatherWindow(const Convolution &c, const std::byte *input, int64_t n, llvm::ArrayRef<int64_t> at,
                         int64_t feature, int64_t count, int64_t width, std::byte *row) {
  Shape tap(c.kernel.size(), 0), strides = tensor::rowMajorStrides(c.in);
  int64_t positions = llvm::cantFail(tensor::elementCount(c.in));
  do {
    int64_t offset = 0;
    bool inside = true;
    for (size_t d = 0; d < tap.size() && inside; ++d) {
      int64_t q = c.reversal[d] ? c.kernel[d] - 1 - tap[d] : tap[d];
      int64_t x = at[d] * c.strides[d] + q * c.rhsDilation[d] - c.low[d];
      inside = x >= 0 && x % c.lhsDilation[d] == 0 && x / c.lhsDilation[d] < c.in[d];
      if (inside)
        offset += x / c.lhsDilation[d] * strides[d];
    }
    if (inside)
      std::memcpy(row, input + ((n * positions + offset) * c.features + feature) * width,
                  static_cast<size_t>(count * width));
    else
      std::memset(row, 0, static_cast<size_t>(count * width));
    row += count * width;
  } while (nextIndex(tap, c.kernel));
}

static llvm::Error runConvolution(const Convolution &c, const Contraction &contraction, StepContext &context,
                                  int64_t width) {
  ElementType compute = contraction.computeType();
  int64_t wide = compute.storageBytes();
  llvm::Expected<Tensor> lhs = arrange(context, context.operand(0), c.lhsPermutation, compute);
  if (!lhs)
    return lhs.takeError();
  llvm::Expected<Tensor> rhs = arrange(context, context.operand(1), c.rhsPermutation, compute);
  if (!rhs)
    return rhs.takeError();
  int64_t groups = c.groups(), groupOut = c.outFeatures / groups, groupIn = c.features / c.featureGroups;
  int64_t outBatch = c.batch / c.batchGroups;
  int64_t taps = llvm::cantFail(tensor::elementCount(c.kernel)), k = taps * groupIn;
  int64_t positions = llvm::cantFail(tensor::elementCount(c.out));
  std::byte *out = context.out(0).mutableBytes();
  if (k == 0 || groupOut == 0) {
    std::memset(out, 0, static_cast<size_t>(context.out(0).denseBytes()));
    return llvm::Error::success();
  }
  // Blocks of output positions: the gathered rows of one block stay in cache.
  int64_t rows = std::clamp<int64_t>((1 << 18) / (k * wide), 4, 256);
  int64_t total = outBatch * positions;
  int64_t blocks = (total + rows - 1) / rows;
  context.run.threads.parallelFor(blocks * groups, 1, [&](int64_t begin, int64_t end) {
    std::vector<std::byte> window(static_cast<size_t>(rows * k * wide)), result(static_cast<size_t>(rows * groupOut * width));
    Shape at(c.out.size());
    for (int64_t work = begin; work < end; ++work) {
      int64_t group = work / blocks, first = work % blocks * rows, count = std::min(rows, total - first);
      for (int64_t r = 0; r < count; ++r) {
        unflatten((first + r) % positions, c.out, at);
        int64_t n = (first + r) / positions + (c.batchGroups > 1 ? group * outBatch : 0);
        gatherWindow(c, lhs->bytes(), n, at, c.featureGroups > 1 ? group * groupIn : 0, groupIn, wide,
                     window.data() + r * k * wide);
      }
      contraction.multiply(window.data(), rhs->bytes() + group * groupOut * k * wide, result.data(), count, groupOut, k,
                           groupOut);
      for (int64_t r = 0; r < count; ++r) {
        unflatten((first + r) % positions, c.out, at);
        int64_t offset = (first + r) / positions * c.outStrides[0] + group * groupOut * c.outStrides.back();
        for (size_t d = 0; d < at.size(); ++d)
          offset += at[d] * c.outStrides[d + 1];
        copyStrided(width, {groupOut}, result.data() + r * groupOut * width, {int64_t{1}}, out + offset * width,
                    {c.outStrides.back()});
      }
    }
  });
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> convolution(const StepSpec &spec) {
  const TensorType &result = spec.results[0];
  llvm::Expected<Contraction> contraction = Contraction::make(spec.operands[0].element, spec.operands[1].element,
                                                              result.element, spec.numeric.accumulatePerStep);
  if (!contraction)
    return contraction.takeError();
  Convolution c = decode(mlir::cast<stablehlo::ConvolutionOp>(spec.op), spec);
  return program::makeStep([c, contraction = *contraction, width = result.element.storageBytes()](
                               StepContext &context) { return runConvolution(c, contraction, context, width); });
}

// The padding is the third operand.
llvm::Expected<std::unique_ptr<Step>> dynamicConv(const StepSpec &spec) {
  const TensorType &result = spec.results[0];
  llvm::Expected<Contraction> contraction = Contraction::make(spec.operands[0].element, spec.operands[1].element,
                                                              result.element, spec.numeric.accumulatePerStep);
  if (!contraction)
    return contraction.takeError();
  Convolution decoded = decode(mlir::cast<stablehlo::DynamicConvOp>(spec.op), spec);
  return program::makeStep([decoded, contraction = *contraction, width = result.element.storageBytes()](
                               StepContext &context) -> llvm::Error {
    Convolution c = decoded;
    llvm::SmallVector<int64_t, 8> padding = indicesOf(context.operandValue(2).tensor());
    for (size_t d = 0; d < c.low.size(); ++d) {
      c.low[d] = padding[2 * d];
      int64_t dilated = c.in[d] == 0 ? 0 : (c.in[d] - 1) * c.lhsDilation[d] + 1;
      int64_t window = c.kernel[d] == 0 ? 0 : (c.kernel[d] - 1) * c.rhsDilation[d] + 1;
      int64_t padded = padding[2 * d] + dilated + padding[2 * d + 1];
      int64_t size = padded < window || padded == 0 ? 0 : (padded - window) / c.strides[d] + 1;
      if (size != c.out[d])
        return makeError(ErrorCode::InvalidArgument, "padding {0}, {1} gives spatial size {2}, the result type says {3}",
                         padding[2 * d], padding[2 * d + 1], size, c.out[d]);
    }
    return runConvolution(c, contraction, context, width);
  });
}

} // namespace assay::reference
