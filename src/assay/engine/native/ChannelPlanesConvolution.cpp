// Depthwise convolution where each channel has a plane of its own (NCHW): forward, and the
// gradient of the data. The kernels of Depthwise.h sum vectors of neighbours in memory,
// whatever these are. Here columns of a plane take the place of channels, rows take the place
// of positions, and all columns share a tap's factor. A plane is copied once, padded, with
// its columns separated by phase of the stride, into a band that fits the caches; nothing is
// transposed. A dilated image is computed in phases, whose columns are interleaved after the
// kernel. A filter that is not finite makes NaN of the zeros that phases leave out; it goes
// to the kernels for channels last.
#include "assay/engine/native/DepthwiseOperands.h"
#include "assay/engine/native/Pieces.h"
#include "assay/engine/native/PlanarGain.h"
#include "assay/engine/native/PlaneBand.h"
#include "assay/kernels/Depthwise.h"
#include "assay/kernels/Finite.h"
#include "assay/kernels/outer/Clones.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cstring>

namespace assay::engine {

using kernels::kLanes, kernels::Lanes;

namespace {
/// The unit of computation: the whole image, or one phase of a dilated one.
struct Part {
  DepthwiseGeometry g;
  kernels::Depthwise kernel;
  std::vector<int64_t> runs; ///< of taps: byte offsets into the table
  /// Elements of the filter from a channel's first, in the order of the table.
  std::vector<int64_t> taps;
  const DepthwiseAxis &rows() const { return g.axes[1]; }
  const DepthwiseAxis &columns() const { return g.axes[2]; }
  /// Entries of its table: [tap of a row of the window][row of the band that it sees].
  int64_t entries() const { return columns().kernel * rows().span(rows().out); }
};

class PlanarDepthwise final : public NativeStep {
public:
  PlanarDepthwise(std::shared_ptr<NativeContext> context,
                  std::vector<Part> parts, const StepSpec &spec,
                  std::unique_ptr<Step> last);
  llvm::Error run(StepContext &context) const override;
  void setConstantWeight() override {
    if (last_)
      engine::setConstantWeight(*last_);
  }

private:
  /// The working memory of a piece of work.
  struct Memory {
    std::byte *band, *results;
    float *factors;
    const std::byte **table;
  };
  int64_t bytes(Memory *places, std::byte *begin) const;
  void prepare(const Memory &memory) const;
  void compute(const Part &part, const Memory &memory, std::byte *out,
               int64_t pitch) const;
  void computePlane(const float *filter, int64_t channel, Memory memory,
                    std::byte *out) const;
  void join(const Part *parts, const std::byte *results, std::byte *out) const;
  int64_t resultBytes() const; ///< of a phase of columns
  int64_t planesOfAPiece(int64_t planes, int threads) const;

