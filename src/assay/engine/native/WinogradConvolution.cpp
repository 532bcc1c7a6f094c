// convolution of windows of 3 x 3 in f32, channels last, by Winograd's transforms: tiles of
// the image become points, each point of all tiles is a product with that point of the
// filter, and sums of points become results. A piece of work takes rows of tiles: their
// points stay in the second-level cache while panels of the filter pass over them, all
// points of a panel one after the other. Its errors grow with everything in a tile, and a
// number that is not finite would reach a whole tile: such operands, and weights that are
// new at each run, which cost too much to transform, go to the direct kernels. Only where
// NumericOptions::convolution allows it.
#include "assay/engine/native/KeptResult.h"
#include "assay/engine/native/Pieces.h"
#include "assay/engine/native/WinogradTiles.h"
#include "assay/reference/Strided.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace assay::engine {

namespace {
/// The filter's points in panels: [panel of columns][point].
struct FilterPoints {
  Tensor memory;
  float largest = 0; ///< magnitude in the filter
};
using KeptPoints = std::shared_ptr<const FilterPoints>;

class WinogradConvolution final : public PiecewiseStep {
public:
  WinogradConvolution(std::shared_ptr<NativeContext> context,
                      WinogradTiles tiles, std::unique_ptr<Step> direct)
      : context_(std::move(context)), t_(std::move(tiles)),
        direct_(std::move(direct)) {}
  llvm::Error runPieces(StepContext &context, Ready ready) const override;
  int64_t unit() const override { return t_.w.outFeatures; }
  void setConstantWeight() override {
    constantFilter_ = true;
    engine::setConstantWeight(*direct_);
  }

private:
  class Run;
  llvm::Expected<KeptPoints> pointsOf(StepContext &context) const;
  llvm::Expected<KeptPoints> transform(StepContext &context,
                                       const Tensor &filter) const;
  void writePanel(const float *filter, int64_t panel, std::byte *packed) const;

  std::shared_ptr<NativeContext> context_; ///< owns the kernels' code
  WinogradTiles t_;
  std::unique_ptr<Step> direct_; ///< a PiecewiseStep
  bool constantFilter_ = false;
  mutable KeptResult<KeptPoints> points_;
};
} // namespace

//===--- The filter ------------------------------------------------------===//

/// All points of a panel's columns. `filter`: [row, column, channel, out channel].
void WinogradConvolution::writePanel(const float *filter, int64_t panel,
                                     std::byte *packed) const {
  int64_t points = t_.tile.points(), width = t_.product->panelColumns(),
          first = panel * width,
          columns = std::min(width, t_.w.outFeatures - first),
          size = t_.w.features * width;
  std::vector<float> panels(static_cast<size_t>(points * size));
  for (int64_t c = 0; c < t_.w.features; ++c)
    kernels::winogradFilter(t_.tile, filter + c * t_.w.outFeatures + first,
                            t_.w.features * t_.w.outFeatures, columns,
                            panels.data() + c * width, size);
  for (int64_t p = 0; p < points; ++p) {
    int64_t index = panel * points + p, start[] = {-index * width};
    kernels::WindowFilter from;
    from.source = panels.data() + p * size;
    from.starts = start;
    from.channelStride = width;
    t_.product->pack(from, index, packed);
  }
}

llvm::Expected<KeptPoints>
WinogradConvolution::transform(StepContext &context,
                               const Tensor &filter) const {
  llvm::Expected<Tensor> ordered =
      context.allocate({filter.elementType(), t_.filterShape()});
  if (!ordered)
    return ordered.takeError();
  reference::copyStrided(
      4, t_.filterShape(), filter.bytes() + t_.filterStart * 4,
      t_.filterStrides, ordered->mutableBytes(),
      tensor::rowMajorStrides(t_.filterShape()), &context.run.threads);
  const auto *from = reinterpret_cast<const float *>(ordered->bytes());
  auto made = std::make_shared<FilterPoints>();
  made->largest = kernels::largestMagnitude(from, ordered->size());
  auto write = [&](std::byte *packed) {
    context.run.threads.parallelFor(
        t_.panels(), 1, [&](int64_t begin, int64_t end) {
          for (int64_t panel = begin; panel < end; ++panel)
            writePanel(from, panel, packed);
        });
  };
  auto memory = context_->panelMemory.make(context, t_.product->packedBytes(1),
                                           write, constantFilter_);
  if (!memory)
    return memory.takeError();
  made->memory = std::move(*memory);
  return made;
}

