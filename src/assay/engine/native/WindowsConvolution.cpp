// convolution of images whose channels are contiguous (NHWC), any groups,
// strides and dilations, the gradient of a strided convolution's data included:
// nothing is gathered, and zeros of a dilated input are not multiplied. A piece
// of work copies the part of the image that it reads into a band, padded, with
// elements as the kernels read them; then each phase of the positions is a product of
// the windows, read in place in the band, with its taps of the filter.
#include "assay/engine/native/ChannelsLastFilter.h"
#include "assay/engine/native/Pieces.h"
#include "assay/kernels/Finite.h"
#include "assay/numerics/Convert.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace assay::engine {

namespace {
class ChannelsLastConvolution final : public PiecewiseStep {
public:
  ChannelsLastConvolution(std::shared_ptr<NativeContext> context,
                          ChannelsLast geometry)
      : c_(std::move(geometry)), filter_(std::move(context), c_) {}
  llvm::Error runPieces(StepContext &context, Ready ready) const override;
  int64_t unit() const override {
    return c_.hasDenseResult() ? c_.w.outFeatures : 0;
  }
  void setConstantWeight() override { filter_.setConstant(); }

private:
  class Run;

  ChannelsLast c_;
  ChannelsLastFilter filter_;
};
} // namespace

/// The operands of one execution, and how its work is cut.
class ChannelsLastConvolution::Run {
public:
  Run(const ChannelsLastConvolution &step, StepContext &context,
      const FilterPanels &filter)
      : c_(step.c_), context_(context), filter_(filter),
        narrow_(!(c_.sums == c_.out)) {}
  llvm::Error all(Ready ready);

private:
  /// Positions [first, last) of the longest phase in each dimension, and part
  /// `part` of the filter's columns.
  struct Piece {
    int64_t entry, part;
    std::array<int64_t, 3> first, last;
    bool isFinite =
        true; ///< whether all of it is finite; not looked at where that makes no difference
  };
  void cut();
  void cutRows(size_t d, int threads);
  bool cutsFilter(int64_t panels) const;
  int64_t pieces() const;
  Piece pieceOf(int64_t index) const;
  void copyRow(const std::byte *from, int64_t count, std::byte *to) const;
  void fillBand(const Piece &piece, std::byte *band) const;
  struct Lines {
    int64_t positions = 0; ///< of each
    std::vector<const std::byte *> images;
    std::vector<std::byte *> places; ///< of the first channel
  };
  /// Output channels [begin, end) of the group that begins with `group`.
  struct Columns {
    int64_t group, begin, end;
  };
  Lines linesOf(const Piece &piece, const WindowPhase &phase,
                const std::byte *band) const;
  void compute(const Piece &piece, size_t index, const std::byte *band,
               std::byte *sums) const;
  /// Sums of the phase go through memory, and are rounded after the kernel.
  bool roundsBehind(const WindowPhase &phase) const {
    return narrow_ && !phase.product->rounds();
  }
  int64_t sumsBytes() const;
  void multiply(const Lines &lines, const WindowPhase &phase, int64_t group,
                std::pair<int64_t, int64_t> panels, bool isFinite,
                std::byte *sums) const;
  void repair(const kernels::WindowLines &work, const WindowPhase &phase,
              std::pair<int64_t, int64_t> panels) const;
  void finish(const Lines &lines, size_t index, const Columns &columns,
              const std::byte *sums) const;
  void notifyReady(const Piece &piece, Ready ready) const;

  const ChannelsLast &c_;
  StepContext &context_;
  const FilterPanels &filter_;
  bool narrow_; ///< the result is of another type than the sums
  std::array<int64_t, 3> size_{};
  int64_t parts_ = 1;
  Tensor lhs_;
  std::byte *out_ = nullptr;
};

int64_t ChannelsLastConvolution::Run::pieces() const {
  int64_t count = c_.w.batch * parts_;
  for (size_t d = 0; d < 3; ++d)
    count *= ceilDiv(c_.axes[d].positions(), size_[d]);
  return count;
}

