// Gradient of a filter with channels last, in groups of a few channels or of an image of
// few: each group's sums over positions are small products of columns of the image with
// columns of the gradient. A group's channels of some lines of positions are gathered,
// padded and widened to the type of the sums, so that they stay in the cache. Then the taps of
// a row of the window, which are adjacent, are one product over all of these positions,
// read in place, whose sums stay in registers. Threads divide the vectors of output
// channels, and rows of the window where these are too few, so that sums are the same on any
// number of threads.
#include "assay/engine/native/FilterGradient.h"
#include "assay/geometry/Phases.h"
#include "assay/engine/native/Pieces.h"
#include "assay/kernels/conv/ConvConfig.h"
#include "assay/kernels/jit/Jit.h"
#include "assay/kernels/outer/Packing.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cstring>

namespace assay::engine {

/// Taps side by side in a row of the window; else each tap is a row.
static int64_t tapsOfARow(const geometry::PhasedAxis &axis) {
  const std::vector<geometry::PhasedAxis::Tap> &taps = axis.phases[0].taps;
  for (size_t t = 1; t < taps.size(); ++t)
    if (taps[t].index != taps[0].index + int64_t(t) ||
        taps[t].offset != taps[0].offset + int64_t(t))
      return 1;
  return static_cast<int64_t>(taps.size());
}

namespace {
/// The part that a row of the window meets: [row, row + rows) of its taps' channels.
struct Tile {
  int64_t row, rows;
  kernels::MicroFunction function = nullptr;
};
/// Output channels [column, column + columns) of a group, and part `part` of `parts` of the
/// window's rows.
struct Panel {
  int64_t group, column, columns, part = 0, parts = 1;
};

class GroupedFilterGradient final : public Step {
public:
  GroupedFilterGradient(std::shared_ptr<NativeContext> context,
                        geometry::Convolution forward, std::vector<Tile> tiles,
                        kernels::DataType type);
  /// Bytes of a group's image and gradient for one line of positions.
  double leastBytes() const {
    return double(imageBytes(1)) + double(gradientBytes(1));
  }
  llvm::Error run(StepContext &context) const override;

private:
  /// Lines [first, first + count) of plane `plane` of entry `entry`.
  struct Lines {
    int64_t entry, plane, first, count;
  };
  /// Double: an absurd dilation or padding is refused, not allocated.
  double imageBytes(int64_t lines) const {
    return double(span_[0]) * double(axes_[1].span(lines)) * double(span_[2]) *
           double(f_.groupIn() * wide_);
  }
  double gradientBytes(int64_t lines) const {
    return double(lines) * double(axes_[2].out * lanes_ * wide_);
  }
  int64_t panels() const { return ceilDiv(f_.groupOut(), lanes_); }
  /// How many parts the window's rows are divided into where panels are too few for the threads.
  int64_t partsFor(int threads) const {
    int64_t rows = f_.taps() / axes_[2].kernel;
    return std::clamp<int64_t>(ceilDiv(2 * int64_t(threads), f_.groups() * panels()),
                               1, threads > 1 ? rows : 1);
  }
  Panel panelAt(int64_t index, int64_t parts) const {
    int64_t part = index % parts;
    index /= parts;
    int64_t column = index % panels() * lanes_;
    return {index / panels(), column, std::min(lanes_, f_.groupOut() - column), part,
            parts};
  }
  void gatherImage(const std::byte *image, int64_t group, const Lines &lines,
                   std::byte *to) const;
  void gatherGradient(const std::byte *gradient, const Panel &panel,
                      const Lines &lines, std::byte *to) const;
  void add(const Panel &panel, const Lines &lines, const std::byte *image,
           const std::byte *gradient, std::byte *out) const;

