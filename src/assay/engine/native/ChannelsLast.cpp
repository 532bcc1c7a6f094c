// From the operation to phases with their products, and to bands: how many
// positions one piece of work computes, so that what it reads of the image stays
// in the second-level cache.
#include "assay/engine/native/ChannelsLast.h"

#include "assay/support/Math.h"

#include <algorithm>
#include <numeric>

namespace assay::engine {

using tensor::Shape;

/// A run of fewer channels is too short for a loop: the runs of a row of the
/// window are joined.
static constexpr int64_t kFewChannels = 32;
/// A piece of work computes at least this many positions where there are as many.
static constexpr int64_t kPiecePositions = 64;
/// Bands of more bytes are refused: padding or dilation is far greater than the
/// image.
static constexpr int64_t kMostBandBytes = int64_t(16) << 20;

static void setStrides(ChannelsLast &c,
                       stablehlo::ConvDimensionNumbersAttr dims,
                       const Shape &lhs, const Shape &out) {
  size_t rank = c.w.axes.size(), first = 3 - rank;
  for (size_t d = 0; d < rank; ++d) {
    c.inStrides[first + d] = lhs[dims.getInputSpatialDimensions()[d]];
    c.outStrides[first + d] = out[dims.getOutputSpatialDimensions()[d]];
    c.filterTaps[first + d] =
        c.filter.strides[dims.getKernelSpatialDimensions()[d]];
  }
  c.inBatch = lhs[dims.getInputBatchDimension()];
  c.outBatch = out[dims.getOutputBatchDimension()];
  c.filterOut = c.filter.strides[dims.getKernelOutputFeatureDimension()];
  c.filterIn = c.filter.strides[dims.getKernelInputFeatureDimension()];
}

/// Windows of one element that see each element once make one line of all
/// positions, so that a register block is short only at the image's end.
static void joinLines(ChannelsLast &c) {
  if (!c.w.isPointwise())
    return;
  int64_t in = c.inStrides[2], out = c.outStrides[2];
  geometry::Axes3 axes = c.w.three();
  for (size_t d = 3; d-- > 3 - c.w.axes.size();) {
    if (c.inStrides[d] != in || c.outStrides[d] != out)
      return;
    in *= axes[d].in;
    out *= axes[d].in;
  }
  int64_t positions = c.w.positions();
  if (c.w.batch > 1 && c.inBatch == in && c.outBatch == out) {
    positions *= c.w.batch;
    c.w.batch = 1;
  }
  c.w.axes = {geometry::Axis{positions, positions}};
  c.inStrides = {0, 0, c.inStrides[2]};
  c.outStrides = {0, 0, c.outStrides[2]};
}

/// The phases of all dimensions together, without products.
static void listPhases(ChannelsLast &c) {
  for (size_t z = 0; z < c.axes[0].phases.size(); ++z)
    for (size_t y = 0; y < c.axes[1].phases.size(); ++y)
      for (size_t x = 0; x < c.axes[2].phases.size(); ++x) {
        WindowPhase phase;
        phase.axes = {c.axes[0].phases[z], c.axes[1].phases[y],
                      c.axes[2].phases[x]};
        phase.first = {int64_t(z), int64_t(y), int64_t(x)};
        if (phase.positions() > 0)
          c.phases.push_back(std::move(phase));
      }
}

/// The members that all phases share.
static kernels::WindowProblem problemOf(const ChannelsLast &c) {
  kernels::WindowProblem problem;
  problem.types = c.types;
  problem.columns = c.w.groupOut();
  problem.channels = c.w.groupIn();
  return problem;
}

/// Compiles what a phase needs. Its taps are columns of a window's row, or whole
/// rows where those go together.
static llvm::Error prepare(ChannelsLast &c, WindowPhase &phase,
                           NativeContext &context,
                           const kernels::ConvConfig &config) {
  auto columns = static_cast<int64_t>(phase.axes[2].taps.size());
  if (phase.axes[0].taps.empty() || phase.axes[1].taps.empty() || columns == 0)
    return llvm::Error::success();
  kernels::WindowProblem problem = problemOf(c);
  problem.pieces = c.together ? columns : 1;
  problem.dense = c.dense;
  problem.positions = phase.axes[2].positions;
  problem.lines = phase.axes[0].positions * phase.axes[1].positions;
  problem.taps = static_cast<int64_t>(phase.axes[0].taps.size() *
                                      phase.axes[1].taps.size()) *
                 (c.together ? 1 : columns);
  if (!(c.sums == c.out))
    problem.output = kernels::dataTypeOf(c.out);
  auto made = kernels::WindowProduct::prepare(
      problem, context.registry.machine(), context.registry.jit(),
      {config.vectors, config.positions, int64_t(config.filterKb) << 10});
  if (!made)
    return made.takeError();
  phase.product = std::move(*made);
  phase.packedOffset = c.groupBytes;
  c.groupBytes += phase.product->packedBytes(problem.taps);
  return llvm::Error::success();
}

/// The band that `piece` positions read.
static void setBand(ChannelsLast &c) {
  c.band.planes = c.axes[0].span(c.piece[0]);
  c.band.rows = c.axes[1].span(c.piece[1]);
  c.band.columns = c.axes[2].span(c.piece[2]);
  c.band.rowBytes = c.band.columns * c.band.pixelBytes;
  c.band.planeBytes = c.band.rows * c.band.rowBytes;
}

/// Where no window sees padding and the layout is the one that kernels read, bands
/// are parts of the image.
static void readInPlace(ChannelsLast &c) {
  if (!(c.band.element == c.in) || c.band.groupElements != c.w.groupIn() ||
      c.dense)
    return;
  for (const geometry::PhasedAxis &axis : c.axes)
    if (axis.leastOffset < 0 ||
        axis.leastOffset + axis.span(axis.positions()) > axis.in)
      return;
  int64_t size = c.in.storageBytes();
  c.band.isInPlace = true;
  c.band.pixelBytes = c.inStrides[2] * size;
  c.band.rowBytes = c.inStrides[1] * size;
  c.band.planeBytes = c.inStrides[0] * size;
}

/// As many positions as the band allows: whole planes, else rows of one, else
/// parts of a row that no register block crosses.
static void cut(ChannelsLast &c, int64_t most) {
  for (size_t d = 0; d < 3; ++d)
    c.piece[d] = c.axes[d].positions();
  setBand(c);
  for (size_t d = 0; d < 2; ++d)
    while (c.band.bytes() > most && c.piece[d] > 1) {
      int64_t least =
          d == 0 ? 1
                 : std::min(c.piece[1], ceilDiv(kPiecePositions, c.piece[2]));
      if (c.piece[d] <= least)
        break;
      c.piece[d] = std::max(least, c.piece[d] / 2);
      setBand(c);
    }
  for (const WindowPhase &phase : c.phases)
    if (phase.product)
      c.block = std::lcm(c.block, phase.product->blockPositions());
  int64_t least = roundUp(kPiecePositions, c.block);
  while (c.piece[1] == 1 && c.band.bytes() > most && c.piece[2] > least) {
    c.piece[2] = std::max(least, roundUp(c.piece[2] / 2, c.block));
    setBand(c);
  }
}

/// Where the taps are, in the band and in the filter.
static void placeTaps(const ChannelsLast &c, WindowPhase &phase) {
  for (const geometry::PhasedAxis::Tap &z : phase.axes[0].taps)
    for (const geometry::PhasedAxis::Tap &y : phase.axes[1].taps)
      for (const geometry::PhasedAxis::Tap &x : phase.axes[2].taps) {
        phase.filterStarts.push_back(c.filterStart(z.index, y.index, x.index));
        if (c.together && &x != &phase.axes[2].taps.front())
          continue;
        phase.taps.push_back(
            (z.offset - c.axes[0].leastOffset) * c.band.planeBytes +
            (y.offset - c.axes[1].leastOffset) * c.band.rowBytes +
            (x.offset - c.axes[2].leastOffset) * c.band.pixelBytes);
      }
}

/// Pixels that are a multiple of this many bytes apart share few lines of the
/// first-level cache.
static constexpr int64_t kBadDistance = 1024;

static void setPixels(ChannelsLast &c, const kernels::Isa &isa,
                      const kernels::ConvConfig &config) {
  kernels::MicroMath math = kernels::windowMath(problemOf(c), isa);
  int64_t group = kernels::depthMultipleOf(math),
          bytes = kernels::packedBytesOf(math);
  c.band.element = math == kernels::MicroMath::F32
                       ? *numerics::parseElementType("f32")
                   : math == kernels::MicroMath::ShortPairs
                       ? numerics::ElementType::integer(16)
                       : c.in;
  c.band.groupElements = roundUp(c.w.groupIn(), group);
  c.band.pixelBytes = c.band.groupElements * c.w.groups() * bytes;
  bool asked =
      config.together ? config.together == 1 : c.w.groupIn() < kFewChannels;
  c.together = c.w.groups() == 1 && asked;
  for (const geometry::PhasedAxis::Phase &phase : c.axes[2].phases)
    for (size_t i = 1; i < phase.taps.size(); ++i)
      c.together &= phase.taps[i].offset == phase.taps[i - 1].offset + 1;
  // A row is filled up once, not each pixel of it.
  c.dense = c.together && group > 1 && !kernels::isAmx(math);
  if (c.dense) {
    c.band.groupElements = c.w.groupIn();
    c.band.pixelBytes = c.band.groupElements * bytes;
  }
  if (!c.together && c.band.pixelBytes % kBadDistance == 0)
    c.band.pixelBytes += 64;
}

std::variant<ChannelsLast, Refusal> analyse(const ConvRequest &request) {
  const StepSpec &spec = request.spec;
  const kernels::ConvConfig &config = request.config;
  ChannelsLast c;
  c.w = request.w;
  c.filter = request.filter;
  c.in = spec.operands[0].element, c.out = spec.results[0].element;
  c.types = {*kernels::dataTypeOf(c.in),
             *kernels::dataTypeOf(spec.operands[1].element)};
  c.sums = kernels::accumulatorOf(c.types.a) == kernels::DataType::S32
               ? numerics::ElementType::integer(32)
               : *numerics::parseElementType(
                     kernels::toString(kernels::accumulatorOf(c.types.a)));
  setStrides(c, request.dims, tensor::rowMajorStrides(spec.operands[0].shape),
             tensor::rowMajorStrides(spec.results[0].shape));
  joinLines(c);
  c.axes = geometry::phasedAxes(c.w);
  listPhases(c);
  setPixels(c, request.machine().isa, config);
  for (WindowPhase &phase : c.phases)
    if (llvm::Error error = prepare(c, phase, *request.context, config)) {
      ErrorText text = takeError(std::move(error));
      return Refusal{text.code, std::move(text.message)};
    }
  cut(c, config.workKb > 0 ? int64_t(config.workKb) << 10
                           : request.machine().caches.l2 / 2);
  if (c.band.bytes() > kMostBandBytes)
    return Refusal{ErrorCode::Unsupported,
                   "a row of windows sees more than 16 MiB"};
  readInPlace(c);
  for (WindowPhase &phase : c.phases)
    if (phase.product)
      placeTaps(c, phase);
  return c;
}

} // namespace assay::engine
