// Two loops around the register tile. Threads divide the panels of B (nr
// columns). A panel's block of k stays in the first-level cache while all rows
// of A are multiplied with it. Meanwhile the next block is prefetched, a line
// every few products, so that B streams from memory during the arithmetic. A is
// packed at each call, over all of k, as many rows at a time as fit the
// second-level cache.
#include "assay/kernels/PackedProduct.h"

#include "assay/kernels/families/tile/TileGemm.h"
#include "assay/kernels/outer/Epilogue.h"
#include "assay/kernels/outer/Output.h"
#include "assay/kernels/outer/Packing.h"
#include "assay/kernels/outer/Scratch.h"
#include "assay/support/Math.h"
#include "assay/support/SharedRanges.h"

#include <algorithm>

namespace assay::kernels {

/// With this few tiles of rows, the first of them prefetches B, a little ahead
/// of where it reads. With more, each prefetches a part of the next block of k,
/// in lines between its products. All at once, they would be more lines than a
/// core can have outstanding, which took a tenth of the time (Sapphire Rapids,
/// 23 November 2026).
static constexpr int64_t kFewTiles = 3;
/// The distance of the prefetch of B in steps, two lines per step: memory's
/// latency at the rate of the arithmetic. 8, 16 and 64 were slower (Zen 4, 22
/// November 2026).
static constexpr int32_t kStepsAhead = 32;

/// Steps along k in one iteration of a register tile's loop.
static constexpr int32_t kStepsABody = 4;

/// The rows of the largest tile with `vectors` registers of B: sums, one step
/// of B, and one element of A must fit the registers.
static int mostRows(const Isa &isa, int vectors) {
  return (isa.vectorRegisters - vectors - 2) / vectors;
}

/// Fewer sums than this in registers wait for each other: latency times units.
static constexpr int64_t kLeastSums = 8;

int PackedProduct::vectorsFor(const GemmProblem &problem, const Isa &isa) {
  constexpr int kFewest = 2, kMost = 4;
  int64_t lanes = isa.lanes(problem.acc);
  for (int vectors = kMost; vectors > kFewest; --vectors) {
    int64_t columns = vectors * lanes,
            filled = ceilDiv(problem.n, columns) * columns;
    if (problem.m * (vectors - 1) < kLeastSums &&
        problem.m <= mostRows(isa, vectors) &&
        filled - problem.n <= problem.n / 8)
      return vectors;
  }
  return kFewest;
}

/// Why a problem cannot use a packed B.
static std::optional<Refusal> refusalOf(const GemmProblem &problem,
                                        MicroMath math) {
  if (auto refusal = validate(problem))
    return refusal;
  bool plain = (math == MicroMath::F32 || math == MicroMath::F64 ||
                math == MicroMath::BF16Pairs) &&
               sizeOf(problem.a) == packedBytesOf(math) &&
               sizeOf(problem.b) == packedBytesOf(math);
  if (!plain || problem.batch != 1 || problem.m < 1 || problem.n < 1 ||
      problem.k < 1 || needsSumBuffer(problem, 1))
    return Refusal{ErrorCode::Unsupported,
                   "no kernel reads a packed B for this problem"};
  return std::nullopt;
}

llvm::Expected<std::shared_ptr<const PackedProduct>>
PackedProduct::create(const GemmProblem &problem, Registry &registry,
                      int vectors) {
  const Isa &isa = registry.machine().isa;
  if (vectors == 0)
    vectors = vectorsFor(problem, isa);
  MicroMath math = mathFor(problem.types(), isa);
  if (auto refusal = refusalOf(problem, math))
    return makeError(refusal->code, "{0}: {1}", toString(problem),
                     refusal->text);
  std::shared_ptr<PackedProduct> out(new PackedProduct(problem));
  out->math_ = math;
  int lanes = isa.lanes(accumulatorOf(math));
  if (mostRows(isa, vectors) < 1)
    return makeError(ErrorCode::Unsupported,
                     "registers hold no tile of {0} vectors", vectors);
  out->nr_ = vectors * lanes;
  // Tiles of equal height: a ragged last tile would wait for its sums.
  int64_t most = mostRows(isa, vectors), tiles = ceilDiv(problem.m, most);
  out->mr_ = ceilDiv(problem.m, tiles);
  int64_t depthMultiple = depthMultipleOf(math), element = packedBytesOf(math);
  // Two thirds of the first-level cache hold B's block; the blocks are equal.
  int64_t most_k = std::max<int64_t>(64, registry.machine().caches.l1 * 2 / 3 /
                                             (out->nr_ * element));
  out->kc_ = ceilDiv(problem.k, ceilDiv(problem.k, most_k));
  out->kc_ = ceilDiv(out->kc_, depthMultiple) * depthMultiple;
  // The number of rows whose part of one block of k fills half of the
  // second-level cache.
  out->rowBlock_ = std::max<int64_t>(1, registry.machine().caches.l2 / 2 /
                                            (out->kc_ * element * out->mr_)) *
                   out->mr_;
  out->sliceBytes_ = registry.machine().caches.l2 / 3;
  if (llvm::Error error = out->compile(tiles, registry))
    return error;
  return out;
}

/// Compiles the register tiles for this many tiles of rows.
llvm::Error PackedProduct::compile(int64_t tiles, Registry &registry) {
  GemmConfig config;
  config.mr = static_cast<int32_t>(mr_);
  config.nr = static_cast<int32_t>(nr_);
  config.kr = kStepsABody * groupOf(math_);
  auto get = [&](int64_t rows, MicroFunction &function) -> llvm::Error {
    auto made =
        registry.jit().get(tileKey(problem_, config, registry.machine().isa,
                                   static_cast<int>(rows)));
    if (!made)
      return made.takeError();
    function = *made;
    return llvm::Error::success();
  };
  if (tiles <= kFewTiles) {
    config.pipeline = Pipeline::Prefetch;
    config.prefetch = kStepsAhead;
    if (llvm::Error error = get(mr_, leading_))
      return error;
    config.pipeline = Pipeline::Plain;
    config.prefetch = 0;
  } else {
    int64_t together = std::min(tiles, rowBlock_ / mr_),
            lines = config.kr * packedBytesOf(math_) * nr_ / 64;
    linesABody_ = ceilDiv(lines, together);
    config.pipeline = Pipeline::Prefetch;
    config.prefetch = static_cast<int32_t>(-linesABody_);
  }
  if (llvm::Error error = get(mr_, whole_))
    return error;
  if (int64_t rest = problem_.m % mr_)
    return get(rest, ragged_);
  return llvm::Error::success();
}

int64_t PackedProduct::blockBytes(int64_t depth, int64_t width) const {
  return panelBytes(math_, static_cast<int>(width), depth);
}

int64_t PackedProduct::packedBytes() const {
  int64_t panels = ceilDiv(problem_.n, nr_), bytes = 0;
  for (int64_t p = 0; p < problem_.k; p += kc_)
    bytes += blockBytes(std::min(kc_, problem_.k - p), nr_);
  return panels * bytes;
}

void PackedProduct::pack(const void *b, void *packed, ThreadPool &pool) const {
  int64_t panels = ceilDiv(problem_.n, nr_), panelSize = packedBytes() / panels;
  pool.parallelFor(panels, 4, [&](int64_t begin, int64_t end) {
    for (int64_t panel = begin; panel < end; ++panel) {
      char *to = static_cast<char *>(packed) + panel * panelSize;
      for (int64_t p = 0; p < problem_.k; p += kc_) {
        PanelJob job;
        job.type = problem_.b;
        job.laneStride = problem_.bStrides.column;
        job.stepStride = problem_.bStrides.row;
        job.k = std::min(kc_, problem_.k - p);
        job.width = static_cast<int>(nr_);
        job.lanes = static_cast<int>(std::min(nr_, problem_.n - panel * nr_));
        job.source = static_cast<const char *>(b) +
                     (p * job.stepStride + panel * nr_ * job.laneStride) *
                         sizeOf(problem_.b);
        packPanel(job, math_, to);
        to += blockBytes(job.k, nr_);
      }
    }
  });
}

/// Packs rows [row0, row0 + rows) of A into panels: [block of k][tile of rows].
void PackedProduct::packRows(const GemmPointers &pointers, char *panels,
                             int64_t row0, int64_t rows,
                             ThreadPool &pool) const {
  int64_t tiles = ceilDiv(rows, mr_), blocks = ceilDiv(problem_.k, kc_);
  int64_t fullBlock = tiles * blockBytes(kc_, mr_);
  pool.parallelFor(tiles * blocks, 4, [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) {
      int64_t block = index / tiles, tile = index % tiles, p = block * kc_;
      PanelJob job;
      job.type = problem_.a;
      job.laneStride = problem_.aStrides.row;
      job.stepStride = problem_.aStrides.column;
      job.k = std::min(kc_, problem_.k - p);
      job.lanes = static_cast<int>(std::min(mr_, rows - tile * mr_));
      job.width = job.lanes;
      job.source = static_cast<const char *>(pointers.a) +
                   ((row0 + tile * mr_) * job.laneStride + p * job.stepStride) *
                       sizeOf(problem_.a);
      packPanel(job, math_,
                panels + block * fullBlock + tile * blockBytes(job.k, mr_));
    }
  });
}