/// A filter larger than the data under it is read by one thread alone, part by part: it
/// comes from memory or the last cache at each run of a program. Every part copies
/// the bands once more.
bool ChannelsLastConvolution::Run::cutsFilter(int64_t panels) const {
  constexpr int64_t kLeastBytes = int64_t(1) << 19;
  int64_t bytes = c_.w.groups() * c_.groupBytes,
          meets = c_.band.isInPlace ? lhs_.denseBytes()
                                    : 4 * pieces() * c_.band.bytes();
  return bytes >= kLeastBytes && bytes > meets &&
         panels >= 2 * context_.run.threads.threads();
}

/// Rows of positions in a piece, so that every thread gets as many: `d` is 0 or 1.
void ChannelsLastConvolution::Run::cutRows(size_t d, int threads) {
  // What a piece costs beside its rows, in rows: what it sees of the image beyond
  // them is copied, the filter read once more.
  constexpr int64_t kPieceOverheadRows = 1, kFewestPositions = 64;
  std::array<int64_t, 3> best = size_;
  auto cost = [&] {
    return ceilDiv(pieces(), int64_t(threads)) *
           (size_[d] + kPieceOverheadRows);
  };
  int64_t least = cost(), all = c_.axes[d].positions();
  for (int64_t count = ceilDiv(all, size_[d]) + 1;
       count <= all && pieces() < 4 * threads; ++count) {
    size_[d] = ceilDiv(all, count);
    if (size_[0] * size_[1] * size_[2] < kFewestPositions)
      break;
    if (int64_t now = cost(); now < least) {
      least = now;
      best = size_;
    }
  }
  size_ = best;
}

/// Every thread is to get as many: fewer rows of positions in a piece, or shorter
/// ones, then parts of the filter.
void ChannelsLastConvolution::Run::cut() {
  size_ = c_.piece;
  int threads = context_.run.threads.threads();
  if (threads == 1)
    return;
  int64_t most = c_.w.groups();
  for (const WindowPhase &phase : c_.phases)
    if (phase.product)
      most = std::max(most, c_.w.groups() * phase.product->panels());
  if (cutsFilter(most)) {
    parts_ = std::min<int64_t>(most, 4 * threads);
    return;
  }
  for (size_t d = 0; d < 2; ++d)
    cutRows(d, threads);
  while (pieces() < 4 * threads && size_[0] * size_[1] == 1 && size_[2] > 128 &&
         size_[2] > 2 * c_.block)
    size_[2] = roundUp(ceilDiv(size_[2], 2), c_.block);
  int64_t now = pieces();
  if (now < 2 * threads && now % threads != 0)
    parts_ = std::min<int64_t>(most, ceilDiv(2 * threads, now));
}

ChannelsLastConvolution::Run::Piece
ChannelsLastConvolution::Run::pieceOf(int64_t index) const {
  Piece piece;
  piece.part = index % parts_;
  index /= parts_;
  for (size_t d = 3; d-- > 0;) {
    int64_t all = c_.axes[d].positions(), count = ceilDiv(all, size_[d]);
    piece.first[d] = index % count * size_[d];
    piece.last[d] = std::min(all, piece.first[d] + size_[d]);
    index /= count;
  }
  piece.entry = index;
  return piece;
}