  std::shared_ptr<NativeContext> context_; ///< owns the kernels' code
  geometry::Convolution f_;                   ///< of the forward convolution
  geometry::PhasedAxes axes_;
  std::vector<Tile> tiles_;
  kernels::DataType type_, sums_;
  kernels::MicroMath math_;
  int64_t size_, wide_, lanes_;
  int64_t lines_ = 1; ///< that are brought together, at most
  std::array<int64_t, 3> span_{}; ///< of one plane, of all lines and columns
};
} // namespace

GroupedFilterGradient::GroupedFilterGradient(
    std::shared_ptr<NativeContext> context, geometry::Convolution forward,
    std::vector<Tile> tiles, kernels::DataType type)
    : context_(std::move(context)), f_(std::move(forward)),
      axes_(geometry::phasedAxes(f_)), tiles_(std::move(tiles)), type_(type),
      sums_(kernels::accumulatorOf(type)),
      math_(sums_ == kernels::DataType::F64 ? kernels::MicroMath::F64
                                            : kernels::MicroMath::F32),
      size_(kernels::sizeOf(type)), wide_(kernels::sizeOf(sums_)),
      lanes_(context_->registry.machine().isa.lanes(sums_)) {
  span_ = {axes_[0].span(1), axes_[1].span(axes_[1].out),
           axes_[2].span(axes_[2].out)};
  const double room = double(context_->registry.machine().caches.l2 / 2);
  lines_ = axes_[1].out;
  while (lines_ > 1 && imageBytes(lines_) + gradientBytes(lines_) > room)
    lines_ = ceilDiv(lines_, int64_t(2));
}

/// The group's channels that the lines' windows see, zeros around them.
void GroupedFilterGradient::gatherImage(const std::byte *image, int64_t group,
                                        const Lines &lines,
                                        std::byte *to) const {
  int64_t ci = f_.groupIn(), low = -axes_[2].leastOffset, pixel = ci * wide_,
          begin = std::clamp<int64_t>(low, 0, span_[2]),
          end = std::clamp<int64_t>(low + axes_[2].in, begin, span_[2]);
  kernels::PanelJob job;
  job.type = type_;
  job.laneStride = 1, job.stepStride = f_.features;
  job.lanes = job.width = static_cast<int>(ci);
  job.k = end - begin;
  for (int64_t plane = 0; plane < span_[0]; ++plane)
    for (int64_t row = 0; row < axes_[1].span(lines.count);
         ++row, to += span_[2] * pixel) {
      int64_t z = lines.plane * axes_[0].inStep + axes_[0].leastOffset + plane,
              y = lines.first * axes_[1].inStep + axes_[1].leastOffset + row;
      bool inside = z >= 0 && z < axes_[0].in && y >= 0 && y < axes_[1].in;
      int64_t from = inside ? begin : span_[2], until = inside ? end : span_[2];
      std::memset(to, 0, static_cast<size_t>(from * pixel));
      if (inside && job.k > 0) {
        int64_t first = ((lines.entry * axes_[0].in + z) * axes_[1].in + y) *
                            axes_[2].in +
                        begin - low;
        job.source = image + (first * f_.features + group * ci) * size_;
        packPanel(job, math_, to + begin * pixel);
      }
      std::memset(to + until * pixel, 0,
                  static_cast<size_t>((span_[2] - until) * pixel));
    }
}

/// The panel's channels of the lines' gradient.
void GroupedFilterGradient::gatherGradient(const std::byte *gradient,
                                           const Panel &panel,
                                           const Lines &lines,
                                           std::byte *to) const {
  int64_t first = ((lines.entry * axes_[0].out + lines.plane) * axes_[1].out +
                   lines.first) *
                  axes_[2].out;
  kernels::PanelJob job;
  job.type = type_;
  job.laneStride = 1, job.stepStride = f_.outFeatures;
  job.width = static_cast<int>(lanes_);
  job.k = lines.count * axes_[2].out;
  job.lanes = static_cast<int>(panel.columns);
  job.source = gradient + (first * f_.outFeatures +
                           panel.group * f_.groupOut() + panel.column) *
                              size_;
  packPanel(job, math_, to);
}

/// The lines' part of a panel's gradient; the very first lines overwrite.
void GroupedFilterGradient::add(const Panel &panel, const Lines &lines,
                                const std::byte *image,
                                const std::byte *gradient,
                                std::byte *out) const {
  int64_t ci = f_.groupIn(), all = f_.outFeatures, pixel = ci * wide_,
          row = span_[2] * pixel, plane = axes_[1].span(lines.count) * row,
          column = panel.group * f_.groupOut() + panel.column;
  std::vector<int64_t> places;
  for (int64_t line = 0; line < lines.count; ++line)
    places.push_back(line * axes_[1].inStep * row);
  kernels::MicroArguments arguments;
  arguments.k = axes_[2].out;
  arguments.aStride = axes_[2].inStep * pixel;
  arguments.cRow = all * wide_;
  arguments.taps = places.data();
  arguments.tapCount = lines.count;
  bool isFirst = lines.entry == 0 && lines.plane == 0 && lines.first == 0;
  setScalars(arguments, sums_, 1, isFirst ? 0 : 1);
  arguments.b = gradient;
  arguments.n = panel.columns;
  const std::vector<geometry::PhasedAxis::Tap> &columns = axes_[2].phases[0].taps;
  const auto step = static_cast<size_t>(tapsOfARow(axes_[2]));
  for (const geometry::PhasedAxis::Tap &z : axes_[0].phases[0].taps)
    for (const geometry::PhasedAxis::Tap &y : axes_[1].phases[0].taps) {
      if ((z.index * axes_[1].kernel + y.index) % panel.parts != panel.part)
        continue;
      for (size_t t = 0; t < columns.size(); t += step)
        for (const Tile &tile : tiles_) {
          const geometry::PhasedAxis::Tap &x = columns[t];
          int64_t tap =
              (z.index * axes_[1].kernel + y.index) * axes_[2].kernel + x.index;
          arguments.a = image + (z.offset - axes_[0].leastOffset) * plane +
                        (y.offset - axes_[1].leastOffset) * row +
                        (x.offset - axes_[2].leastOffset) * pixel +
                        tile.row * wide_;
          arguments.c = out + ((tap * ci + tile.row) * all + column) * wide_;
          tile.function(&arguments);
        }
    }
}

llvm::Error GroupedFilterGradient::run(StepContext &context) const {
  ++context.run.engineSteps;
  Tensor operands[2]; // image and gradient
  for (unsigned o : {0u, 1u}) {
    llvm::Expected<Tensor> dense = context.dense(o);
    if (!dense)
      return dense.takeError();
    operands[o] = std::move(*dense);
  }
  std::byte *out = context.out(0).mutableBytes();
  int64_t imageBytes = roundUp(int64_t(this->imageBytes(lines_)), 64),
          bytes = imageBytes + int64_t(gradientBytes(lines_)),
          parts = partsFor(context.run.threads.threads());
  return forEachPiece(
      context, f_.groups() * panels() * parts, bytes,
      [&](int64_t index, std::byte *memory) -> llvm::Error {
        std::byte *gradient = memory + imageBytes;
        Panel panel = panelAt(index, parts);
        Lines lines{};
        for (lines.entry = 0; lines.entry < f_.batch; ++lines.entry)
          for (lines.plane = 0; lines.plane < axes_[0].out; ++lines.plane)
            for (lines.first = 0; lines.first < axes_[1].out;
                 lines.first += lines_) {
              lines.count = std::min(lines_, axes_[1].out - lines.first);
              gatherImage(operands[0].bytes(), panel.group, lines, memory);
              gatherGradient(operands[1].bytes(), panel, lines, gradient);
              add(panel, lines, memory, gradient, out);
            }
        return llvm::Error::success();
      });
}

/// No line of windows takes more memory.
static constexpr double kMostBytes = 1 << 24;

/// The tiles of a row of the window, compiled; empty where a kernel is refused.
static std::vector<Tile> tilesOf(const geometry::Convolution &f,
                                 kernels::DataType sums,
                                 NativeContext &context) {
  const kernels::Isa &isa = context.registry.machine().isa;
  kernels::MicroKey key;
  key.math = sums == kernels::DataType::F64 ? kernels::MicroMath::F64
                                            : kernels::MicroMath::F32;
  key.aForm = kernels::AForm::ColumnWindows;
  key.aType = key.bType = sums;
  key.unroll = 4;
  int64_t most = isa.vectorRegisters - 4,
          all = f.groupIn() * tapsOfARow(geometry::phasedAxes(f)[2]),
          rows = ceilDiv(all, ceilDiv(all, most));
  std::vector<Tile> tiles;
  for (int64_t row = 0; row < all; row += rows) {
    Tile tile{row, std::min(rows, all - row)};
    key.rows = static_cast<int>(tile.rows);
    auto function = context.registry.jit().get(key);
    if (!function) {
      llvm::consumeError(function.takeError());
      return {};
    }
    tile.function = *function;
    tiles.push_back(tile);
  }
  return tiles;
}

//===--- The algorithm ----------------------------------------------------===//

static std::optional<Refusal> supports(const ConvRequest &request) {
  if (auto refusal = refusalOfGradient(request))
    return refusal;
  geometry::Convolution f = request.w.forwardOfGradient();
  if (f.axes.size() > 3)
    return refuse("more than three spatial dimensions");
  if (!kernels::takesGroupColumns(f.groups(), f.groupIn(), f.groupOut(),
                                  f.isPointwise()))
    return refuse("groups of many channels, or one of many");
  kernels::DataType sums = kernels::accumulatorOf(
      *kernels::dataTypeOf(request.spec.operands[0].element));
  if (sums != kernels::DataType::F32 && sums != kernels::DataType::F64)
    return refuse("sums are made in f32 and f64");
  return std::nullopt;
}

static double cost(const ConvRequest &request) {
  geometry::Convolution f = request.w.forwardOfGradient();
  bool few = f.groups() > 1 || f.features <= kernels::kFewImageChannels;
  return tunedCost(request, kernels::ConvAlgorithm::GroupColumns,
                   few ? 0.8 : 1.2);
}

static Compiled make(const ConvRequest &request,
                     llvm::function_ref<Compiled()> /*next*/) {
  geometry::Convolution forward = request.w.forwardOfGradient();
  auto type = *kernels::dataTypeOf(request.spec.operands[0].element);
  std::vector<Tile> tiles =
      tilesOf(forward, kernels::accumulatorOf(type), *request.context);
  if (tiles.empty())
    return Refusal{ErrorCode::Unsupported, "no kernel takes the columns"};
  auto made = std::make_unique<GroupedFilterGradient>(
      request.context, std::move(forward), std::move(tiles), type);
  if (made->leastBytes() > kMostBytes)
    return Refusal{ErrorCode::Unsupported,
                   "a line of windows is larger than 16 MiB"};
  return roundedOnce(std::move(made), request.spec);
}

const ConvAlgorithm kGroupColumnsConvolution{supports, cost, make};

} // namespace assay::engine