/// Multiplies all rows of the block of A with blocks [begin, end) of k of one
/// panel of B.
void PackedProduct::runPanel(const GemmPointers &pointers, const char *a,
                             const Slice &slice, int64_t panel) const {
  int64_t panels = ceilDiv(problem_.n, nr_), tiles = ceilDiv(slice.rows, mr_);
  int64_t panelSize = packedBytes() / panels, fullB = blockBytes(kc_, nr_);
  const char *b = static_cast<const char *>(pointers.b) + panel * panelSize +
                  slice.begin * fullB;
  int64_t size = sizeOf(problem_.c), fullBlock = tiles * blockBytes(kc_, mr_),
          cRow = problem_.cStrides.row * size;
  char *c =
      static_cast<char *>(pointers.c) + slice.row0 * cRow + panel * nr_ * size;
  MicroArguments arguments;
  arguments.cRow = cRow;
  arguments.n = std::min(nr_, problem_.n - panel * nr_);
  for (int64_t block = slice.begin; block < slice.end; ++block) {
    int64_t depth = std::min(kc_, problem_.k - block * kc_),
            bytes = blockBytes(depth, nr_);
    setScalars(arguments, accumulatorOf(math_), problem_.alpha,
               block == 0 ? problem_.beta : 1.0);
    arguments.k = ceilDiv(depth, depthMultipleOf(math_));
    arguments.b = b;
    // Meanwhile prefetches what is needed next, a part before each tile: the
    // next block of B, and the lines of C that the next panel writes.
    const char *next =
        b + (block + 1 == slice.end
                 ? panelSize - (slice.end - 1 - slice.begin) * fullB
                 : bytes);
    bool last = panel + 1 == panels;
    // The bytes that one tile prefetches; none after the last block.
    int64_t part = bytesAsked(arguments.k, kStepsABody, linesABody_),
            asked = last && block + 1 == slice.end ? 0 : bytes;
    for (int64_t tile = 0; tile < tiles; ++tile) {
      arguments.bStride = tile * part < asked ? next + tile * part - b : 0;
      int64_t height = std::min(mr_, slice.rows - tile * mr_);
      char *target = c + tile * mr_ * cRow;
      if (block == slice.begin && !last)
        for (int64_t row = 0; row < height; ++row)
          for (int64_t line = 0; line < nr_ * size; line += 64)
            __builtin_prefetch(target + row * cRow + nr_ * size + line + 63, 1,
                               2);
      arguments.a = a + block * fullBlock + tile * blockBytes(depth, mr_);
      arguments.c = target;
      (height != mr_           ? ragged_
       : tile == 0 && leading_ ? leading_
                               : whole_)(&arguments);
    }
    b += bytes;
  }
  if (!problem_.hasEpilogue() || slice.end * kc_ < problem_.k)
    return;
  EpilogueBlock block;
  block.row = slice.row0;
  block.rows = slice.rows;
  block.column = panel * nr_;
  block.columns = arguments.n;
  block.sums = c;
  block.sumRow = problem_.cStrides.row;
  block.inPlace = true;
  applyEpilogue(problem_, block, pointers, pointers.c);
}

