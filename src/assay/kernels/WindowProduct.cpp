// The choice of a register block, the filter's panels, and the loops around the
// block. A panel is as wide as the block. Its depth is divided into chunks that
// stay in the first-level cache while all lines are multiplied with them.
// Between chunks the sums are kept in the result. Idea: Georganas et al.,
// "Anatomy of high-performance deep learning convolutions on SIMD
// architectures", SC 2018.
#include "assay/kernels/WindowProduct.h"

#include "assay/kernels/Finite.h"
#include "assay/kernels/families/tile/TileGemm.h"
#include "assay/kernels/outer/Packing.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace assay::kernels {

using Block = WindowBlock;

/// Fewer sums wait for each other: the adders' latency times their number.
static constexpr int64_t kLeastSums = 8;

/// The cost in multiply-adds of one step along k of all blocks of a line. Each
/// load of a step costs a quarter of a multiply-add in addition.
static double costOf(const WindowProblem &p, Block block, int64_t lanes) {
  int64_t blocks = ceilDiv(p.positions, block.rows);
  double sums = double(std::max(block.sums(), kLeastSums));
  return (sums + 0.25 * double(block.rows + block.vectors)) * double(blocks) *
         double(ceilDiv(p.columns, block.vectors * lanes));
}

/// Blocks of equal height, so that there is no ragged last one that waits for
/// its sums.
static Block chooseBlock(const WindowProblem &p, const Isa &isa,
                         int64_t lanes) {
  Block best{1, 1};
  for (int64_t vectors = 1; vectors <= 4; ++vectors) {
    int64_t most = (isa.vectorRegisters - vectors - 2) / vectors;
    if (most < 1 || (vectors > 1 && (vectors - 1) * lanes >= p.columns))
      break;
    for (int64_t count = ceilDiv(p.positions, most); count <= p.positions;
         ++count) {
      Block block{ceilDiv(p.positions, count), vectors};
      if (costOf(p, block, lanes) < costOf(p, best, lanes))
        best = block;
      if (block.sums() <= kLeastSums)
        break;
    }
  }
  return best;
}

/// Squares of 16 x 16 sums, at most six beside their tiles of image and filter.
/// A product of two tiles takes one cycle per row, the load of a tile eight
/// cycles.
static Block chooseTiles(const WindowProblem &p, int64_t lanes) {
  constexpr Block kSquares[] = {{2, 2}, {1, 4}, {1, 3}, {1, 2},
                                {1, 1}, {2, 1}, {3, 1}};
  Block best{1, 1};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (Block squares : kSquares) {
    int64_t count = ceilDiv(p.positions, 16 * squares.rows),
            rows = ceilDiv(p.positions, count),
            cost = count * ceilDiv(p.columns, squares.vectors * lanes) *
                   std::max(rows * squares.vectors,
                            8 * (ceilDiv(rows, int64_t(16)) + squares.vectors));
    if (cost < least) {
      least = cost;
      best = {rows, squares.vectors};
    }
  }
  return best;
}

MicroMath windowMath(const WindowProblem &p, const Isa &isa) {
  // Tiles of which an eighth is filled multiply as fast as vectors, which also
  // waste the lanes of missing columns.
  constexpr int64_t kFewestChannels = 8;
  bool bytes = accumulatorOf(p.types.a) == DataType::S32;
  if (isa.amx && (bytes || p.types.a == DataType::BF16) &&
      p.channels >= kFewestChannels)
    return bytes ? MicroMath::AmxBytes : MicroMath::AmxBf16;
  return mathFor(p.types, isa);
}

std::optional<WindowBlock> windowBlock(const WindowProblem &p, const Isa &isa,
                                       const WindowChoice &choice) {
  int64_t lanes = isa.lanes(accumulatorOf(p.types.a));
  if (isAmx(windowMath(p, isa)))
    return chooseTiles(p, lanes);
  if (choice.vectors == 0)
    return chooseBlock(p, isa, lanes);
  int64_t most = (isa.vectorRegisters - choice.vectors - 2) / choice.vectors;
  if (choice.positions < 1 || choice.positions > most)
    return std::nullopt;
  int64_t blocks = ceilDiv(p.positions, choice.positions);
  return Block{ceilDiv(p.positions, blocks), choice.vectors};
}

std::optional<Refusal> WindowProduct::supports(TypePair types) {
  GemmProblem problem;
  problem.a = types.a, problem.b = types.b;
  problem.acc = problem.c = accumulatorOf(types.a);
  return validate(problem);
}

/// Tile registers are stored without rounding.
static bool canRound(const WindowProblem &problem, MicroMath math,
                     const Isa &isa) {
  return problem.output && accumulatorOf(math) == DataType::F32 &&
         !isAmx(math) && canRoundTo(*problem.output, isa);
}

