// Windows of a convolution. A row of the window's last dimension is one copy
// where its elements are adjacent in the input (no dilation, no reversal,
// all features); otherwise each position of the window is looked up.
// Source: StableHLO specification, convolution.
#include "assay/reference/ConvolutionWindows.h"

#include "assay/reference/Strided.h"

#include <algorithm>
#include <cstring>

namespace assay::reference {

static int64_t product(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

int64_t ConvolutionWindows::inPositions() const { return product(in); }
int64_t ConvolutionWindows::positions() const { return product(out); }
int64_t ConvolutionWindows::taps() const { return product(kernel); }

ConvolutionWindows
ConvolutionWindows::of(mlir::Operation *op,
                       stablehlo::ConvDimensionNumbersAttr dims,
                       const StepSpec &spec) {
  const TensorType &lhs = spec.operands[0], &rhs = spec.operands[1],
                   &result = spec.results[0];
  ConvolutionWindows w;
  auto rank = static_cast<int64_t>(dims.getInputSpatialDimensions().size());
  w.batch = lhs.shape[dims.getInputBatchDimension()];
  w.features = lhs.shape[dims.getInputFeatureDimension()];
  w.outFeatures = rhs.shape[dims.getKernelOutputFeatureDimension()];
  w.featureGroups = intOf(op, "feature_group_count", 1);
  w.batchGroups = intOf(op, "batch_group_count", 1);
  w.strides = intsOf(op, "window_strides", rank, 1);
  w.lhsDilation = intsOf(op, "lhs_dilation", rank, 1);
  w.rhsDilation = intsOf(op, "rhs_dilation", rank, 1);
  w.reversal = intsOf(op, "window_reversal", rank, 0);
  Ints padding = intsOf(op, "padding", 2 * rank, 0);
  Shape outStrides = tensor::rowMajorStrides(result.shape);
  w.lhsOrder.push_back(dims.getInputBatchDimension());
  w.rhsOrder.push_back(dims.getKernelOutputFeatureDimension());
  w.outStrides.push_back(outStrides[dims.getOutputBatchDimension()]);
  for (int64_t d = 0; d < rank; ++d) {
    w.low.push_back(padding[2 * d]);
    w.in.push_back(lhs.shape[dims.getInputSpatialDimensions()[d]]);
    w.kernel.push_back(rhs.shape[dims.getKernelSpatialDimensions()[d]]);
    w.out.push_back(result.shape[dims.getOutputSpatialDimensions()[d]]);
    w.lhsOrder.push_back(dims.getInputSpatialDimensions()[d]);
    w.rhsOrder.push_back(dims.getKernelSpatialDimensions()[d]);
    w.outStrides.push_back(outStrides[dims.getOutputSpatialDimensions()[d]]);
  }
  w.lhsOrder.push_back(dims.getInputFeatureDimension());
  w.rhsOrder.push_back(dims.getKernelInputFeatureDimension());
  w.outStrides.push_back(outStrides[dims.getOutputFeatureDimension()]);
  return w;
}

bool ConvolutionWindows::hasDilatedInput() const {
  return llvm::any_of(lhsDilation, [](int64_t d) { return d != 1; });
}

bool ConvolutionWindows::isPointwise() const {
  if (taps() != 1 || in != out)
    return false;
  for (size_t d = 0; d < in.size(); ++d)
    if (strides[d] != 1 || low[d] != 0 || lhsDilation[d] != 1)
      return false;
  return true;
}

void ConvolutionWindows::gather(const std::byte *input, int64_t n,
                                llvm::ArrayRef<int64_t> at, int64_t feature,
                                int64_t width, std::byte *row) const {
  size_t rank = kernel.size();
  int64_t count = groupIn();
  auto bytes = static_cast<size_t>(count * width);
  const std::byte *entry =
      input + (n * inPositions() * features + feature) * width;
  // The last dimension of the window as one run.
  bool runs = rank > 0 && count == features && !reversal[rank - 1] &&
              lhsDilation[rank - 1] == 1 && rhsDilation[rank - 1] == 1;
  Shape outer = kernel, tap(rank, 0), inStrides = tensor::rowMajorStrides(in);
  if (runs)
    outer.back() = 1;
  do {
    int64_t offset = 0;
    bool inside = true;
    for (size_t d = 0; d < (runs ? rank - 1 : rank) && inside; ++d) {
      int64_t q = reversal[d] ? kernel[d] - 1 - tap[d] : tap[d];
      int64_t x = at[d] * strides[d] + q * rhsDilation[d] - low[d];
      inside = x >= 0;
      if (lhsDilation[d] != 1) { // divisions take longer than a run
        inside &= x % lhsDilation[d] == 0;
        x /= lhsDilation[d];
      }
      inside &= x < in[d];
      if (inside)
        offset += x * inStrides[d];
    }
    if (runs) {
      int64_t length = kernel[rank - 1],
              first = at[rank - 1] * strides[rank - 1] - low[rank - 1];
      int64_t begin = std::clamp<int64_t>(-first, 0, length),
              end = std::clamp<int64_t>(in[rank - 1] - first, begin, length);
      if (!inside)
        end = begin;
      std::memset(row, 0, static_cast<size_t>(begin) * bytes);
      if (end > begin)
        std::memcpy(row + static_cast<size_t>(begin) * bytes,
                    entry + (offset + first + begin) * features * width,
                    static_cast<size_t>(end - begin) * bytes);
      std::memset(row + static_cast<size_t>(end) * bytes, 0,
                  static_cast<size_t>(length - end) * bytes);
      row += static_cast<size_t>(length) * bytes;
      continue;
    }
    if (inside)
      std::memcpy(row, entry + offset * features * width, bytes);
    else
      std::memset(row, 0, bytes);
    row += bytes;
  } while (nextIndex(tap, outer));
}

} // namespace assay::reference
