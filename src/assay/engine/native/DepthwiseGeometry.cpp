// The dimensions of a depthwise convolution, and its phases where the image is
// dilated.
#include "assay/engine/native/DepthwiseGeometry.h"

#include "assay/kernels/Depthwise.h"
#include "assay/geometry/Phases.h"
#include "assay/support/Math.h"

namespace assay::engine {

using tensor::Shape;

static bool isByte(const TensorType &type) {
  return type.element.isInteger() && type.element.bits == 8;
}

/// This many products of bytes add up to a number that f32 holds exactly.
static constexpr int64_t kMostByteTaps = (1 << 24) / (255 * 255);

std::optional<kernels::DataType> depthwiseInput(const StepSpec &spec) {
  const TensorType &lhs = spec.operands[0], &rhs = spec.operands[1],
                   &result = spec.results[0];
  auto input = kernels::dataTypeOf(lhs.element);
  if (isByte(lhs) && isByte(rhs))
    return result.element == numerics::ElementType::integer(32) ? input
                                                                : std::nullopt;
  return input && rhs.element == lhs.element &&
                 kernelTakes(lhs.element, rhs.element, result.element)
             ? input
             : std::nullopt;
}

static void decodeAxes(DepthwiseGeometry &g, const geometry::Convolution &w,
                       stablehlo::ConvDimensionNumbersAttr dims,
                       const Shape &lhs, const Shape &rhs, const Shape &out) {
  size_t first = 3 - w.axes.size();
  for (size_t d = 0; d < w.axes.size(); ++d)
    g.axes[first + d] = {w.axes[d],
                         lhs[dims.getInputSpatialDimensions()[d]],
                         out[dims.getOutputSpatialDimensions()[d]],
                         rhs[dims.getKernelSpatialDimensions()[d]]};
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

/// Whether a processor's kernels read the operands.
static bool areReadable(const ConvRequest &request) {
  auto input = depthwiseInput(request.spec);
  kernels::DepthwiseProblem problem;
  if (input)
    problem.input = *input;
  return input && !kernels::Depthwise::supports(problem, request.machine().isa);
}

/// Why no kernel takes it, whatever its groups are; null: one may.
static const char *refusalOfForm(const ConvRequest &request) {
  return !request.hasDenseFilter() ? "the algorithm reads its filter in place"
         : !areReadable(request)
             ? "no kernel takes the operation with these types"
         : request.w.groups() < 2       ? "one group"
         : request.w.axes.size() > 3    ? "more than three spatial dimensions"
                                        : nullptr;
}

std::variant<DepthwiseGeometry, Refusal>
depthwiseGeometry(const ConvRequest &request) {
  auto refuse = [](const char *text) {
    return Refusal{ErrorCode::Unsupported, text};
  };
  auto dims = request.dims;
  const geometry::Convolution &w = request.w;
  const StepSpec &spec = request.spec;
  if (const char *text = refusalOfForm(request))
    return refuse(text);
  int64_t lanes = request.machine().isa.lanes(
      kernels::depthwiseSums(*depthwiseInput(spec)));
  Shape lhs = tensor::rowMajorStrides(spec.operands[0].shape),
        rhs = tensor::rowMajorStrides(spec.operands[1].shape),
        out = tensor::rowMajorStrides(spec.results[0].shape);
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
  if (isByte(spec.operands[0]) && g.taps() > kMostByteTaps)
    return refuse("f32 does not hold the sums of that many products of bytes");
  return g;
}

std::optional<Refusal> refusalOfDepthwise(const ConvRequest &request) {
  auto found = depthwiseGeometry(request);
  auto *refusal = std::get_if<Refusal>(&found);
  return refusal ? std::optional(std::move(*refusal)) : std::nullopt;
}

//===--- Phases ----------------------------------------------------------===//

namespace {
/// An axis of one phase; where its positions and its taps begin.
struct AxisPhase {
  DepthwiseAxis axis;
  int64_t out = 0, tap = 0;
};
} // namespace

/// Each phase as an axis of its own: its taps are a constant number apart, in the image and in the filter.
static std::vector<AxisPhase> phasesOf(const DepthwiseAxis &whole) {
  geometry::PhasedAxis phased = geometry::PhasedAxis::of(whole);
  int64_t taps = 0;
  std::vector<AxisPhase> phases;
  for (const geometry::PhasedAxis::Phase &from : phased.phases) {
    if (from.positions == 0)
      break;
    if (from.taps.empty())
      return {};
    auto r = static_cast<int64_t>(phases.size());
    AxisPhase phase{whole, r * whole.outStride, 0};
    DepthwiseAxis &axis = phase.axis;
    const auto &first = from.taps.front(), &last = from.taps.back();
    axis.kernel = static_cast<int64_t>(from.taps.size());
    axis.out = from.positions;
    axis.stride = phased.inStep;
    axis.baseDilation = axis.dilation = 1;
    axis.low = -first.offset;
    axis.outStride = phased.outStep * whole.outStride;
    if (axis.kernel > 1) {
      axis.dilation = from.taps[1].offset - first.offset;
      axis.tapStride *= std::abs(from.taps[1].index - first.index);
    }
    phase.tap = std::min(first.index, last.index) * whole.tapStride;
    taps += axis.kernel;
    phases.push_back(phase);
  }
  if (taps != whole.kernel)
    return {};
  return phases;
}

std::vector<DepthwiseGeometry> phasesOf(const DepthwiseGeometry &whole) {
  bool isDilated = llvm::any_of(
      whole.axes, [](const DepthwiseAxis &axis) { return axis.baseDilation > 1; });
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
