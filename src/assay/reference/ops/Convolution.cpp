// convolution: for every output position the window of the (padded, dilated)
// input is gathered into a row of [kernel positions x input features]. The rows
// times the kernel matrix are sums of products, computed group by group.
// Formula:  out[n, p, o] = sum_{q, i}
//               in[n, p * stride + q * rhs_dilation - pad_low, i] *
//               kernel[q, i, o]
//           where the input is dilated by lhs_dilation (zeros between its
//           elements) and zero outside
// Source:   StableHLO specification, convolution (feature groups, batch groups,
//           window reversal).
#include "assay/numerics/Convert.h"
#include "assay/reference/Contraction.h"
#include "assay/reference/Windows.h"
#include "assay/reference/Indices.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Strided.h"

#include <algorithm>
#include <cstring>

namespace assay::reference {

// The operand transposed and converted to the compute type.
static llvm::Expected<Tensor> arrange(StepContext &context,
                                      const Tensor &operand,
                                      llvm::ArrayRef<int64_t> permutation,
                                      ElementType compute) {
  Shape strides = tensor::rowMajorStrides(operand.shape()), shape, from;
  for (int64_t d : permutation) {
    shape.push_back(operand.shape()[d]);
    from.push_back(operand.isSplat() ? 0 : strides[d]);
  }
  llvm::Expected<Tensor> packed =
      context.allocate({operand.elementType(), shape});
  if (!packed)
    return packed;
  copyStrided(operand.elementType().storageBytes(), shape, operand.bytes(),
              from, packed->mutableBytes(), tensor::rowMajorStrides(shape),
              &context.run.threads);
  llvm::Expected<Tensor> result = context.allocate({compute, shape});
  if (!result)
    return result;
  numerics::convertArray(operand.elementType(), packed->bytes(), compute,
                         result->mutableBytes(), packed->size());
  return result;
}

namespace {
// Both operands, reordered and in the compute type, and the rows of a block of
// output positions: gathered, multiplied, and written to their places.
struct ConvolutionRun {
  void block(int64_t group, int64_t first, int64_t count,
             std::vector<std::byte> &window,
             std::vector<std::byte> &result) const;

  const geometry::Convolution &c;
  const Contraction &contraction;
  const Tensor &lhs, &rhs;
  std::byte *out;
  int64_t width, wide; // bytes per element of the result and of the window
  int64_t k, positions;
};
} // namespace

void ConvolutionRun::block(int64_t group, int64_t first, int64_t count,
                           std::vector<std::byte> &window,
                           std::vector<std::byte> &result) const {
  int64_t groupOut = c.groupOut(), outBatch = c.batch / c.batchGroups;
  Shape at(c.axes.size());
  for (int64_t r = 0; r < count; ++r) {
    c.unflatten((first + r) % positions, &geometry::Axis::out, at);
    int64_t n =
        (first + r) / positions + (c.batchGroups > 1 ? group * outBatch : 0);
    c.gather(lhs.bytes(), n, at, c.featureGroups > 1 ? group * c.groupIn() : 0,
             wide, window.data() + r * k * wide);
  }
  contraction.multiply(window.data(), rhs.bytes() + group * groupOut * k * wide,
                       result.data(), count, groupOut, k, groupOut);
  for (int64_t r = 0; r < count; ++r) {
    c.unflatten((first + r) % positions, &geometry::Axis::out, at);
    int64_t offset = (first + r) / positions * c.outStrides[0] +
                     group * groupOut * c.outStrides.back();
    for (size_t d = 0; d < at.size(); ++d)
      offset += at[d] * c.outStrides[d + 1];
    copyStrided(width, {groupOut}, result.data() + r * groupOut * width,
                {int64_t{1}}, out + offset * width, {c.outStrides.back()});
  }
}

static llvm::Error runConvolution(const geometry::Convolution &c,
                                  const Contraction &contraction,
                                  StepContext &context, int64_t width) {
  ElementType compute = contraction.computeType();
  int64_t wide = compute.storageBytes();
  llvm::Expected<Tensor> lhs =
      arrange(context, context.operand(0), c.lhsOrder, compute);
  if (!lhs)
    return lhs.takeError();
  llvm::Expected<Tensor> rhs =
      arrange(context, context.operand(1), c.rhsOrder, compute);
  if (!rhs)
    return rhs.takeError();
  int64_t groups = c.groups(), groupOut = c.groupOut(),
          k = c.taps() * c.groupIn(), positions = c.positions();
  std::byte *out = context.out(0).mutableBytes();
  if (k == 0 || groupOut == 0) {
    std::memset(out, 0, static_cast<size_t>(context.out(0).denseBytes()));
    return llvm::Error::success();
  }
  // Blocks of output positions: the gathered rows of one block stay in cache.
  int64_t rows = std::clamp<int64_t>((1 << 18) / (k * wide), 4, 256);
  int64_t total = c.batch / c.batchGroups * positions;
  int64_t blocks = (total + rows - 1) / rows;
  ConvolutionRun run{c,     contraction, *lhs, *rhs,     out,
                     width, wide,        k,    positions};
  context.run.threads.parallelFor(
      blocks * groups, 1, [&](int64_t begin, int64_t end) {
        std::vector<std::byte> window(static_cast<size_t>(rows * k * wide)),
            result(static_cast<size_t>(rows * groupOut * width));
        for (int64_t work = begin; work < end; ++work) {
          int64_t first = work % blocks * rows;
          run.block(work / blocks, first, std::min(rows, total - first), window,
                    result);
        }
      });
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> convolution(const StepSpec &spec) {
  const TensorType &result = spec.results[0];
  llvm::Expected<Contraction> contraction = Contraction::make(
      spec.operands[0].element, spec.operands[1].element, result.element,
      spec.numeric.accumulatePerStep, spec.shadow);
  if (!contraction)
    return contraction.takeError();
  geometry::Convolution c = convolutionOf(spec);
  return program::makeStep(
      [c, contraction = *contraction,
       width = result.element.storageBytes()](StepContext &context) {
        return runConvolution(c, contraction, context, width);
      });
}

// dynamic_conv, whose padding is the third operand.
llvm::Expected<std::unique_ptr<Step>> dynamicConv(const StepSpec &spec) {
  const TensorType &result = spec.results[0];
  llvm::Expected<Contraction> contraction = Contraction::make(
      spec.operands[0].element, spec.operands[1].element, result.element,
      spec.numeric.accumulatePerStep, spec.shadow);
  if (!contraction)
    return contraction.takeError();
  geometry::Convolution decoded = convolutionOf(spec);
  return program::makeStep([decoded, contraction = *contraction,
                            width = result.element.storageBytes()](
                               StepContext &context) -> llvm::Error {
    geometry::Convolution c = decoded;
    llvm::SmallVector<int64_t, 8> padding =
        indicesOf(context.operandValue(2).tensor());
    for (size_t d = 0; d < c.axes.size(); ++d) {
      c.axes[d].low = padding[2 * d];
      int64_t size = c.axes[d].windows(padding[2 * d + 1]);
      if (size != c.axes[d].out)
        return makeError(
            ErrorCode::InvalidArgument,
            "padding {0}, {1} gives spatial size {2}, the result type says {3}",
            padding[2 * d], padding[2 * d + 1], size, c.axes[d].out);
    }
    return runConvolution(c, contraction, context, width);
  });
}

} // namespace assay::reference
