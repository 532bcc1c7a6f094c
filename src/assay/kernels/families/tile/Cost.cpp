// The cost of a tile kernel: whole and ragged register tiles at the tile's own
// efficiency, the traffic of the cache blocks, the copies of the packing, the
// epilogue. The speeds of tiles, copies and memory are those measured on the
// machine (TileSpeeds.h), else the constants.
#include "assay/kernels/CostConstants.h"
#include "assay/kernels/Family.h"
#include "assay/kernels/TileSpeeds.h"
#include "assay/kernels/families/tile/TileGemm.h"
#include "assay/kernels/outer/Output.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cmath>

namespace assay::kernels {

/// The vector multiply-adds of a step of the tile, or its loads if they take
/// longer: two of each per cycle.
static double cyclesPerStep(const GemmConfig &config, int lanes,
                            double perProduct) {
  double vectors = double(config.nr) / lanes, products = config.mr * vectors;
  double loads = config.mr + vectors,
         unpackedA = config.packA == Packing::None ? 0.1 * config.mr : 0;
  double latencyBound =
      products < 8 ? cost::kProductLatency
                   : 0; // too few sums to hide the latency of one product
  double cycles = std::max(
      {products * perProduct, (loads + unpackedA) * 0.5, latencyBound});
  return config.pipeline == Pipeline::Prefetch
             ? cycles + cost::kPrefetchCycles * vectors
             : cycles;
}

/// The nanoseconds of a step of the tile with `rows` of its rows. If the whole
/// tile was measured: the measured time, scaled for ragged rows as the model
/// would; else the model's time.
static double stepNsOf(const GemmConfig &config, int rows, MicroMath math,
                       const Machine &machine) {
  int lanes = machine.isa.lanes(accumulatorOf(math));
  double perProduct = cyclesPerProduct(math) * (machine.isa.fma ? 1 : 2);
  GemmConfig cut = config;
  cut.mr = rows;
  const TileSpeeds *speeds = measuredSpeeds(machine);
  double ghz = speeds ? speeds->ghz : cost::kGhz,
         modelled = cyclesPerStep(cut, lanes, perProduct) / ghz;
  if (!speeds)
    return modelled;
  auto measured = [&](int rowsOfTile) {
    return speeds->stepOf(
        {math, rowsOfTile, config.nr / lanes, config.packA == Packing::Pack});
  };
  double prefetch = config.pipeline == Pipeline::Prefetch
                        ? cost::kPrefetchCycles * config.nr / lanes / ghz
                        : 0;
  if (double exact = measured(rows); exact > 0)
    return exact + prefetch;
  double whole = measured(config.mr);
  return whole > 0 ? modelled * (whole + prefetch) /
                         (cyclesPerStep(config, lanes, perProduct) / ghz)
                   : modelled;
}

/// Unpacked operands are read with their own strides: lines a multiple of 4096
/// bytes apart fall into the same sets of the first-level cache, and each row
/// is in another page. The first use costs nothing, every reuse does.
static double conflicts(const GemmProblem &problem, const GemmConfig &config,
                        double rowTiles) {
  double factor = 1;
  int64_t aRow = problem.aStrides.row * sizeOf(problem.a),
          bRow = problem.bStrides.row * sizeOf(problem.b);
  if (config.packA == Packing::None && aRow % 4096 == 0 && config.mr > 8)
    factor *= cost::kAliasedA;
  if (config.packB == Packing::None && rowTiles > 1.5)
    factor *= bRow % 4096 == 0 ? cost::kAliasedB
              : bRow > 3072    ? cost::kFarB
              : bRow > 2048    ? cost::kApartB
                               : cost::kNearB;
  return factor;
}

double aliasedWritesNs(const GemmProblem &problem, const GemmConfig &config,
                       const Machine &machine) {
  double rowBytes = double(problem.cStrides.row) * double(sizeOf(problem.c)),
         bytes = double(problem.m) * rowBytes * double(problem.batch);
  // A way of the first level has the size of a page; two thirds of the ways are
  // available to C.
  double rows = double(std::min<int64_t>(config.mr, problem.m)),
         ways = double(machine.caches.l1) / 4096 * 2 / 3;
  // Squares of sixteen rows are stored one after the other, whatever the tile.
  return config.family != Family::Amx && std::fmod(rowBytes, 4096) == 0 &&
                 rows > ways
             ? bytes * (rows - ways) / cost::kAliasedCBytesPerNs
             : 0;
}

double writeNs(const GemmProblem &problem, const GemmConfig &config,
               const Machine &machine, bool streams) {
  double rowBytes = double(problem.cStrides.row) * double(sizeOf(problem.c)),
         bytes = double(problem.m) * rowBytes * double(problem.batch);
  bool large = bytes > 8 * double(machine.caches.l2);
  double stripRows = std::min<double>(config.mc, double(problem.m));
  double stripBytes =
      double(config.order == LoopOrder::NKM
                 ? config.nr
                 : std::min<int64_t>(columnsPerBlock(problem, config, machine),
                                     problem.n)) *
      double(sizeOf(problem.c));
  // A strip down C touches one page per row. The arithmetic of a long k hides
  // that until there are more pages than the second-level TLB's share.
  double stripNs = 0;
  if (rowBytes >= 4096 && stripBytes < 4096)
    stripNs = (stripRows > 512 ? bytes / 7
               : stripRows > 16
                   ? bytes / (stripRows > 64 ? 16 : 40) *
                         std::min(1.0, 64 / double(problem.k + 1))
                   : 0) *
              (0.75 + cost::kNarrowStripBytes / stripBytes);
  // Stores that bypass the caches leave no line half written.
  return stripNs +
         (large && streams    ? 0
          : large ? bytes / cost::kOwnBytesPerNs
                  : aliasedWritesNs(problem, config, machine));
}

double epilogueNs(const GemmProblem &problem, int64_t parts, double threads) {
  double elements =
      double(problem.m) * double(problem.n) * double(problem.batch);
  if (needsSumBuffer(problem, parts))
    return elements * (double(parts) * 4 + double(sizeOf(problem.c))) /
           cost::kSumBytesPerNs / threads;
  return problem.hasEpilogue() ? elements * cost::kEpilogueNs / threads : 0;
}

double operandBytesPerNs(const GemmProblem &problem, const Machine &machine) {
  const TileSpeeds *speeds = measuredSpeeds(machine);
  bool fits = problem.bytes() < double(machine.caches.l2);
  if (speeds)
    return fits ? speeds->l2 : speeds->beyond;
  return fits ? cost::kL2BytesPerNs : cost::kBytesPerNs;
}

namespace {
/// The division of a problem by a tile configuration: sizes of the busiest
/// thread's part, and how uneven the division is.
struct Cut {
  TaskGrid grid;
  double tasks, threads;
  double rounds;        ///< the busiest thread's share of the tasks
  double rows, columns; ///< of a task, in whole tiles
  double rowTiles;      ///< whole tiles along m
  double ragged;        ///< rows of the tile that is not whole
  double columnTiles, blocks, balance;