/// `count` pixels, filled up and widened as the kernels want them.
void ChannelsLastConvolution::Run::copyRow(const std::byte *from, int64_t count,
                                           std::byte *to) const {
  int64_t size = c_.in.storageBytes(), groups = c_.w.groups(),
          channels = c_.w.groupIn();
  numerics::ElementType type = c_.band.element;
  auto copy = [&](const std::byte *source, std::byte *target, int64_t number) {
    if (type == c_.in)
      std::memcpy(target, source, static_cast<size_t>(number * size));
    else
      numerics::convertArray(c_.in, source, type, target, number);
  };
  int64_t wide = type.storageBytes(), step = c_.inStrides[2] * size;
  bool filled = c_.band.groupElements != channels;
  if (!filled && c_.inStrides[2] == c_.w.features &&
      c_.band.pixelBytes == c_.w.features * wide)
    return copy(from, to, count * c_.w.features);
  for (int64_t p = 0; p < count; ++p) {
    std::byte *pixel = to + p * c_.band.pixelBytes;
    if (!filled) {
      copy(from + p * step, pixel, c_.w.features);
      continue;
    }
    std::memset(pixel, 0, static_cast<size_t>(c_.band.pixelBytes));
    for (int64_t g = 0; g < groups; ++g)
      copy(from + p * step + g * channels * size,
           pixel + g * c_.band.groupElements * wide, channels);
  }
}

/// The part of the image that the piece's positions see; zeros outside.
void ChannelsLastConvolution::Run::fillBand(const Piece &piece,
                                            std::byte *band) const {
  std::array<int64_t, 3> low, count;
  for (size_t d = 0; d < 3; ++d) {
    low[d] = piece.first[d] * c_.axes[d].inStep + c_.axes[d].leastOffset;
    count[d] = c_.axes[d].span(piece.last[d] - piece.first[d]);
  }
  int64_t size = c_.in.storageBytes(), pixel = c_.band.pixelBytes,
          begin = std::clamp<int64_t>(-low[2], 0, count[2]),
          end = std::clamp<int64_t>(c_.axes[2].in - low[2], begin, count[2]);
  for (int64_t z = 0; z < count[0]; ++z)
    for (int64_t y = 0; y < count[1]; ++y) {
      std::byte *row = band + z * c_.band.planeBytes + y * c_.band.rowBytes;
      int64_t inZ = low[0] + z, inY = low[1] + y;
      bool inside = inZ >= 0 && inZ < c_.axes[0].in && inY >= 0 &&
                    inY < c_.axes[1].in && begin < end;
      int64_t first = inside ? begin : count[2], last = inside ? end : count[2];
      std::memset(row, 0, static_cast<size_t>(first * pixel));
      if (inside)
        copyRow(lhs_.bytes() + (piece.entry * c_.inBatch +
                                inZ * c_.inStrides[0] + inY * c_.inStrides[1] +
                                (low[2] + first) * c_.inStrides[2]) *
                                   size,
                last - first, row + first * pixel);
      std::memset(row + last * pixel, 0,
                  static_cast<size_t>((count[2] - last) * pixel));
    }
}

/// The lines of a piece in one phase: where their windows begin in the band, and
/// where their results go.
ChannelsLastConvolution::Run::Lines ChannelsLastConvolution::Run::linesOf(
    const Piece &piece, const WindowPhase &phase, const std::byte *band) const {
  std::array<int64_t, 3> last;
  Lines lines;
  for (size_t d = 0; d < 3; ++d)
    last[d] = std::min(piece.last[d], phase.axes[d].positions);
  lines.positions = last[2] - piece.first[2];
  auto inOut = [&](size_t d, int64_t p) {
    return (phase.first[d] + p * c_.axes[d].outStep) * c_.outStrides[d];
  };
  int64_t entry = piece.entry * c_.outBatch + inOut(2, piece.first[2]);
  for (int64_t z = piece.first[0]; z < last[0]; ++z)
    for (int64_t y = piece.first[1]; y < last[1]; ++y) {
      lines.images.push_back(
          band + (z - piece.first[0]) * c_.axes[0].inStep * c_.band.planeBytes +
          (y - piece.first[1]) * c_.axes[1].inStep * c_.band.rowBytes);
      lines.places.push_back(out_ + (entry + inOut(0, z) + inOut(1, y)) *
                                        c_.out.storageBytes());
    }
  return lines;
}