  std::shared_ptr<NativeContext> context_; ///< owns the kernels' code
  std::vector<Part> parts_;
  std::unique_ptr<Step> last_; ///< the kernels for channels last, where there are phases
  PlaneBand band_;
  int64_t phases_ = 1; ///< of columns
  numerics::ElementType in_, out_;
};
} // namespace

PlanarDepthwise::PlanarDepthwise(std::shared_ptr<NativeContext> context,
                                 std::vector<Part> parts, const StepSpec &spec,
                                 std::unique_ptr<Step> last)
    : context_(std::move(context)), parts_(std::move(parts)),
      last_(std::move(last)), in_(spec.operands[0].element),
      out_(spec.results[0].element) {
  std::array<int64_t, 2> low{}, size{}, plane{};
  for (size_t d = 0; d < 2; ++d) {
    int64_t end = 0;
    plane[d] = parts_[0].g.axes[d + 1].in, low[d] = parts_[0].g.axes[d + 1].low;
    for (const Part &part : parts_) {
      const DepthwiseAxis &axis = part.g.axes[d + 1];
      low[d] = std::max(low[d], axis.low);
      end = std::max(end, axis.span(axis.out) - axis.low);
    }
    size[d] = end + low[d];
  }
  band_ = PlaneBand(plane, low, size, parts_[0].columns().stride);
  phases_ = parts_[0].columns().outStride;
}

//===--- One plane -------------------------------------------------------===//

/// Writes a row for each tap, with its factor in all columns. Vectors may write beyond the
/// end of a row: the next row overwrites that.
ASSAY_CLONES static void spread(const float *filter, llvm::ArrayRef<int64_t> taps,
                                int64_t columns, int64_t pitch, float *rows) {
  for (int64_t tap : taps) {
    Lanes all = Lanes{} + filter[tap];
    for (int64_t column = 0; column < columns; column += kLanes)
      std::memcpy(rows + column, &all, sizeof(all));
    rows += pitch;
  }
}

/// The members that all planes of a piece share: the padding, and the offsets of the taps.
void PlanarDepthwise::prepare(const Memory &memory) const {
  int64_t size = in_.storageBytes();
  std::memset(memory.band, 0,
              static_cast<size_t>(band_.elements() * size));
  const std::byte **entry = memory.table;
  for (const Part &part : parts_) {
    const DepthwiseAxis &rows = part.rows(), &columns = part.columns();
    int64_t above = band_.low()[0] - rows.low, before = band_.low()[1] - columns.low;
    for (int64_t x = 0; x < columns.kernel; ++x)
      for (int64_t y = 0; y < rows.span(rows.out); ++y)
        *entry++ = memory.band +
                   band_.place(y + above, x * columns.dilation + before) * size;
  }
}

/// All rows of a part, `pitch` elements apart, with the part's table.
void PlanarDepthwise::compute(const Part &part, const Memory &memory,
                              std::byte *out, int64_t pitch) const {
  int64_t width = part.columns().out, block = part.kernel.blockChannels();
  for (int64_t column = 0; column < width; column += block) {
    int64_t first = std::min(column, width - block);
    kernels::DepthwiseRow row;
    row.table = memory.table;
    row.runOffsets = part.runs;
    row.filter = reinterpret_cast<const std::byte *>(memory.factors - first);
    row.out = out + first * out_.storageBytes();
    row.outStride = pitch;
    part.kernel.run(row, first);
  }
}

/// A channel of an entry in a band that is filled.
void PlanarDepthwise::computePlane(const float *filter, int64_t channel,
                                   Memory memory, std::byte *out) const {
  for (size_t p = 0; p < parts_.size(); ++p) {
    const Part &part = parts_[p];
    auto phase = static_cast<int64_t>(p) % phases_;
    spread(filter + channel * part.g.filterChannel, part.taps,
           part.kernel.blockChannels(), part.columns().out, memory.factors);
    if (phases_ == 1)
      compute(part, memory, out + part.g.outStart * out_.storageBytes(),
              part.rows().outStride);
    else
      compute(part, memory, memory.results + phase * resultBytes(),
              part.columns().out);
    memory.table += part.entries();
    if (phases_ > 1 && phase == phases_ - 1)
      join(&part - phase, memory.results, out);
  }
}

/// The rows that all phases of columns have together.
void PlanarDepthwise::join(const Part *parts, const std::byte *results,
                           std::byte *out) const {
  int64_t size = out_.storageBytes(), rows = parts->rows().out,
          pitch = parts->rows().outStride;
  auto phase = [&](int64_t p) {
    return PlaneRows<const std::byte>{results + p * resultBytes(),
                                      parts[p].columns().out};
  };
  std::byte *first = out + parts->g.outStart * size;
  if (phases_ == 2)
    return joinRows(size, phase(0), phase(1), {first, pitch}, rows,
                    parts[0].columns().out + parts[1].columns().out);
  for (int64_t p = 0; p < phases_; ++p)
    copyRows(size, phase(p), {first + p * size, pitch, phases_}, rows,
             parts[p].columns().out);
}

//===--- The step --------------------------------------------------------===//

int64_t PlanarDepthwise::resultBytes() const {
  int64_t most = 0;
  for (const Part &part : parts_)
    most = std::max(most, part.rows().out * part.columns().out);
  return most * out_.storageBytes();
}

/// The memory of a piece; its parts begin where `places` says.
int64_t PlanarDepthwise::bytes(Memory *places, std::byte *begin) const {
  int64_t factors = 0, entries = 0, at = 0;
  for (const Part &part : parts_) {
    factors = std::max(factors, part.g.taps() * part.columns().out + kLanes);
    entries += part.entries();
  }
  auto take = [&](int64_t size) {
    std::byte *mine = begin + at;
    at += roundUp(size, 64);
    return mine;
  };
  std::byte *band = take(band_.elements() * in_.storageBytes()),
            *table = take(entries * 8), *spread = take(factors * 4),
            *sums = take(phases_ > 1 ? phases_ * resultBytes() : 0);
  if (places)
    *places = {band, sums, reinterpret_cast<float *>(spread),
               reinterpret_cast<const std::byte **>(table)};
  return at;
}

/// Enough planes that their common work costs little, but every thread has some.
int64_t PlanarDepthwise::planesOfAPiece(int64_t planes, int threads) const {
  constexpr int64_t kBytes = int64_t(1) << 18;
  int64_t some = ceilDiv(kBytes, band_.elements() * in_.storageBytes());
  return std::max<int64_t>(1, std::min(some, planes / (4 * threads)));
}

llvm::Error PlanarDepthwise::run(StepContext &context) const {
  llvm::Expected<Tensor> dense = context.dense(1);
  if (!dense)
    return dense.takeError();
  llvm::Expected<Tensor> filter =
      convertedTo(*numerics::parseElementType("f32"), context, *dense);
  if (!filter)
    return filter.takeError();
  if (parts_.size() > 1 && !kernels::areFinite(kernels::DataType::F32,
                                               filter->bytes(), filter->size()))
    return last_->run(context);
  llvm::Expected<Tensor> image = context.dense(0);
  if (!image)
    return image.takeError();
  ++context.run.engineSteps;
  const DepthwiseGeometry &g = parts_[0].g;
  const auto *taps = reinterpret_cast<const float *>(filter->bytes());
  std::byte *out = context.out(0).mutableBytes();
  int64_t planes = g.entries * g.channels,
          each = planesOfAPiece(planes, context.run.threads.threads()),
          from = image->denseBytes() / planes,
          to = context.out(0).denseBytes() / planes;
  return forEachPiece(
      context, ceilDiv(planes, each), bytes(nullptr, nullptr),
      [&](int64_t piece, std::byte *memory) -> llvm::Error {
        Memory places;
        bytes(&places, memory);
        prepare(places);
        for (int64_t plane = piece * each;
             plane < std::min(planes, (piece + 1) * each); ++plane) {
          band_.fill(in_.storageBytes(), image->bytes() + plane * from, places.band);
          computePlane(taps, plane % g.channels, places, out + plane * to);
        }
        return llvm::Error::success();
      });
}

static std::optional<Part> makePart(const DepthwiseGeometry &g,
                                    kernels::DataType input,
                                    kernels::DataType output,
                                    kernels::Jit &jit) {
  const DepthwiseAxis &rows = g.axes[1], &columns = g.axes[2];
  kernels::DepthwiseProblem problem{input, columns.out, rows.out, rows.stride};
  problem.lineTaps = rows.kernel, problem.tapStep = rows.dilation;
  problem.lines = columns.kernel;
  problem.output = output;
  auto kernel = kernels::Depthwise::prepare(problem, jit);
  if (!kernel) {
    llvm::consumeError(kernel.takeError());
    return std::nullopt;
  }
  Part part{g, std::move(*kernel), {}, {}};
  auto tap = [](const DepthwiseAxis &axis, int64_t t) {
    return axis.entry(t) * axis.tapStride;
  };
  for (int64_t x = 0; x < columns.kernel; ++x)
    for (int64_t y = 0; y < rows.kernel; ++y) {
      part.taps.push_back(g.filterStart + tap(rows, y) + tap(columns, x));
      if (y % part.kernel.runTaps() == 0)
        part.runs.push_back((x * rows.span(rows.out) + y * rows.dilation) * 8);
    }
  return part;
}

//===--- The algorithm ----------------------------------------------------===//

/// The whole, or its phases, as planes see them; empty where a phase has no taps.
static std::vector<DepthwiseGeometry> geometriesOf(const ConvRequest &request) {
  DepthwiseGeometry g = std::get<DepthwiseGeometry>(depthwiseGeometry(request));
  DepthwiseAxis &rows = g.axes[1], &columns = g.axes[2];
  rows.outStride = columns.out, columns.outStride = 1;
  if (rows.baseDilation > 1 || columns.baseDilation > 1)
    return phasesOf(g);
  return {g};
}

static std::optional<Refusal> supports(const ConvRequest &request) {
  const StepSpec &spec = request.spec;
  const tensor::Shape &in = spec.operands[0].shape, &out = spec.results[0].shape;
  if (!isPlanarConvolution(spec.op) || in.size() != 4 ||
      in[1] != request.w.featureGroups || out[1] != in[1])
    return refuse("not two dimensions with a plane for each channel");
  if (auto refusal = refusalOfDepthwise(request))
    return refusal;
  if (kernels::depthwiseSums(*depthwiseInput(spec)) != kernels::DataType::F32)
    return refuse("sums of columns are made in f32");
  const geometry::Axis &rows = request.w.axes[0], &columns = request.w.axes[1];
  if (double(rows.span(rows.out)) * double(columns.span(columns.out)) >
      kMostBandElements)
    return refuse("a padded plane has more than four million elements");
  std::vector<DepthwiseGeometry> geometries = geometriesOf(request);
  if (geometries.empty())
    return refuse("a phase has no taps");
  // Columns that fill less than half a vector are worth the transposes.
  int64_t lanes = request.machine().isa.lanes(kernels::DataType::F32);
  for (const DepthwiseGeometry &g : geometries)
    if (g.axes[2].out * 2 < lanes)
      return refuse("rows of planes fill less than half a vector");
  return std::nullopt;
}

static double cost(const ConvRequest &request) {
  return 0.4 * request.directCost();
}

static Compiled make(const ConvRequest &request,
                     llvm::function_ref<Compiled()> next) {
  const StepSpec &spec = request.spec;
  kernels::DataType input = *depthwiseInput(spec),
                    output = *kernels::dataTypeOf(spec.results[0].element);
  std::vector<Part> parts;
  for (const DepthwiseGeometry &g : geometriesOf(request)) {
    std::optional<Part> made =
        makePart(g, input, output, request.context->registry.jit());
    if (!made)
      return Refusal{ErrorCode::Unsupported, "no kernel takes the columns"};
    parts.push_back(std::move(*made));
  }
  std::unique_ptr<Step> last; // for a filter of phases that is not finite
  if (parts.size() > 1) {
    Compiled made = next();
    if (std::holds_alternative<Refusal>(made))
      return made;
    last = std::move(std::get<std::unique_ptr<Step>>(made));
  }
  return std::make_unique<PlanarDepthwise>(request.context, std::move(parts),
                                           spec, std::move(last));
}

const ConvAlgorithm kChannelPlanesConvolution{supports, cost, make};

} // namespace assay::engine