/// Steps in one iteration of a register block's loop.
static constexpr int kStepsABody = 4;

/// The part of the first-level cache that a chunk of the filter may fill.
static int64_t chunkBytes(const Machine &machine) {
  return machine.caches.l1 * 2 / 3;
}

/// The lines that an iteration prefetches, so that all blocks of positions
/// together prefetch the next chunk while this one is used.
int64_t WindowProduct::linesAsked() const {
  int64_t lines = ceilDiv(kStepsABody * group_ * width_ * imageBytes(), int64_t(64));
  return ceilDiv(lines, problem_.lines * ceilDiv(problem_.positions, rows_));
}

llvm::Expected<WindowProduct>
WindowProduct::prepare(const WindowProblem &problem, const Machine &machine,
                       Jit &jit, const WindowChoice &choice) {
  const Isa &isa = jit.isa();
  if (auto refusal = supports(problem.types))
    return makeError(refusal->code, "{0}", refusal->text);
  WindowProduct made;
  made.problem_ = problem;
  made.math_ = windowMath(problem, isa);
  made.group_ = depthMultipleOf(made.math_);
  int64_t lanes = isa.lanes(accumulatorOf(made.math_));
  std::optional<Block> found = windowBlock(problem, isa, choice);
  if (!found)
    return makeError(ErrorCode::Unsupported,
                     "registers hold no block of {0} x {1} vectors",
                     choice.positions, choice.vectors);
  Block block = *found;
  const int64_t chunk =
      choice.filterBytes > 0 ? choice.filterBytes : chunkBytes(machine);
  made.rows_ = block.rows;
  made.width_ = block.vectors * lanes;
  made.depth_ = roundUp(problem.pieces * made.runElements(), made.group_);
  int64_t stepBytes = made.width_ * made.imageBytes(),
          most = std::max<int64_t>(1, chunk / (stepBytes * made.depth_));
  made.together_ = most;
  if (stepBytes * made.depth_ > chunk)
    made.parts_ = std::min(made.depth_ / made.group_,
                           ceilDiv(stepBytes * made.depth_, chunk));
  GemmProblem types;
  types.a = problem.types.a, types.b = problem.types.b;
  types.aStrides.column = 1;
  GemmConfig config;
  if (isAmx(made.math_))
    config.family = Family::Amx;
  config.mr = static_cast<int32_t>(block.rows);
  config.nr = static_cast<int32_t>(made.width_);
  config.kr = static_cast<int32_t>(kStepsABody * made.group_);
  if (!isAmx(made.math_)) {
    made.linesABody_ = made.linesAsked();
    config.pipeline = Pipeline::Prefetch;
    config.prefetch = static_cast<int32_t>(-made.linesABody_);
  }
  MicroKey key = tileKey(types, config, isa, static_cast<int>(block.rows));
  key.aForm = AForm::Windows;
  made.flips_ = key.flipA;
  made.rounds_ = canRound(problem, made.math_, isa);
  if (llvm::Error error = made.compile(key, jit))
    return error;
  return made;
}

llvm::Error WindowProduct::compile(MicroKey key, Jit &jit) {
  auto get = [&](int64_t rows, MicroFunction &function) -> llvm::Error {
    key.rows = static_cast<int>(rows);
    auto found = jit.get(key);
    if (found)
      function = *found;
    return found.takeError();
  };
  for (bool rounding : {false, true}) {
    if (rounding ? !rounds_ : rounds_ && chunks(problem_.taps) == 1)
      continue;
    if (rounding)
      key.cType = *problem_.output;
    Functions &functions = rounding ? rounding_ : wide_;
    if (llvm::Error error = get(rows_, functions.whole))
      return error;
    if (int64_t rest = problem_.positions % rows_)
      if (llvm::Error error = get(rest, functions.ragged))
        return error;
  }
  return llvm::Error::success();
}

int64_t WindowProduct::outBytes() const {
  return sizeOf(rounds_ ? *problem_.output : accumulatorOf(math_));
}

int64_t WindowProduct::sumsBytes(int64_t positions) const {
  return rounds_ && chunks(problem_.taps) > 1
             ? positions * width_ * sizeOf(accumulatorOf(math_))
             : 0;
}

//===--- The filter ------------------------------------------------------===//

/// Taps [tap, tap + taps) and elements [first, first + depth) of each, with the
/// byte offset in a panel.
struct WindowProduct::Chunk {
  int64_t tap, taps, first, depth, bytes;
};

int64_t WindowProduct::chunks(int64_t taps) const {
  return parts_ > 1 ? taps * parts_ : ceilDiv(taps, together_);
}