/// The points of the last call where the filter is a weight and the same tensor.
llvm::Expected<KeptPoints>
WinogradConvolution::pointsOf(StepContext &context) const {
  llvm::Expected<Tensor> filter = context.dense(1);
  if (!filter)
    return filter.takeError();
  if (!constantFilter_)
    return transform(context, *filter);
  return points_.get(context.operand(1), [&] {
    auto made = transform(context, *filter);
    context_->packings += made ? 1 : 0;
    return made;
  });
}

//===--- One execution ---------------------------------------------------===//

class WinogradConvolution::Run {
public:
  Run(const WinogradTiles &tiles, StepContext &context,
      const FilterPoints &filter, const Tensor &image)
      : t_(tiles), context_(context), filter_(filter),
        image_(reinterpret_cast<const float *>(image.bytes())),
        out_(reinterpret_cast<float *>(context.out(0).mutableBytes())),
        zeros_(static_cast<size_t>(tiles.w.features)) {}
  llvm::Error all(Ready ready);

private:
  /// Rows of tiles [row, rowEnd), those of all entries counted, columns [column,
  /// columnEnd) of them, and panels [panel, panelEnd) of the filter.
  struct Piece {
    int64_t row, rowEnd, column, columnEnd, panel, panelEnd;
    int64_t width() const { return columnEnd - column; }
    int64_t tiles() const { return (rowEnd - row) * width(); }
  };
  /// The first result of a tile.
  struct Place {
    int64_t entry, y, x;
  };
  void cut();
  int64_t pieces() const {
    return ceilDiv(t_.allRows(), rows_) * ceilDiv(t_.tileColumns, columns_) *
           parts_;
  }
  Piece pieceOf(int64_t index) const;
  Place placeOf(const Piece &piece, int64_t tile) const;
  void fill(const Piece &piece, float *points) const;
  void finish(const Piece &piece, int64_t panel, const float *sums,
              float *nowhere) const;
  void compute(const Piece &piece, std::byte *memory) const;
  void notifyReady(const Piece &piece, Ready ready) const;

  const WinogradTiles &t_;
  StepContext &context_;
  const FilterPoints &filter_;
  const float *image_;
  float *out_;
  std::vector<float> zeros_;                   ///< a pixel outside the image
  int64_t rows_ = 1, columns_ = 1, parts_ = 1; ///< of a piece; of the filter
};

/// As much for every thread: parts of a filter that outweighs the tiles' points, else
/// fewer rows of tiles in a piece.
void WinogradConvolution::Run::cut() {
  rows_ = t_.pieceRows, columns_ = t_.pieceColumns;
  int64_t threads = context_.run.threads.threads();
  if (threads == 1)
    return;
  int64_t tiles = t_.allRows() * t_.tileColumns * t_.pointBytes();
  if (t_.product->packedBytes(1) > 2 * tiles && t_.panels() >= threads) {
    parts_ = threads;
    return;
  }
  rows_ = ceilDiv(t_.allRows(), roundUp(ceilDiv(t_.allRows(), rows_), threads));
}

WinogradConvolution::Run::Piece
WinogradConvolution::Run::pieceOf(int64_t index) const {
  Piece piece;
  int64_t part = index % parts_;
  piece.panel = part * t_.panels() / parts_;
  piece.panelEnd = (part + 1) * t_.panels() / parts_;
  index /= parts_;
  int64_t across = ceilDiv(t_.tileColumns, columns_);
  piece.column = index % across * columns_;
  piece.columnEnd = std::min(piece.column + columns_, t_.tileColumns);
  piece.row = index / across * rows_;
  piece.rowEnd = std::min(piece.row + rows_, t_.allRows());
  return piece;
}

