// The dimensions of a depthwise convolution, and its phases where the image is
// dilated.
#include "assay/engine/native/DepthwiseGeometry.h"

#include "assay/kernels/Depthwise.h"
#include "assay/reference/ConvolutionWindows.h"
#include "assay/support/Math.h"

#include <numeric>

namespace assay::engine {

using tensor::Shape;

static Refusal refuse(const char *text) {
  return {ErrorCode::Unsupported, text};
}

static void decodeAxes(DepthwiseGeometry &g, const reference::ConvolutionWindows &w,
                       stablehlo::ConvDimensionNumbersAttr dims,
                       const Shape &lhs, const Shape &rhs, const Shape &out) {
  size_t first = 3 - w.in.size();
  for (size_t d = 0; d < w.in.size(); ++d) {
    DepthwiseAxis &axis = g.axes[first + d];
    axis.in = w.in[d], axis.out = w.out[d], axis.kernel = w.kernel[d];
    axis.step = w.strides[d], axis.dilation = w.rhsDilation[d];
    axis.spread = w.lhsDilation[d], axis.low = w.low[d];
    axis.reversed = w.reversal[d] != 0;
    axis.inStride = lhs[dims.getInputSpatialDimensions()[d]];
    axis.outStride = out[dims.getOutputSpatialDimensions()[d]];
    axis.tapStride = rhs[dims.getKernelSpatialDimensions()[d]];
  }
}

/// The image as copies of it, one for each input of a group, in which channel c
/// is the input that output channel c reads.
static void copyImage(DepthwiseGeometry &g, int64_t inputs, int64_t outputs,
                      int64_t channel) {
  std::array<DepthwiseAxis, 3> &a = g.axes;
  int64_t entries = g.entries;
  g.lhsLies = {channel, g.lhsEntry};
  if (g.features > 1) // a gradient of the filter: there are no entries
    g.lhsLies = {0, g.lhsFeature}, entries = g.features;
  g.lhsShape = {inputs,  entries, a[0].in,
                a[1].in, a[2].in, g.channels / outputs,
                outputs};
  for (const DepthwiseAxis &axis : a)
    g.lhsLies.push_back(axis.inStride);
  g.lhsLies.push_back(inputs * channel);
  g.lhsLies.push_back(0);
  Shape dense = tensor::rowMajorStrides(g.lhsShape);
  g.lhsEntry = g.features > 1 ? 0 : dense[1];
  g.lhsFeature = g.features > 1 ? dense[1] : dense[0];
  g.features = std::max(g.features, inputs);
  for (size_t d = 0; d < 3; ++d)
    a[d].inStride = dense[d + 2];
}

/// The result as [entry, depth, height, width, channel], to be brought back.
static void reorderResult(DepthwiseGeometry &g, int64_t channel) {
  Shape dense = tensor::rowMajorStrides(g.outShape());
  g.outLies = {g.outEntry};
  g.outEntry = dense[0];
  for (size_t d = 0; d < 3; ++d) {
    g.outLies.push_back(g.axes[d].outStride);
    g.axes[d].outStride = dense[d + 1];
  }
  g.outLies.push_back(channel);
}

std::variant<DepthwiseGeometry, Refusal>
depthwiseGeometry(stablehlo::ConvolutionOp op, const program::StepSpec &spec, int64_t lanes) {
  auto dims = op.getDimensionNumbers();
  auto w = reference::ConvolutionWindows::of(op, dims, spec);
  Shape lhs = tensor::rowMajorStrides(spec.operands[0].shape),
        rhs = tensor::rowMajorStrides(spec.operands[1].shape),
        out = tensor::rowMajorStrides(spec.results[0].shape);
  if (w.groups() < 2)
    return refuse("one group");
  if (w.in.size() > 3)
    return refuse("more than three spatial dimensions");
  DepthwiseGeometry g;
  g.channels = w.outFeatures;
  int64_t batch = lhs[dims.getInputBatchDimension()],
          feature = lhs[dims.getInputFeatureDimension()], channel = feature;
  g.filterFeature = rhs[dims.getKernelInputFeatureDimension()];
  g.filterChannel = rhs[dims.getKernelOutputFeatureDimension()];
  bool thin = w.groupIn() > 1 || w.groupOut() > 1;
  if (w.batchGroups == 1 && channel == 1 &&
      kernels::areSpread(w.groupIn(), w.groupOut(), lanes)) {
    thin = false;
    g.inputs = w.groupIn();
    std::swap(g.filterInput, g.filterFeature);
  }
  int64_t outChannel = out[dims.getOutputFeatureDimension()];
  if (w.batchGroups > 1) {
    if (channel = batch; channel == 1 && outChannel == 1 &&
                         kernels::areSpread(w.batch / w.batchGroups,
                                            w.groupOut(), lanes))
      g.inputs = w.groupOut(), g.only = 0;
    else if (w.batch != w.batchGroups || w.groupOut() != 1)
      return refuse("not one entry and one output channel a batch group");
    thin = false;
    g.features = w.features;
    g.lhsFeature = feature;
  } else {
    if (thin && (w.groupIn() > kernels::kMostThinInputs ||
                 w.groupOut() > kernels::kMostThinOutputs ||
                 channel != 1))
      return refuse("groups of many channels, or of planes");
    g.entries = w.batch;
    g.lhsEntry = batch;
  }
  g.outEntry = out[dims.getOutputBatchDimension()];
  decodeAxes(g, w, dims, lhs, rhs, out);
  if (thin || channel != 1)
    copyImage(g, thin ? w.groupIn() : 1, thin ? w.groupOut() : 1, channel);
  if (outChannel != 1)
    reorderResult(g, outChannel);
  if (g.taps() > (int64_t(1) << 22))
    return refuse("the window has more than four million elements");
  return g;
}

//===--- Phases ----------------------------------------------------------===//

namespace {
/// An axis of one phase; where its positions and its taps begin.
struct AxisPhase {
  DepthwiseAxis axis;
  int64_t out = 0, tap = 0;
};
} // namespace

/// Position r + m * count of the result, with tap t in the order of the image, meets
/// element (r * step + t * dilation - low) / spread + m * step * count / spread, where
/// that is whole: taps a constant number apart.
static std::vector<AxisPhase> phasesOf(const DepthwiseAxis &whole) {
  int64_t spread = whole.spread, count = spread / std::gcd(whole.step, spread),
          apart = spread / std::gcd(whole.dilation, spread), taps = 0;
  std::vector<AxisPhase> phases;
  for (int64_t r = 0; r < std::min(count, whole.out); ++r) {
    auto place = [&](int64_t t) { return r * whole.step + t * whole.dilation - whole.low; };
    int64_t first = 0;
    while (first < whole.kernel && place(first) % spread != 0)
      ++first;
    if (first == whole.kernel)
      return {};
    AxisPhase phase{whole, r * whole.outStride, 0};
    DepthwiseAxis &axis = phase.axis;
    axis.kernel = ceilDiv(whole.kernel - first, apart);
    axis.out = ceilDiv(whole.out - r, count);
    axis.step = whole.step * count / spread;
    axis.dilation = apart * whole.dilation / spread;
    axis.spread = 1;
    axis.low = -place(first) / spread;
    axis.outStride = count * whole.outStride;
    axis.tapStride = apart * whole.tapStride;
    int64_t last = first + (axis.kernel - 1) * apart;
    phase.tap = (whole.reversed ? whole.kernel - 1 - last : first) * whole.tapStride;
    taps += axis.kernel;
    phases.push_back(phase);
  }
  if (taps != whole.kernel)
    return {};
  return phases;
}

std::vector<DepthwiseGeometry> phasesOf(const DepthwiseGeometry &whole) {
  bool isDilated = llvm::any_of(
      whole.axes, [](const DepthwiseAxis &axis) { return axis.spread > 1; });
  if (!isDilated)
    return {};
  std::vector<DepthwiseGeometry> made{whole};
  for (size_t d = 0; d < 3; ++d) {
    std::vector<DepthwiseGeometry> next;
    for (const DepthwiseGeometry &g : made)
      for (const AxisPhase &phase : phasesOf(whole.axes[d])) {
        DepthwiseGeometry &part = next.emplace_back(g);
        part.axes[d] = phase.axis;
        part.outStart += phase.out;
        part.filterStart += phase.tap;
      }
    made = std::move(next);
  }
  return made;
}

} // namespace assay::engine
