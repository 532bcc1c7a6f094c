// convolution as the gradient of a filter in groups where channels lie last:
// each group's sums over positions are small products of columns of the image
// with columns of the gradient, both read where they lie, so that nothing is
// gathered for each group. One image entry at a time is copied once, padded;
// then each tap of each group takes one row of positions after the other through
// the register tile, which adds to the filter's gradient in place. Threads share
// out the groups, so that sums are the same on any number of them.
#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/FilterGradient.h"
#include "assay/engine/native/Phases.h"
#include "assay/kernels/jit/Jit.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cstring>

namespace assay::engine {

using reference::ConvolutionWindows;

namespace {
/// A part of a group's filter: input channels [row, row + rows), output channels
/// [column, column + columns).
struct Tile {
  int64_t row, rows, column, columns;
  kernels::MicroFunction function = nullptr;
};

class GroupedFilterGradient final : public Step {
public:
  GroupedFilterGradient(std::shared_ptr<NativeContext> context,
                        ConvolutionWindows forward, PhasedAxes axes,
                        std::vector<Tile> tiles, kernels::DataType type)
      : context_(std::move(context)), f_(std::move(forward)),
        axes_(std::move(axes)), tiles_(std::move(tiles)), type_(type),
        size_(kernels::sizeOf(type)) {
    for (size_t d = 0; d < 3; ++d)
      span_[d] = axes_[d].span(axes_[d].out);
  }
  llvm::Error run(StepContext &context) const override;

private:
  void pad(const std::byte *image, std::byte *to, ThreadPool &pool) const;
  void addGroup(int64_t group, bool first, const std::byte *padded,
                const std::byte *gradient, std::byte *out) const;