/// The piece's part of a phase's panels, those of all groups counted.
void ChannelsLastConvolution::Run::compute(const Piece &piece, size_t index,
                                           const std::byte *band,
                                           std::byte *sums) const {
  const WindowPhase &phase = c_.phases[index];
  const Lines lines = linesOf(piece, phase, band);
  if (lines.positions <= 0)
    return;
  int64_t panels = phase.product ? phase.product->panels() : 1,
          width =
              phase.product ? phase.product->panelColumns() : c_.w.groupOut(),
          items = c_.w.groups() * panels, at = items * piece.part / parts_,
          end = items * (piece.part + 1) / parts_;
  while (at < end) {
    int64_t group = at / panels, first = at % panels,
            last = std::min(panels, first + end - at);
    at += last - first;
    Columns columns{group * c_.w.groupOut(), first * width,
                    std::min(last * width, c_.w.groupOut())};
    if (phase.product)
      multiply(lines, phase, group, {first, last}, piece.isFinite, sums);
    finish(lines, index, columns, sums);
  }
}

void ChannelsLastConvolution::Run::multiply(
    const Lines &lines, const WindowPhase &phase, int64_t group,
    std::pair<int64_t, int64_t> panels, bool isFinite, std::byte *sums) const {
  bool behind = roundsBehind(phase);
  int64_t wide = (behind ? c_.sums : c_.out).storageBytes(),
          row = c_.w.groupOut() * wide;
  std::vector<const std::byte *> images = lines.images;
  std::vector<std::byte *> outs = lines.places;
  for (size_t line = 0; line < outs.size(); ++line) {
    images[line] +=
        group * c_.band.groupElements * c_.band.element.storageBytes();
    outs[line] = behind ? sums + int64_t(line) * lines.positions * row
                        : outs[line] + group * row;
  }
  kernels::WindowLines work;
  work.positions = lines.positions;
  work.images = images, work.outs = outs;
  work.imageStep = c_.axes[2].inStep * c_.band.pixelBytes;
  work.sums = behind || phase.product->sumsBytes(1) == 0 ? nullptr : sums;
  work.outStep = behind ? row : c_.axes[2].outStep * c_.outStrides[2] * wide;
  work.taps = phase.taps;
  work.filter =
      filter_.memory.bytes() + group * c_.groupBytes + phase.packedOffset;
  phase.product->run(work, panels.first, panels.second);
  if (!isFinite)
    repair(work, phase, panels);
}

/// The element after a row of a window was multiplied by zero. Where it is not
/// finite the position is computed again, on a copy of its window with zeros after
/// the rows: a register block of that window alone.
void ChannelsLastConvolution::Run::repair(
    const kernels::WindowLines &work, const WindowPhase &phase,
    std::pair<int64_t, int64_t> panels) const {
  const kernels::WindowProduct &product = *phase.product;
  int64_t size = product.imageBytes(), wide = product.outBytes(),
          row = static_cast<int64_t>(phase.axes[2].taps.size()) *
                c_.w.groupIn() * size,
          apart = roundUp(row + size, 64), sums = c_.w.groupOut() * wide,
          first = panels.first * product.panelColumns() * wide,
          last = std::min(panels.second * product.panelColumns() * wide, sums);
  std::vector<std::byte> window(phase.taps.size() * static_cast<size_t>(apart)),
      results(static_cast<size_t>(product.blockPositions() * sums));
  std::vector<int64_t> taps;
  for (size_t t = 0; t < phase.taps.size(); ++t)
    taps.push_back(static_cast<int64_t>(t) * apart);
  const std::byte *images[] = {window.data()};
  std::byte *outs[] = {results.data()};
  kernels::WindowLines one = work;
  one.positions = product.blockPositions();
  one.images = images, one.outs = outs, one.taps = taps;
  one.imageStep = 0, one.outStep = sums;
  for (size_t line = 0; line < work.images.size(); ++line)
    for (int64_t p = 0; p < work.positions; ++p) {
      const std::byte *at = work.images[line] + p * work.imageStep;
      if (llvm::all_of(phase.taps, [&](int64_t tap) {
            return kernels::areFinite(c_.types.a, at + tap + row, 1);
          }))
        continue;
      for (size_t t = 0; t < taps.size(); ++t)
        std::memcpy(window.data() + taps[t], at + phase.taps[t],
                    static_cast<size_t>(row));
      product.run(one, panels.first, panels.second);
      std::memcpy(work.outs[line] + p * work.outStep + first,
                  results.data() + first, static_cast<size_t>(last - first));
    }
}

