// What a tile kernel costs, from its numbers alone: whole and ragged register
// tiles at the tile's own efficiency, the traffic of the cache blocks, the
// copies of the packing, the epilogue. Constants are round figures of common
// server cores; they rank kernels, they do not predict seconds.
#include "assay/kernels/Family.h"
#include "assay/kernels/families/tile/TileGemm.h"
#include "assay/kernels/outer/Output.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cmath>

namespace assay::kernels {


/// Multiply-add vector instructions a step of the tile needs, against what its
/// loads allow: two of each a cycle.
static double cyclesPerStep(const GemmConfig &config, int lanes,
                            double perProduct) {
  double vectors = double(config.nr) / lanes, products = config.mr * vectors;
  double loads = config.mr + vectors,
         unpackedA = config.packA == Packing::None ? 0.1 * config.mr : 0;
  double latencyBound =
      products < 8 ? 4 : 0; // too few sums to hide the latency of one product
  double cycles = std::max(
      {products * perProduct, (loads + unpackedA) * 0.5, latencyBound});
  return config.pipeline == Pipeline::Prefetch ? cycles + 0.25 * vectors
                                               : cycles;
}

/// Unpacked operands are read with their own strides: lines a multiple of 4096
/// bytes apart fall into the same sets of the first-level cache, and each row
/// touches a page of its own. Once is free, every reuse is not.
static double conflicts(const GemmProblem &problem, const GemmConfig &config,
                        double rowTiles) {
  double factor = 1;
  int64_t aRow = problem.aStrides.row * sizeOf(problem.a),
          bRow = problem.bStrides.row * sizeOf(problem.b);
  if (config.packA == Packing::None && aRow % 4096 == 0 && config.mr > 8)
    factor *= 1.25;
  if (config.packB == Packing::None && rowTiles > 1.5)
    factor *= bRow % 4096 == 0 ? 3.5
              : bRow > 3072    ? 2.2
              : bRow > 2048    ? 1.3
                               : 1.05;
  return factor;
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
  // A strip down C touches a page a row. The arithmetic of a long k hides that
  // until the pages outnumber the second-level TLB's share.
  double stripNs = 0;
  if (rowBytes >= 4096 && stripBytes < 4096)
    stripNs = stripRows > 512  ? bytes / 7
              : stripRows > 16 ? bytes / (stripRows > 64 ? 16 : 40) *
                                     std::min(1.0, 64 / double(problem.k + 1))
                               : 0;
  return (large && !streams ? bytes / 12 : 0) + stripNs;
}

Cost estimateTile(const GemmProblem &problem, const GemmConfig &config,
                  const Machine &machine) {
  constexpr double kGhz = 3.0, kBytesPerNs = 22.0, kL2BytesPerNs = 60.0;
  MicroMath math = mathFor(problem.types(), machine.isa);
  int lanes = machine.isa.lanes(accumulatorOf(math)), group = groupOf(math),
      bytes = packedBytesOf(math);
  double m = double(problem.m), n = double(problem.n), k = double(problem.k),
         batch = double(problem.batch);
  TaskGrid grid = taskGrid(problem, config);
  double tasks = double(grid.tasks(problem.batch)),
         threads = std::min<double>(problem.threads, tasks);
  double rounds =
      std::ceil(tasks / threads) / tasks; // the busiest thread's share
  double rows = ceilRatio(ceilRatio(m, config.mr), double(grid.rows)) * config.mr;
  double columns =
      ceilRatio(ceilRatio(n, config.nr), double(grid.columns)) * config.nr;
  // Exact edges compute the rows that are there; a ragged tile of few rows is
  // bound by its loads.
  double rowTiles = std::floor(m / config.mr), rest = m - rowTiles * config.mr;
  GemmConfig ragged = config;
  ragged.mr = config.edge == Edge::Exact ? static_cast<int>(rest) : config.mr;
  double perProduct = cyclesPerProduct(math) * (machine.isa.fma ? 1 : 2);
  double perColumnTile =
      rowTiles * cyclesPerStep(config, lanes, perProduct) +
      (rest > 0 ? cyclesPerStep(ragged, lanes, perProduct) : 0);
  double columnTiles = ceilRatio(n, config.nr);
  double balance = rows * double(grid.rows) /
                   (ceilRatio(m, config.mr) * config.mr) * columns *
                   double(grid.columns) / (columnTiles * config.nr);
  double steps = ceilRatio(k, group);
  double blocks = std::max(1.0, ceilRatio(k / double(grid.parts), config.kc));
  double tileCalls =
      columnTiles * (rowTiles + (rest > 0)) * blocks * double(grid.parts);
  Cost cost;
  cost.computeNs = batch * rounds * balance *
                   (perColumnTile * columnTiles * steps +
                    tileCalls * (8 + config.mr * config.nr / double(lanes))) /
                   kGhz;
  double share = batch * rounds * balance;
  double elementA = double(sizeOf(problem.a)),
         elementB = double(sizeOf(problem.b));
  // How often each operand is packed: A once per block of columns, B once per
  // block of rows of the outer loop.
  double aTimes =
      config.order == LoopOrder::NKM ? ceilRatio(columns, config.nc) : 1;
  double bTimes = config.order == LoopOrder::NKM ? 1 : ceilRatio(rows, config.mc);
  auto copyNs = [&](double elements, double element, bool along) {
    return elements * (element + bytes) / (along ? 32.0 : 40.0);
  };
  if (config.packA == Packing::Pack)
    cost.packingNs += share * copyNs(m * k * aTimes * double(grid.columns),
                                     elementA, problem.aStrides.column == 1);
  if (config.packB == Packing::Pack)
    cost.packingNs += share * copyNs(k * n * bTimes * double(grid.rows),
                                     elementB, problem.bStrides.row == 1);
  // Unpacked operands with long strides touch a page a row.
  double spread =
      config.packB == Packing::None ? 1.0 + 0.5 * (n * elementB > 4096) : 1.0;
  double touched = problem.bytes() * rounds * balance;
  double blockBytes =
      config.order == LoopOrder::NKM
          ? std::min<double>(config.mc, rows) * config.kc * bytes
          : std::min<double>(config.nc, columns) * config.kc * bytes;
  double overflow = blockBytes > 0.7 * double(machine.caches.l2) ? 2.0 : 1.0;
  double panel =
      double(config.order == LoopOrder::NKM ? config.nr : config.mr) *
      config.kc * bytes;
  overflow *= panel > 0.6 * double(machine.caches.l1) ? 1.3 : 1.0;
  double fits =
      problem.bytes() < double(machine.caches.l2) ? kL2BytesPerNs : kBytesPerNs;
  cost.memoryNs = touched * spread / fits +
                  (blocks - 1) * m * n * 8 * share / kL2BytesPerNs;
  cost.computeNs *=
      overflow * conflicts(problem, config, rowTiles + (rest > 0));
  bool streams = blocks == 1 && !problem.hasEpilogue() &&
                 !needsSumBuffer(problem, grid.parts) &&
                 problem.cStrides.row * sizeOf(problem.c) % 64 == 0;
  cost.memoryNs += share / batch * writeNs(problem, config, machine, streams);
  if (needsSumBuffer(problem, grid.parts))
    cost.epilogueNs = m * n * batch *
                      (double(grid.parts) * 4 + double(sizeOf(problem.c))) /
                      10.0 / threads;
  else if (problem.hasEpilogue())
    cost.epilogueNs = m * n * batch * 0.3 / threads;
  cost.launchNs = 60 + (threads > 1 ? 1500 : 0) + 40 * tasks;
  return cost;
}

} // namespace assay::kernels