WinogradConvolution::Run::Place
WinogradConvolution::Run::placeOf(const Piece &piece, int64_t tile) const {
  int64_t row = piece.row + tile / piece.width(),
          column = piece.column + tile % piece.width();
  return {row / t_.tileRows, row % t_.tileRows * t_.tile.results,
          column * t_.tile.results};
}

/// The points of the piece's tiles, [point][tile][channel].
void WinogradConvolution::Run::fill(const Piece &piece, float *points) const {
  int64_t side = t_.tile.side();
  std::vector<const float *> pixels(static_cast<size_t>(side * side));
  for (int64_t tile = 0; tile < piece.tiles(); ++tile) {
    Place at = placeOf(piece, tile);
    const float *entry = image_ + at.entry * t_.w.axes[0].in * t_.w.axes[1].in * t_.w.features;
    for (int64_t y = 0; y < side; ++y)
      for (int64_t x = 0; x < side; ++x) {
        int64_t row = at.y + y - t_.w.axes[0].low, column = at.x + x - t_.w.axes[1].low;
        bool inside =
            row >= 0 && row < t_.w.axes[0].in && column >= 0 && column < t_.w.axes[1].in;
        pixels[static_cast<size_t>(y * side + x)] =
            inside ? entry + (row * t_.w.axes[1].in + column) * t_.w.features
                   : zeros_.data();
      }
    kernels::winogradImage(t_.tile, pixels.data(), t_.w.features,
                           points + tile * t_.rowElements(),
                           t_.pieceTiles() * t_.rowElements());
  }
}

/// Results of a panel's columns; those beyond the image's edge are not stored.
void WinogradConvolution::Run::finish(const Piece &piece, int64_t panel,
                                      const float *sums, float *nowhere) const {
  int64_t side = t_.tile.results, width = t_.product->panelColumns(),
          first = panel * width;
  std::vector<float *> results(static_cast<size_t>(side * side));
  for (int64_t tile = 0; tile < piece.tiles(); ++tile) {
    Place at = placeOf(piece, tile);
    float *entry = out_ + at.entry * t_.w.axes[0].out * t_.w.axes[1].out * t_.w.outFeatures;
    for (int64_t y = 0; y < side; ++y)
      for (int64_t x = 0; x < side; ++x) {
        bool inside = at.y + y < t_.w.axes[0].out && at.x + x < t_.w.axes[1].out;
        results[static_cast<size_t>(y * side + x)] =
            inside
                ? entry + ((at.y + y) * t_.w.axes[1].out + at.x + x) * t_.w.outFeatures +
                      first
                : nowhere;
      }
    kernels::winogradResult(t_.tile, sums + tile * t_.sumElements(), width,
                            std::min(width, t_.w.outFeatures - first),
                            results.data());
  }
}

void WinogradConvolution::Run::compute(const Piece &piece,
                                       std::byte *memory) const {
  auto *points = reinterpret_cast<float *>(memory);
  float *sums = points + t_.pieceTiles() * t_.tile.points() * t_.rowElements(),
        *nowhere = sums + t_.pieceTiles() * t_.sumElements();
  fill(piece, points);
  // Register blocks are whole, or end where a full piece does.
  int64_t most = t_.pieceTiles(),
          all = std::min(most,
                         roundUp(piece.tiles(), t_.product->blockPositions()));
  for (int64_t p = 0; p < t_.tile.points(); ++p)
    std::fill(points + (p * most + piece.tiles()) * t_.rowElements(),
              points + (p * most + all) * t_.rowElements(), 0.0f);
  kernels::WindowLines lines;
  const int64_t taps[] = {0};
  lines.positions = all;
  lines.taps = taps;
  lines.filter = filter_.memory.bytes();
  lines.imageStep = t_.rowElements() * 4;
  lines.outStep = t_.sumElements() * 4;
  lines.panelStep = most * t_.rowElements() * 4;
  int64_t count = t_.tile.points();
  for (int64_t panel = piece.panel; panel < piece.panelEnd; ++panel) {
    const std::byte *images[] = {memory - panel * count * lines.panelStep};
    std::byte *outs[] = {reinterpret_cast<std::byte *>(sums) -
                         panel * count * t_.product->panelColumns() * 4};
    lines.images = images, lines.outs = outs;
    t_.product->run(lines, panel * count, (panel + 1) * count);
    finish(piece, panel, sums, nowhere);
  }
}