/// Results in their places: zeros where the phase has no taps, the rounding to
/// the result's type, and channels that are NaN.
void ChannelsLastConvolution::Run::finish(const Lines &lines, size_t index,
                                          const Columns &columns,
                                          const std::byte *sums) const {
  bool empty = !c_.phases[index].product, hasNan = !filter_.nanChannels.empty(),
       behind = !empty && roundsBehind(c_.phases[index]);
  if (!empty && !behind && !hasNan)
    return;
  const double kNaN = std::nan("");
  const numerics::ElementType real = *numerics::parseElementType("f64");
  int64_t size = c_.out.storageBytes(), wide = c_.sums.storageBytes(),
          count = columns.end - columns.begin,
          step = c_.axes[2].outStep * c_.outStrides[2] * size;
  const std::byte *from = sums + columns.begin * wide;
  for (std::byte *line : lines.places)
    for (int64_t x = 0; x < lines.positions; ++x) {
      std::byte *place =
          line + x * step + (columns.group + columns.begin) * size;
      if (empty)
        std::memset(place, 0, static_cast<size_t>(count * size));
      else if (behind)
        numerics::convertArray(c_.sums, from, c_.out, place, count);
      from += c_.w.groupOut() * wide;
      for (int64_t o = 0; hasNan && o < count; ++o)
        if (filter_.nanChannels[index][static_cast<size_t>(columns.group +
                                                           columns.begin + o)])
          numerics::convertArray(real, &kNaN, c_.out, place + o * size, 1);
    }
}

/// The lines of a piece, those together that follow each other.
void ChannelsLastConvolution::Run::notifyReady(const Piece &piece,
                                               Ready ready) const {
  int64_t pixel = c_.w.outFeatures, first = -1, end = -1;
  for (int64_t z = piece.first[0]; z < piece.last[0]; ++z)
    for (int64_t y = piece.first[1]; y < piece.last[1]; ++y) {
      int64_t begin = piece.entry * c_.outBatch + z * c_.outStrides[0] +
                      y * c_.outStrides[1] + piece.first[2] * pixel;
      if (begin != end) {
        if (first >= 0)
          ready(first, end);
        first = begin;
      }
      end = begin + (piece.last[2] - piece.first[2]) * pixel;
    }
  if (first >= 0)
    ready(first, end);
}

/// The memory of a piece's sums until they are rounded.
int64_t ChannelsLastConvolution::Run::sumsBytes() const {
  int64_t positions = size_[0] * size_[1] * size_[2], bytes = 0;
  for (const WindowPhase &phase : c_.phases)
    if (phase.product)
      bytes = std::max(bytes, roundsBehind(phase)
                                  ? positions * c_.w.groupOut() *
                                        c_.sums.storageBytes()
                                  : phase.product->sumsBytes(positions));
  return bytes;
}