  Cut(const GemmProblem &problem, const GemmConfig &config)
      : grid(taskGrid(problem, config)),
        tasks(double(grid.tasks(problem.batch))),
        threads(std::min<double>(problem.threads, tasks)),
        rounds(std::ceil(tasks / threads) / tasks) {
    double m = double(problem.m), n = double(problem.n), k = double(problem.k);
    rows = ceilRatio(ceilRatio(m, config.mr), double(grid.rows)) * config.mr;
    columns =
        ceilRatio(ceilRatio(n, config.nr), double(grid.columns)) * config.nr;
    rowTiles = std::floor(m / config.mr);
    ragged = m - rowTiles * config.mr;
    columnTiles = ceilRatio(n, config.nr);
    balance = rows * double(grid.rows) / (ceilRatio(m, config.mr) * config.mr) *
              columns * double(grid.columns) / (columnTiles * config.nr);
    blocks = std::max(1.0, ceilRatio(k / double(grid.parts), config.kc));
  }
  /// The share of all work that the busiest thread does.
  double share(const GemmProblem &problem) const {
    return double(problem.batch) * rounds * balance;
  }
};
} // namespace

/// The cycles before a call of the micro-kernel reaches full speed: the first
/// lines of a packed panel, the loads at the start of a pipelined loop.
static double startCycles(const GemmConfig &config) {
  return (config.packA == Packing::Pack ? cost::kPackedStartCycles : 0) +
         (config.pipeline == Pipeline::Pipelined ? cost::kPipelinedStartCycles
                                                 : 0);
}

/// The multiply-adds of the busiest thread, with operands in the first level.
/// Exact edges compute only the rows that exist; the loads limit a ragged tile
/// with few rows.
static double computeNs(const GemmProblem &problem, const GemmConfig &config,
                        const Machine &machine, const Cut &cut) {
  MicroMath math = mathFor(problem.types(), machine.isa);
  int lanes = machine.isa.lanes(accumulatorOf(math));
  int ragged =
      config.edge == Edge::Exact ? static_cast<int>(cut.ragged) : config.mr;
  double perColumnTile =
      cut.rowTiles * stepNsOf(config, config.mr, math, machine) +
      (cut.ragged > 0 ? stepNsOf(config, ragged, math, machine) : 0);
  double steps = ceilRatio(double(problem.k), groupOf(math));
  double tileCalls = cut.columnTiles * (cut.rowTiles + (cut.ragged > 0)) *
                     cut.blocks * double(cut.grid.parts);
  return double(problem.batch) * cut.rounds * cut.balance *
         (perColumnTile * cut.columnTiles * steps +
          tileCalls *
              (8 + config.mr * config.nr / double(lanes) + startCycles(config)) /
              clockGhz(machine));
}

/// The copies of the busiest thread: A once per block of columns, B once per
/// block of rows of the outer loop.
static double packingNs(const GemmProblem &problem, const GemmConfig &config,
                        int packedBytes, const Machine &machine,
                        const Cut &cut) {
  const TileSpeeds *speeds = measuredSpeeds(machine);
  double alongRate = speeds ? speeds->packAlong : cost::kPackAlongBytesPerNs,
         acrossRate = speeds ? speeds->packAcross : cost::kPackAcrossBytesPerNs;
  bool byColumns = config.order == LoopOrder::NKM;
  double aTimes = byColumns ? ceilRatio(cut.columns, config.nc) : 1;
  double bTimes = byColumns ? 1 : ceilRatio(cut.rows, config.mc);
  double k = double(problem.k);
  // Copies are measured in the second level. Data beyond it also have to be
  // read from there, which nothing overlaps. (The constants include this.)
  bool isBeyond = speeds && problem.bytes() > double(machine.caches.l2);
  auto copyNs = [&](double elements, DataType type, bool along) {
    return elements * (double(sizeOf(type)) + packedBytes) /
               (along ? alongRate : acrossRate) +
           (isBeyond ? elements * double(sizeOf(type)) / speeds->beyond : 0);
  };
  double ns = 0;
  if (config.packA == Packing::Pack)
    ns += cut.share(problem) *
          copyNs(double(problem.m) * k * aTimes * double(cut.grid.columns),
                 problem.a, problem.aStrides.column == 1);
  if (config.packB == Packing::Pack)
    ns += cut.share(problem) *
          copyNs(k * double(problem.n) * bTimes * double(cut.grid.rows),
                 problem.b, problem.bStrides.row == 1);
  return ns;
}

/// The factor by which the arithmetic is slower if a block exceeds its share of
/// the second level, or a panel that of the first.
static double overflow(const GemmConfig &config, const Machine &machine,
                       int packedBytes, const Cut &cut) {
  bool byColumns = config.order == LoopOrder::NKM;
  double depth = double(config.kc) * packedBytes;
  double block = (byColumns ? std::min<double>(config.mc, cut.rows)
                            : std::min<double>(config.nc, cut.columns)) *
                 depth;
  double panel = double(byColumns ? config.nr : config.mr) * depth;
  return (block > 0.7 * double(machine.caches.l2) ? cost::kBlockBeyondL2 : 1) *
         (panel > 0.6 * double(machine.caches.l1) ? cost::kPanelBeyondL1 : 1);
}

/// The time of operands and C, read through the cache level or memory that
/// holds them. Unpacked operands with long strides touch one page per row.
static double memoryNs(const GemmProblem &problem, const GemmConfig &config,
                       const Machine &machine, const Cut &cut) {
  double n = double(problem.n), share = cut.share(problem);
  double spread = config.packB == Packing::None
                      ? 1.0 + 0.5 * (n * double(sizeOf(problem.b)) > 4096)
                      : 1.0;
  double touched = problem.bytes() * cut.rounds * cut.balance;
  bool streams = cut.blocks == 1 && !problem.hasEpilogue() &&
                 !needsSumBuffer(problem, cut.grid.parts) &&
                 problem.cStrides.row * sizeOf(problem.c) % 64 == 0;
  return touched * spread / operandBytesPerNs(problem, machine) +
         (cut.blocks - 1) * double(problem.m) * n * 8 * share /
             l2BytesPerNs(machine) +
         share / double(problem.batch) *
             writeNs(problem, config, machine, streams);
}

Cost estimateTile(const GemmProblem &problem, const GemmConfig &config,
                  const Machine &machine) {
  Cut cut(problem, config);
  int packedBytes = packedBytesOf(mathFor(problem.types(), machine.isa));
  Cost cost;
  cost.computeNs =
      computeNs(problem, config, machine, cut) *
      (overflow(config, machine, packedBytes, cut) *
       conflicts(problem, config, cut.rowTiles + (cut.ragged > 0)));
  cost.packingNs = packingNs(problem, config, packedBytes, machine, cut);
  cost.memoryNs = memoryNs(problem, config, machine, cut);
  cost.epilogueNs = epilogueNs(problem, cut.grid.parts, cut.threads);
  cost.launchNs = cost::kTileLaunchNs +
                  (cut.threads > 1 ? cost::kGridLaunchNs : 0) +
                  cost::kTaskNs * cut.tasks;
  return cost;
}

} // namespace assay::kernels
