// The amx family: the tile family's loops around products on tile registers.
// This file determines the shapes of squares that fit the eight registers, the
// configurations that are worth having, and their cost.
#include "assay/kernels/Family.h"
#include "assay/kernels/CostConstants.h"
#include "assay/kernels/TileSpeeds.h"
#include "assay/kernels/families/tile/TileGemm.h"
#include "assay/kernels/jit/MicroKernel.h"
#include "assay/kernels/outer/Output.h"

#include <algorithm>
#include <cmath>

namespace assay::kernels {

namespace {
struct Squares {
  int rows, columns;
};
} // namespace

// rows * columns squares of sums, `rows` tiles of A, at least one of B: at most
// eight.
static constexpr Squares kSquares[] = {{2, 2}, {1, 4}, {1, 3}, {1, 2},
                                       {1, 1}, {2, 1}, {3, 1}};

static int elementsPerRow(TypePair types) {
  return 64 / static_cast<int>(sizeOf(types.a));
}

static bool hasTiles(TypePair types, const Isa &isa) {
  return isa.amx && (types.a == DataType::BF16 || sizeOf(types.a) == 1);
}

static void enumerate(TypePair types, Layout layout, const Machine &machine,
                      std::vector<GemmConfig> &configs) {
  if (!hasTiles(types, machine.isa))
    return;
  struct Schedule {
    int32_t gridM, gridN, splitK;
  };
  auto roundUp = [](int32_t value, int32_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
  };
  for (Squares squares : kSquares)
    for (Packing packA : {Packing::Pack, Packing::None})
      for (int32_t depthBytes : {1024, 2048, 4096})
        for (int32_t inner : {128, 512})
          for (LoopOrder order : {LoopOrder::NKM, LoopOrder::MKN})
            for (Schedule schedule : {Schedule{0, 0, 1}, Schedule{0, 1, 1},
                                      Schedule{1, 0, 1}, Schedule{0, 0, 4}}) {
              if (packA == Packing::None && !aIsRowMajor(layout))
                continue;
              GemmConfig config;
              config.family = Family::Amx;
              config.mr = squares.rows * 16;
              config.nr = squares.columns * 16;
              config.kr = elementsPerRow(types);
              config.kc = depthBytes / static_cast<int32_t>(sizeOf(types.a));
              config.mc =
                  roundUp(order == LoopOrder::NKM ? inner : 3072, config.mr);
              config.nc =
                  roundUp(order == LoopOrder::NKM ? 3072 : inner, config.nr);
              config.packA = packA;
              // A packed A is read from the second level, so it is prefetched a
              // few steps ahead.
              if (packA == Packing::Pack) {
                config.pipeline = Pipeline::Prefetch;
                config.prefetch = 2;
              }
              config.order = order;
              config.gridM = schedule.gridM;
              config.gridN = schedule.gridN;
              config.splitK = schedule.splitK;
              configs.push_back(config);
            }
}

static std::optional<Refusal> supports(const GemmProblem &problem,
                                       const GemmConfig &config,
                                       const Machine &machine) {
  auto refuse = [](std::string text) {
    return Refusal{ErrorCode::Unsupported, std::move(text)};
  };
  if (!hasTiles(problem.types(), machine.isa))
    return refuse("tile registers multiply bfloat16 and 8-bit integers, on "
                  "processors that have them");
  int rows = config.mr / 16, columns = config.nr / 16;
  if (config.mr % 16 != 0 || config.nr % 16 != 0 || rows < 1 || columns < 1 ||
      rows * columns + rows > 7 || config.kr != elementsPerRow(problem.types()))
    return refuse(llvm::formatv("{0}x{1}x{2} is not made of squares of 16 and "
                                "rows of 64 bytes that fit eight registers",
                                config.mr, config.nr, config.kr));
  if (config.packB == Packing::None || config.edge == Edge::Padded ||
      config.mc < 1 || config.nc < 1 || config.kc < 1)
    return refuse(
        "tile registers need a packed B, exact edges and cache blocks");
  if (config.packA == Packing::None) {
    if (problem.aStrides.column != 1)
      return refuse("unpacked A must be row-major");
    if (problem.k % config.kr != 0)
      return refuse(
          llvm::formatv("unpacked A needs k to be a multiple of {0}, k is {1}",
                        config.kr, problem.k));
  }
  if (int64_t(config.gridM) * config.gridN > problem.threads ||
      (problem.threads == 1 && (config.gridM != 0 || config.gridN != 0)))
    return refuse("the thread grid is larger than the problem's threads");
  return whyNotCut(problem, config);
}

namespace {
/// The division of a problem into blocks by a configuration; all counts are
/// doubles.
struct Blocks {
  TaskGrid grid;
  double tasks, threads, share; ///< the busiest thread's share of all batches
  double rows, columns;         ///< blocks along m and n
  double steps, parts;          ///< along k: tiles, and blocks of kc
  double depth;                 ///< k after the padding of packed panels