/// The number of panels that are worth waking a thread for: by their
/// multiply-adds or, if the rows are few, by their bytes.
int64_t PackedProduct::grainOf(int64_t rows, int64_t blocks) const {
  constexpr int64_t kProducts = 1 << 20, kBytes = 1 << 17;
  int64_t steps = std::min(blocks * kc_, problem_.k);
  return std::max<int64_t>(1, std::min(kProducts / (rows * steps * nr_),
                                       kBytes / blockBytes(steps, nr_)));
}

void PackedProduct::run(const GemmPointers &pointers, ThreadPool &pool) const {
  int64_t panels = ceilDiv(problem_.n, nr_), blocks = ceilDiv(problem_.k, kc_);
  for (int64_t row0 = 0; row0 < problem_.m; row0 += rowBlock_) {
    Slice slice;
    slice.row0 = row0;
    slice.rows = std::min(rowBlock_, problem_.m - row0);
    int64_t tiles = ceilDiv(slice.rows, mr_);
    char *a =
        panelScratch().reserve(blocks * tiles * blockBytes(kc_, mr_) + 4096);
    packRows(pointers, a, row0, slice.rows, pool);
    // As many blocks of k at a time as keep A's part in the second-level cache.
    int64_t together =
        std::max<int64_t>(1, sliceBytes_ / (tiles * blockBytes(kc_, mr_)));
    together = ceilDiv(blocks, ceilDiv(blocks, together));
    int64_t grain = grainOf(slice.rows, together);
    for (slice.begin = 0; slice.begin < blocks; slice.begin = slice.end) {
      slice.end = std::min(blocks, slice.begin + together);
      // runPanel prefetches the next panel, so the same thread should compute
      // it.
      forEachInRanges(pool, panels, grain, [&](int64_t panel) {
        runPanel(pointers, a, slice, panel);
      });
    }
  }
}

} // namespace assay::kernels