  std::shared_ptr<NativeContext> context_; ///< owns the kernels' code
  ConvolutionWindows f_;                   ///< of the forward convolution
  PhasedAxes axes_;
  std::vector<Tile> tiles_;
  kernels::DataType type_;
  int64_t size_;
  std::array<int64_t, 3> span_{}; ///< of the padded image
};
} // namespace

/// One entry with zeros around it, as far as the windows see.
void GroupedFilterGradient::pad(const std::byte *image, std::byte *to,
                                ThreadPool &pool) const {
  int64_t pixel = f_.features * size_, low = -axes_[2].leastOffset,
          begin = std::clamp<int64_t>(low, 0, span_[2]),
          end = std::clamp<int64_t>(low + axes_[2].in, begin, span_[2]);
  pool.parallelFor(
      span_[0] * span_[1], 4, [&](int64_t firstRow, int64_t lastRow) {
        for (int64_t row = firstRow; row < lastRow; ++row) {
          int64_t z = row / span_[1] + axes_[0].leastOffset,
                  y = row % span_[1] + axes_[1].leastOffset;
          bool inside = z >= 0 && z < axes_[0].in && y >= 0 && y < axes_[1].in;
          std::byte *line = to + row * span_[2] * pixel;
          int64_t from = inside ? begin : span_[2],
                  until = inside ? end : span_[2];
          std::memset(line, 0, static_cast<size_t>(from * pixel));
          if (inside)
            std::memcpy(line + from * pixel,
                        image +
                            ((z * axes_[1].in + y) * axes_[2].in + from - low) *
                                pixel,
                        static_cast<size_t>((until - from) * pixel));
          std::memset(line + until * pixel, 0,
                      static_cast<size_t>((span_[2] - until) * pixel));
        }
      });
}

/// One entry's part of a group's gradient; the first entry's first row
/// overwrites.
void GroupedFilterGradient::addGroup(int64_t group, bool first,
                                     const std::byte *padded,
                                     const std::byte *gradient,
                                     std::byte *out) const {
  int64_t ci = f_.groupIn(), co = f_.groupOut(), all = f_.outFeatures,
          lines = axes_[0].out * axes_[1].out;
  kernels::MicroArguments arguments;
  arguments.k = axes_[2].out;
  arguments.aStride = axes_[2].inStep * f_.features * size_;
  arguments.bStride = all * size_;
  arguments.cRow = all * size_;
  for (const PhasedAxis::Tap &z : axes_[0].phases[0].taps)
    for (const PhasedAxis::Tap &y : axes_[1].phases[0].taps)
      for (const PhasedAxis::Tap &x : axes_[2].phases[0].taps)
        for (const Tile &tile : tiles_) {
          int64_t tap =
              (z.index * axes_[1].kernel + y.index) * axes_[2].kernel + x.index;
          arguments.c =
              out +
              ((tap * ci + tile.row) * all + group * co + tile.column) * size_;
          arguments.n = tile.columns;
          for (int64_t line = 0; line < lines; ++line) {
            int64_t inZ = line / axes_[1].out * axes_[0].inStep + z.offset -
                          axes_[0].leastOffset,
                    inY = line % axes_[1].out * axes_[1].inStep + y.offset -
                          axes_[1].leastOffset,
                    inX = x.offset - axes_[2].leastOffset;
            arguments.a = padded + (((inZ * span_[1] + inY) * span_[2] + inX) *
                                        f_.features +
                                    group * ci + tile.row) *
                                       size_;
            arguments.b =
                gradient +
                (line * axes_[2].out * all + group * co + tile.column) * size_;
            setScalars(arguments, type_, 1, first && line == 0 ? 0 : 1);
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
  llvm::Expected<Tensor> padded =
      context.allocate({operands[0].elementType(),
                        {span_[0] * span_[1] * span_[2] * f_.features}});
  if (!padded)
    return padded.takeError();
  std::byte *out = context.out(0).mutableBytes(),
            *entry = padded->mutableBytes();
  ThreadPool &pool = context.run.threads;
  for (int64_t n = 0; n < f_.batch; ++n) {
    pad(operands[0].bytes() + n * f_.inPositions() * f_.features * size_, entry,
        pool);
    const std::byte *from =
        operands[1].bytes() + n * f_.positions() * f_.outFeatures * size_;
    pool.parallelFor(f_.groups(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t group = begin; group < end; ++group)
        addGroup(group, n == 0, entry, from, out);
    });
  }
  return llvm::Error::success();
}

/// Channels of a group from which on its windows are worth gathering: rows of
/// the register tile then go into whole products.
static constexpr int64_t kMostChannels = 48;
/// A padded entry beyond this and four times the entry is not made.
static constexpr double kLeastPaddedElements = 1 << 22;

/// The tiles of a group, compiled; empty where a kernel is refused.
static std::vector<Tile> tilesOf(const ConvolutionWindows &f,
                                 kernels::DataType type,
                                 NativeContext &context) {
  const kernels::Isa &isa = context.registry.machine().isa;
  kernels::MicroKey key;
  key.math = type == kernels::DataType::F64 ? kernels::MicroMath::F64
                                            : kernels::MicroMath::F32;
  key.aForm = kernels::AForm::ColumnMajor;
  key.aType = key.bType = type;
  key.bPacked = false;
  key.unroll = 4;
  int64_t lanes = isa.lanes(type), most = isa.vectorRegisters - 4,
          rows = ceilDiv(f.groupIn(), ceilDiv(f.groupIn(), most));
  std::vector<Tile> tiles;
  for (int64_t row = 0; row < f.groupIn(); row += rows)
    for (int64_t column = 0; column < f.groupOut(); column += lanes) {
      Tile tile{row, std::min(rows, f.groupIn() - row), column,
                std::min(lanes, f.groupOut() - column)};
      key.rows = static_cast<int>(tile.rows);
      key.bMasked = tile.columns < lanes;
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

std::unique_ptr<Step>
makeGroupedFilterGradient(std::shared_ptr<NativeContext> context,
                          const ConvolutionWindows &forward,
                          kernels::DataType type) {
  if (forward.groups() < 2 || forward.in.size() > 3 ||
      std::max(forward.groupIn(), forward.groupOut()) > kMostChannels ||
      (type != kernels::DataType::F32 && type != kernels::DataType::F64))
    return nullptr;
  PhasedAxes axes = phasedAxes(forward);
  double padded = double(forward.features),
         entry = padded * double(forward.inPositions());
  for (const PhasedAxis &axis : axes)
    padded *= double(axis.span(axis.out));
  if (padded > kLeastPaddedElements && padded > 4 * entry)
    return nullptr;
  std::vector<Tile> tiles = tilesOf(forward, type, *context);
  if (tiles.empty())
    return nullptr;
  return std::make_unique<GroupedFilterGradient>(
      std::move(context), forward, std::move(axes), std::move(tiles), type);
}

} // namespace assay::engine