  Blocks(const GemmProblem &problem, const GemmConfig &config)
      : grid(taskGrid(problem, config)),
        tasks(double(grid.tasks(problem.batch))),
        threads(std::min<double>(problem.threads, tasks)),
        share(double(problem.batch) * std::ceil(tasks / threads) / tasks),
        rows(std::ceil(double(problem.m) / config.mr)),
        columns(std::ceil(double(problem.n) / config.nr)),
        steps(std::ceil(double(problem.k) / config.kr)),
        parts(std::max(1.0, std::ceil(double(problem.k) / double(grid.parts) /
                                      config.kc))),
        depth(steps * config.kr) {}
};
} // namespace

/// A product of two tiles takes 16 cycles, a load 8 to 10, the start of a block
/// 30 and another 10 for each of its tiles (from the instruction's documented
/// throughput; the rest fitted on a Sapphire Rapids core, 2026-11).
static double tilesNs(const GemmProblem &problem, const GemmConfig &config,
                      const Machine &machine, const Blocks &blocks) {
  double tileRows = config.mr / 16, tileColumns = config.nr / 16;
  // The last block of rows has only as many squares as it needs.
  double squares = std::ceil(double(problem.m) / 16);
  double perStep = std::max(16.0 * tileColumns * squares,
                            (blocks.rows * tileColumns + squares) * 10.0);
  double balance = std::ceil(blocks.rows / double(blocks.grid.rows)) *
                   double(blocks.grid.rows) / blocks.rows *
                   std::ceil(blocks.columns / double(blocks.grid.columns)) *
                   double(blocks.grid.columns) / blocks.columns;
  double calls =
      blocks.rows * blocks.columns * blocks.parts * double(blocks.grid.parts);
  return blocks.share * balance *
         (perStep * blocks.columns * blocks.steps +
          calls * (30 + 10 * tileRows * tileColumns +
                   (problem.n < config.nr ? 60 + 10.0 * config.mr : 0))) /
         clockGhz(machine);
}

/// If rows of A in place are a multiple of 2048 bytes apart, they share few
/// sets of the caches, which slows down each pass but the first (12 bytes per
/// nanosecond instead of 24; Sapphire Rapids, 2026-11).
static double rereadNs(const GemmProblem &problem, const GemmConfig &config,
                       const Machine &machine, const Blocks &blocks) {
  double size = double(sizeOf(problem.a));
  double row = double(problem.aStrides.row) * size,
         bytes = double(problem.m) * double(problem.k) * size;
  if (config.packA != Packing::None || bytes <= 0.6 * double(machine.caches.l1))
    return 0;
  return blocks.share * (blocks.columns - 0.7) * bytes /
         (std::fmod(row, 2048) == 0 ? 12 : 24);
}

/// The time of the copies of A and B into panels. In bytes per nanosecond: 16
/// for rows of A that stay rows, 8 for columns that are transposed, 1.5 where
/// single elements are gathered, 19 for B. A panel of B that exceeds its share
/// of the second level is evicted and read again for each block of rows (all:
/// Sapphire Rapids, 2026-11).
static double panelsNs(const GemmProblem &problem, const GemmConfig &config,
                       const Machine &machine, const Blocks &blocks) {
  bool byColumns = config.order == LoopOrder::NKM;
  double m = double(problem.m), n = double(problem.n), k = double(problem.k),
         size = double(sizeOf(problem.a));
  double aTimes = byColumns ? std::ceil(n / config.nc) : 1;
  double bTimes = byColumns ? 1 : std::ceil(m / config.mc);
  double ns = 0;
  if (config.packA == Packing::Pack)
    ns += blocks.share * m * blocks.depth * aTimes *
          double(blocks.grid.columns) * size /
          (problem.aStrides.column == 1 ? 16.0
           : problem.aStrides.row == 1  ? 8.0
                                        : 1.5);
  ns += blocks.share * blocks.depth * n * bTimes * double(blocks.grid.rows) *
        size / 19.0;
  double panel =
      std::min<double>(config.nc, n) * std::min<double>(config.kc, k) * size;
  double level2 = panel / double(machine.caches.l2);
  if (level2 > 0.3)
    ns += blocks.share * k * n * size *
          (1 + std::ceil(m / (byColumns ? double(config.mc) : m))) /
          (level2 > 0.6 ? 29.0 : 60.0);
  return ns;
}

static Cost estimateAmx(const GemmProblem &problem, const GemmConfig &config,
                        const Machine &machine) {
  Blocks blocks(problem, config);
  double batch = double(problem.batch);
  Cost cost;
  cost.computeNs = tilesNs(problem, config, machine, blocks) +
                   rereadNs(problem, config, machine, blocks);
  cost.packingNs = panelsNs(problem, config, machine, blocks);
  cost.memoryNs = problem.bytes() * blocks.share / batch /
                      operandBytesPerNs(problem, machine) +
                  (blocks.parts - 1) * double(problem.m) * double(problem.n) *
                      8 * blocks.share / l2BytesPerNs(machine);
  cost.memoryNs += blocks.share / batch *
                   writeNs(problem, config, machine,
                           blocks.parts == 1 && !problem.hasEpilogue());
  cost.epilogueNs = epilogueNs(problem, blocks.grid.parts, blocks.threads);
  cost.launchNs = 2 * cost::kTileLaunchNs +
                  (blocks.threads > 1 ? cost::kGridLaunchNs : 0) +
                  cost::kTaskNs * blocks.tasks;
  return cost;
}

const FamilyFunctions kAmxFamily = {enumerate, supports, prepareTile,
                                    estimateAmx};

} // namespace assay::kernels