/// Rows of results, those together that follow each other.
void WinogradConvolution::Run::notifyReady(const Piece &piece,
                                           Ready ready) const {
  int64_t side = t_.tile.results, begin = piece.column * side,
          end = std::min(piece.columnEnd * side, t_.w.axes[1].out),
          pixel = t_.w.outFeatures;
  for (int64_t row = piece.row; row < piece.rowEnd; ++row) {
    int64_t first = row % t_.tileRows * side,
            last = std::min(first + side, t_.w.axes[0].out),
            line = row / t_.tileRows * t_.w.axes[0].out * t_.w.axes[1].out;
    if (piece.width() == t_.tileColumns) {
      ready((line + first * t_.w.axes[1].out) * pixel,
            (line + last * t_.w.axes[1].out) * pixel);
      continue;
    }
    for (int64_t y = first; y < last; ++y)
      ready((line + y * t_.w.axes[1].out + begin) * pixel,
            (line + y * t_.w.axes[1].out + end) * pixel);
  }
}

llvm::Error WinogradConvolution::Run::all(Ready ready) {
  cut();
  bool soon = ready && parts_ == 1;
  if (llvm::Error error =
          forEachPiece(context_, pieces(), t_.workBytes(),
                       [&](int64_t index, std::byte *memory) -> llvm::Error {
                         Piece piece = pieceOf(index);
                         compute(piece, memory);
                         if (soon)
                           notifyReady(piece, ready);
                         return llvm::Error::success();
                       }))
    return error;
  if (ready && !soon)
    sayAllReady(context_.run.threads, context_.out(0).size(), t_.w.outFeatures,
                ready);
  return llvm::Error::success();
}

//===--- The step --------------------------------------------------------===//

/// The greatest magnitude in an image, by all threads.
static float largestOf(const Tensor &image, ThreadPool &threads) {
  constexpr int64_t kGrain = int64_t(1) << 14;
  std::atomic<float> largest{0};
  const auto *pixels = reinterpret_cast<const float *>(image.bytes());
  threads.parallelFor(image.size(), kGrain, [&](int64_t begin, int64_t end) {
    float mine = kernels::largestMagnitude(pixels + begin, end - begin),
          known = largest.load();
    while (mine > known && !largest.compare_exchange_weak(known, mine))
      ;
  });
  return largest;
}

llvm::Error WinogradConvolution::runPieces(StepContext &context,
                                           Ready ready) const {
  const PiecewiseStep &direct = *piecewiseOf(*direct_);
  if (!constantFilter_ && !t_.takesNewFilters)
    return direct.runPieces(context, ready);
  llvm::Expected<Tensor> image = context.dense(0);
  if (!image)
    return image.takeError();
  llvm::Expected<KeptPoints> filter = pointsOf(context);
  if (!filter)
    return filter.takeError();
  // Infinities and NaN fail this too.
  if (!(double(largestOf(*image, context.run.threads)) *
            double((*filter)->largest) <
        t_.mostProduct()))
    return direct.runPieces(context, ready);
  ++context.run.engineSteps;
  return Run(t_, context, **filter, *image).all(ready);
}

//===--- The algorithm ----------------------------------------------------===//

/// `next` computes what is not finite, might overflow, or has a new filter.
static Compiled make(const ConvRequest &request,
                     llvm::function_ref<Compiled()> next) {
  Compiled direct = next();
  auto *step = std::get_if<std::unique_ptr<Step>>(&direct);
  const PiecewiseStep *pieces = step ? piecewiseOf(**step) : nullptr;
  if (!pieces || pieces->unit() != request.w.outFeatures)
    return direct;
  llvm::Expected<WinogradTiles> tiles = winogradTiles(request);
  if (!tiles) {
    llvm::consumeError(tiles.takeError());
    return direct;
  }
  return std::make_unique<WinogradConvolution>(
      request.context, std::move(*tiles), std::move(*step));
}

const ConvAlgorithm kWinogradConvolution{refusalOfWinograd, costOfWinograd, make};

} // namespace assay::engine
