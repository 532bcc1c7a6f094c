// The amx family: the tile family's loops around products on tile registers.
// Which shapes of squares fit the eight registers, which configurations are
// worth having, and what they cost.
#include "assay/kernels/Family.h"
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

// rows * columns squares of sums, rows tiles of A, at least one of B: at most
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
              // A packed A comes from the second level, a few steps ahead.
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
  if (hasIdleThreads(problem, config))
    return refuse("the side of C that the threads share has fewer tiles than "
                  "there are threads");
  if (config.splitK > 1 && problem.k < int64_t(config.splitK) * config.kr * 4)
    return refuse(llvm::formatv("k = {0} is too short for {1} parts", problem.k,
                                config.splitK));
  if (config.splitK > 1 &&
      double(problem.m) * double(problem.n) * config.splitK > double(1 << 30))
    return refuse(
        "the sums of the split-K parts would not fit in a sensible buffer");
  return std::nullopt;
}

/// A product of two tiles takes 16 cycles, a load 8; B is read from the second
/// level, packing moves bytes.
static Cost estimateAmx(const GemmProblem &problem, const GemmConfig &config,
                        const Machine &machine) {
  constexpr double kGhz = 3.0, kBytesPerNs = 22.0;
  double m = double(problem.m), n = double(problem.n), k = double(problem.k),
         batch = double(problem.batch);
  TaskGrid grid = taskGrid(problem, config);
  double tasks = double(grid.tasks(problem.batch)),
         threads = std::min<double>(problem.threads, tasks);
  double share = batch * std::ceil(tasks / threads) / tasks;
  double rows = config.mr / 16, columns = config.nr / 16;
  double rowBlocks = std::ceil(m / config.mr),
         columnBlocks = std::ceil(n / config.nr);
  double steps = std::ceil(k / config.kr),
         blocks = std::max(1.0, std::ceil(k / double(grid.parts) / config.kc));
  // The last block of rows has as many squares as it needs.
  double rowSquares = std::ceil(m / 16);
  double perStep = std::max(16.0 * columns * rowSquares,
                            (rowBlocks * columns + rowSquares) * 10.0);
  double balance = std::ceil(rowBlocks / double(grid.rows)) *
                   double(grid.rows) / rowBlocks *
                   std::ceil(columnBlocks / double(grid.columns)) *
                   double(grid.columns) / columnBlocks;
  double calls = rowBlocks * columnBlocks * blocks * double(grid.parts);
  Cost cost;
  cost.computeNs = share * balance *
                   (perStep * columnBlocks * steps +
                    calls * (30 + 10 * rows * columns +
                             (n < config.nr ? 60 + 10.0 * config.mr : 0))) /
                   kGhz;
  double size = double(sizeOf(problem.a));
  double depth = steps * config.kr; // packed panels are filled up
  double aTimes = config.order == LoopOrder::NKM ? std::ceil(n / config.nc) : 1;
  double bTimes = config.order == LoopOrder::NKM ? 1 : std::ceil(m / config.mc);
  if (config.packA == Packing::Pack)
    cost.packingNs += share * m * depth * aTimes * double(grid.columns) * size /
                      (problem.aStrides.column == 1 ? 16.0 : 1.5);
  cost.packingNs +=
      share * depth * n * bTimes * double(grid.rows) * size / 19.0;
  // Measured on a Sapphire Rapids core, 2026-11: rows of A in place share few
  // sets of the caches when they are a multiple of 2048 bytes apart, which each
  // pass but the first pays for; panels of B beyond the second level are read
  // from behind it for each block of rows.
  double aRow = double(problem.aStrides.row) * size, aBytes = m * k * size;
  if (config.packA == Packing::None && aBytes > 0.6 * double(machine.caches.l1))
    cost.computeNs += share * (columnBlocks - 0.7) * aBytes /
                      (std::fmod(aRow, 2048) == 0 ? 12 : 24);
  // A packed panel of B that outgrows its share of the second level is written
  // out of the way and read back for each block of rows.
  double packedB =
      std::min<double>(config.nc, n) * std::min<double>(config.kc, k) * size;
  double share2 = packedB / double(machine.caches.l2);
  if (share2 > 0.3)
    cost.packingNs +=
        share * k * n * size *
        (1 + std::ceil(m / (config.order == LoopOrder::NKM ? double(config.mc)
                                                           : m))) /
        (share2 > 0.6 ? 29.0 : 60.0);
  double fits =
      problem.bytes() < double(machine.caches.l2) ? 60.0 : kBytesPerNs;
  cost.memoryNs = problem.bytes() * share / batch / fits +
                  (blocks - 1) * m * n * 8 * share / 60.0;
  cost.memoryNs +=
      share / batch *
      writeNs(problem, config, machine, blocks == 1 && !problem.hasEpilogue());
  if (needsSumBuffer(problem, grid.parts))
    cost.epilogueNs = m * n * batch *
                      (double(grid.parts) * 4 + double(sizeOf(problem.c))) /
                      10.0 / threads;
  else if (problem.hasEpilogue())
    cost.epilogueNs = m * n * batch * 0.3 / threads;
  cost.launchNs = 120 + (threads > 1 ? 1500 : 0) + 40 * tasks;
  return cost;
}

const FamilyFunctions kAmxFamily = {enumerate, supports, prepareTile,
                                    estimateAmx};

} // namespace assay::kernels