WindowProduct::Chunk WindowProduct::chunkAt(int64_t taps, int64_t index) const {
  int64_t step = width_ * imageBytes();
  if (parts_ > 1) {
    int64_t part = index % parts_, groups = depth_ / group_,
            begin = part * groups / parts_ * group_,
            end = (part + 1) * groups / parts_ * group_, tap = index / parts_;
    return {tap, 1, begin, end - begin, (tap * depth_ + begin) * step};
  }
  // Chunks of equal size.
  int64_t count = chunks(taps), begin = index * taps / count,
          end = (index + 1) * taps / count;
  return {begin, end - begin, 0, depth_, begin * depth_ * step};
}

/// The sums of the columns of each chunk, after the panel.
int64_t WindowProduct::filterSumsBytes(int64_t taps) const {
  return flips_ ? chunks(taps) * width_ * 4 : 0;
}

int64_t WindowProduct::panels() const {
  return ceilDiv(problem_.columns, width_);
}

int64_t WindowProduct::panelBytes(int64_t taps) const {
  return roundUp(taps * depth_ * width_ * imageBytes() + filterSumsBytes(taps), 64);
}

int64_t WindowProduct::packedBytes(int64_t taps) const {
  return panels() * panelBytes(taps);
}

/// The type of a packed panel's elements; for bytes, any type that has no
/// infinities.
static DataType packedTypeOf(MicroMath math) {
  DataType sums = accumulatorOf(math);
  return sums == DataType::F32 && packedBytesOf(math) == 2 ? DataType::BF16 : sums;
}

/// Copies the runs of a tap one after the other: [run, channel][lane].
const void *WindowProduct::gatherTap(const WindowFilter &filter, int64_t tap,
                                     int64_t column, int64_t lanes,
                                     std::vector<std::byte> &memory) const {
  int64_t size = sizeOf(problem_.types.b);
  memory.resize(
      static_cast<size_t>(problem_.pieces * problem_.channels * lanes * size));
  std::byte *to = memory.data();
  for (int64_t run = 0; run < problem_.pieces; ++run)
    for (int64_t c = 0; c < problem_.channels; ++c)
      for (int64_t lane = 0; lane < lanes; ++lane, to += size)
        std::memcpy(
            to,
            static_cast<const std::byte *>(filter.source) +
                (filter.starts[static_cast<size_t>(tap * problem_.pieces + run)] +
                 c * filter.channelStride +
                 (column + lane) * filter.columnStride) *
                    size,
            static_cast<size_t>(size));
  return memory.data();
}

bool WindowProduct::pack(const WindowFilter &filter, int64_t panel,
                         std::byte *packed) const {
  auto runs = static_cast<int64_t>(filter.starts.size());
  int64_t taps = runs / problem_.pieces, column = panel * width_;
  std::byte *begin = packed + panel * panelBytes(taps), *to = begin;
  PanelJob job;
  job.type = problem_.types.b;
  job.laneStride = filter.columnStride;
  job.stepStride = filter.channelStride;
  job.k = problem_.channels;
  job.width = static_cast<int>(width_);
  job.lanes = static_cast<int>(std::min(width_, problem_.columns - column));
  std::vector<std::byte> gathered;
  if (problem_.dense) {
    job.laneStride = 1, job.stepStride = job.lanes;
    job.k = problem_.pieces * problem_.channels;
  }
  int64_t bytes = depth_ / (problem_.dense ? 1 : problem_.pieces) * width_ *
                  imageBytes();
  for (int64_t tap = 0; problem_.dense && tap < taps; ++tap, to += bytes) {
    job.source = gatherTap(filter, tap, column, job.lanes, gathered);
    packPanel(job, math_, to);
  }
  for (int64_t run = 0; !problem_.dense && run < runs; ++run, to += bytes) {
    job.source = static_cast<const std::byte *>(filter.source) +
                 (filter.starts[static_cast<size_t>(run)] +
                  column * filter.columnStride) *
                     sizeOf(job.type);
    packPanel(job, math_, to);
  }
  auto *sums = reinterpret_cast<int32_t *>(to);
  bool isUnsigned = job.type == DataType::U8;
  for (int64_t index = 0; flips_ && index < chunks(taps); ++index) {
    Chunk chunk = chunkAt(taps, index);
    panelSums(begin + chunk.bytes, static_cast<int>(width_),
              chunk.taps * chunk.depth, isUnsigned, isUnsigned ? 128 : -128,
              sums + index * width_);
  }
  return areFinite(packedTypeOf(math_), begin, (to - begin) / imageBytes());
}

//===--- The product -----------------------------------------------------===//