llvm::Error ChannelsLastConvolution::Run::all(Ready ready) {
  llvm::Expected<Tensor> lhs = context_.dense(0);
  if (!lhs)
    return lhs.takeError();
  lhs_ = std::move(*lhs);
  out_ = context_.out(0).mutableBytes();
  cut();
  // Kernels may read the rest of a group after a row of the window.
  constexpr int64_t kBehind = 8;
  int64_t bandBytes =
              c_.band.isInPlace ? 0 : roundUp(c_.band.bytes() + kBehind, 64),
          sumBytes = sumsBytes();
  // Positions of several phases are interleaved.
  bool soon = ready && parts_ == 1 && !c_.w.hasDilatedInput();
  if (llvm::Error error = forEachPiece(
          context_, pieces(), bandBytes + sumBytes,
          [&](int64_t index, std::byte *memory) -> llvm::Error {
            Piece piece = pieceOf(index);
            const std::byte *band = memory;
            if (c_.band.isInPlace)
              band = lhs_.bytes() + c_.imageStart(piece.entry, piece.first) *
                                        c_.in.storageBytes();
            else
              fillBand(piece, memory);
            if (c_.dense) {
              std::memset(memory + c_.band.bytes(), 0, kBehind);
              piece.isFinite = kernels::areFinite(
                  c_.types.a, band,
                  c_.band.bytes() / c_.band.element.storageBytes());
            }
            for (size_t p = 0; p < c_.phases.size(); ++p)
              compute(piece, p, band, memory + bandBytes);
            if (soon)
              notifyReady(piece, ready);
            return llvm::Error::success();
          }))
    return error;
  if (ready && !soon)
    sayAllReady(context_.run.threads, context_.out(0).size(), c_.w.outFeatures,
                ready);
  return llvm::Error::success();
}

llvm::Error ChannelsLastConvolution::runPieces(StepContext &context,
                                               Ready ready) const {
  ++context.run.engineSteps;
  auto filter = filter_.panels(context);
  if (!filter)
    return filter.takeError();
  return Run(*this, context, **filter).all(ready);
}

//===--- The algorithm ----------------------------------------------------===//

/// More of them are not worth a kernel each.
static constexpr int64_t kMostPhases = 64;

static std::optional<Refusal> supports(const ConvRequest &request) {
  const geometry::Convolution &w = request.w;
  const StepSpec &spec = request.spec;
  if (!kernelTakes(spec.operands[0].element, spec.operands[1].element,
                   spec.results[0].element))
    return refuse("no kernel takes the operation with these types");
  if (w.axes.empty() || w.axes.size() > 3)
    return refuse("not one to three spatial dimensions");
  if (w.batchGroups != 1)
    return refuse("batch groups");
  tensor::Shape lhs = tensor::rowMajorStrides(spec.operands[0].shape),
                out = tensor::rowMajorStrides(spec.results[0].shape);
  if (lhs[request.dims.getInputFeatureDimension()] != 1 ||
      out[request.dims.getOutputFeatureDimension()] != 1)
    return refuse("channels do not lie side by side");
  int64_t phases = 1;
  for (const geometry::Axis &axis : w.axes) {
    int64_t each = axis.baseDilation / std::gcd(axis.baseDilation, axis.stride);
    if (each > kMostPhases || (phases *= each) > kMostPhases)
      return refuse("more than 64 phases");
  }
  if (w.taps() > 1 << 16)
    return refuse("the window has more than 65,536 elements");
  // Bytes that the program widens have no other algorithm.
  if (w.groups() == 1 && !w.hasDilatedInput() && !request.isWidened() &&
      !request.isAskedFor(kernels::ConvAlgorithm::Windows)) {
    if (w.taps() == 1)
      return refuse("a window of one element is a product of rows");
    if (w.axes.back().out < kernels::kFewestLinePositions)
      return refuse("rows of few positions");
  }
  return kernels::WindowProduct::supports(
      {*kernels::dataTypeOf(spec.operands[0].element),
       *kernels::dataTypeOf(spec.operands[1].element)});
}

static double cost(const ConvRequest &request) {
  return tunedCost(request, kernels::ConvAlgorithm::Windows, 1);
}

static Compiled make(const ConvRequest &request,
                     llvm::function_ref<Compiled()> /*next*/) {
  auto apart = analyse(request);
  if (auto *refusal = std::get_if<Refusal>(&apart))
    return std::move(*refusal);
  return std::make_unique<ChannelsLastConvolution>(
      request.context, std::move(std::get<ChannelsLast>(apart)));
}

const ConvAlgorithm kWindowsConvolution{supports, cost, make};

} // namespace assay::engine