namespace {
/// Prefetches the filter's next chunk, a part for each block of positions: in
/// each run of a whole program the filter comes from memory.
class AskAhead {
public:
  /// The kernel prefetches `part` bytes between its products. If `part` is 0,
  /// operator() prefetches instead, before the kernel.
  AskAhead(const std::byte *next, int64_t bytes, int64_t calls, int64_t part)
      : next_(next), left_(bytes), isByKernel_(part > 0),
        part_(part > 0 ? part
                       : std::min(kMostAtOnce,
                                  roundUp(ceilDiv(bytes, calls), 64))) {}
  void operator()(MicroArguments &arguments) {
    if (isByKernel_)
      arguments.bStride =
          left_ > 0 ? next_ - static_cast<const std::byte *>(arguments.b) : 0;
    int64_t part = std::min(part_, left_);
    for (int64_t line = 0; !isByKernel_ && line < part; line += 64)
      __builtin_prefetch(next_ + line, 0, 2);
    next_ += part;
    left_ -= part;
  }

private:
  /// With more lines than can be outstanding at once, the block would wait for
  /// them.
  static constexpr int64_t kMostAtOnce = 4096;
  const std::byte *next_;
  int64_t left_;
  bool isByKernel_;
  int64_t part_;
};
} // namespace

/// Where a line's results for a panel are stored: in C, or, if C is rounded,
/// first in the sums, which all panels use one after the other.
struct WindowProduct::Place {
  std::byte *c;
  int64_t step;
};

WindowProduct::Place WindowProduct::placeOf(const WindowLines &lines,
                                            size_t line, int64_t panel,
                                            bool last) const {
  int64_t row = width_ * sizeOf(accumulatorOf(math_));
  if (!rounds_ || last)
    return {lines.outs[line] + panel * width_ * outBytes(), lines.outStep};
  if (!lines.sums)
    return {nullptr, 0}; // there is only one chunk
  return {lines.sums + static_cast<int64_t>(line) * lines.positions * row, row};
}

/// Multiplies all lines of the image with one chunk of a panel.
void WindowProduct::multiply(const WindowLines &lines, int64_t panel,
                             int64_t index, MicroArguments &arguments,
                             const std::byte *next, int64_t nextBytes) const {
  auto taps = static_cast<int64_t>(lines.taps.size());
  int64_t whole = lines.positions / rows_ * rows_;
  bool last = index + 1 == chunks(taps);
  const Functions &functions = rounds_ && last ? rounding_ : wide_;
  const std::byte *filter = lines.filter + panel * panelBytes(taps);
  const auto *sums = reinterpret_cast<const int32_t *>(
      filter + taps * depth_ * width_ * imageBytes());
  Chunk chunk = chunkAt(taps, index);
  setScalars(arguments, accumulatorOf(math_), 1, index ? 1 : 0);
  arguments.k = chunk.depth / group_;
  arguments.taps = lines.taps.data() + chunk.tap;
  arguments.tapCount = chunk.taps;
  arguments.b = filter + chunk.bytes;
  arguments.init = sums + index * width_;
  // Tile registers are set up once for all whole blocks of a line.
  int64_t together = isAmx(math_) ? std::max(whole, rows_) : rows_;
  arguments.aStep = rows_ * lines.imageStep;
  AskAhead askAhead(next, nextBytes,
                    static_cast<int64_t>(lines.images.size()) *
                        ceilDiv(lines.positions, together),
                    arguments.tapCount *
                        bytesAsked(arguments.k, kStepsABody, linesABody_));
  for (size_t line = 0; line < lines.images.size(); ++line) {
    const std::byte *a = lines.images[line] + panel * lines.panelStep +
                         chunk.first * imageBytes();
    Place place = placeOf(lines, line, panel, last),
          sums = placeOf(lines, line, panel, false);
    arguments.cRow = place.step, arguments.sumsRow = sums.step;
    arguments.cStep = rows_ * place.step;
    for (int64_t p = 0; p < lines.positions; p += together) {
      askAhead(arguments);
      arguments.a = a + p * lines.imageStep;
      arguments.c = place.c + p * place.step;
      arguments.sums = sums.c + p * sums.step;
      arguments.repeat = p < whole ? together / rows_ : 1;
      (p < whole ? functions.whole : functions.ragged)(&arguments);
    }
  }
}

void WindowProduct::run(const WindowLines &lines, int64_t begin,
                        int64_t end) const {
  if (lines.images.empty() || lines.positions == 0)
    return; // the last piece of a short phase of a gradient has no lines
  auto taps = static_cast<int64_t>(lines.taps.size());
  int64_t count = chunks(taps), step = width_ * imageBytes();
  MicroArguments arguments;
  arguments.aStride = lines.imageStep;
  for (int64_t panel = begin; panel < end; ++panel) {
    arguments.n = std::min(width_, problem_.columns - panel * width_);
    for (int64_t index = 0; index < count; ++index) {
      bool last = index + 1 == count;
      Chunk next = chunkAt(taps, last ? 0 : index + 1);
      multiply(lines, panel, index, arguments,
               lines.filter + (panel + last) * panelBytes(taps) + next.bytes,
               last && panel + 1 == end ? 0 : next.taps * next.depth * step);
    }
  }
}

} // namespace assay::kernels
