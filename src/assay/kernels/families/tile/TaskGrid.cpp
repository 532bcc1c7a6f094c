// Divides the work of one problem between threads and into parts of k, and
// chooses how many columns a block of B holds. Cheap enough for the cost models
// to call it too.
#include "assay/kernels/families/tile/TileGemm.h"
#include "assay/support/Math.h"

#include <algorithm>

namespace assay::kernels {

/// A block of B of this size stays in the caches whatever its shape.
static constexpr int64_t kThinBytes = 65536;

/// Whether all threads are along one side of C and that side has fewer tiles
/// than there are threads.
static bool hasIdleThreads(const GemmProblem &problem,
                           const GemmConfig &config) {
  if (problem.batch * config.splitK > 1)
    return false;
  bool columns = config.gridM == 1 && config.gridN == 0,
       rows = config.gridN == 1 && config.gridM == 0;
  return (columns && ceilDiv(problem.n, config.nr) < problem.threads) ||
         (rows && ceilDiv(problem.m, config.mr) < problem.threads);
}

std::optional<Refusal> whyNotCut(const GemmProblem &problem,
                                 const GemmConfig &config) {
  auto refuse = [](std::string text) {
    return Refusal{ErrorCode::Unsupported, std::move(text)};
  };
  if (hasIdleThreads(problem, config))
    return refuse("the side of C that the threads share has fewer tiles than "
                  "there are threads");
  if (config.splitK > 1 && problem.k < int64_t(config.splitK) * config.kr * 4)
    return refuse(llvm::formatv("k = {0} is too short for {1} parts", problem.k,
                                config.splitK));
  constexpr double kMostSums = double(1 << 30);
  if (config.splitK > 1 &&
      double(problem.m) * double(problem.n) * config.splitK > kMostSums)
    return refuse(
        "the sums of the split-K parts would not fit in a sensible buffer");
  return std::nullopt;
}

int64_t columnsPerBlock(const GemmProblem &problem, const GemmConfig &config,
                        const Machine &machine) {
  int64_t depth = std::clamp<int64_t>(problem.k, 1, std::max(1, config.kc));
  int64_t bytes = packedBytesOf(mathOf(config, problem.types(), machine.isa));
  int64_t thin = kThinBytes / bytes / roundUp(depth, config.kr);
  return roundUp(std::max<int64_t>(config.nc, thin), config.nr);
}

/// The work in multiply-adds, including the cost of each byte of C.
static double work(const GemmProblem &problem) {
  return problem.flops() + 4.0 * double(problem.batch * problem.m * problem.n *
                                        sizeOf(problem.c));
}

TaskGrid taskGrid(const GemmProblem &problem, const GemmConfig &config) {
  int64_t rowTiles = std::max<int64_t>(1, ceilDiv(problem.m, config.mr));
  int64_t columnTiles = std::max<int64_t>(1, ceilDiv(problem.n, config.nr));
  TaskGrid grid;
  grid.parts = std::clamp<int64_t>(
      config.splitK, 1, std::max<int64_t>(1, ceilDiv(problem.k, config.kr)));
  // Waking a thread pays only if it gets work of some microseconds.
  const double kWorkPerThread = config.family == Family::Amx ? 4e6 : 1e6;
  int64_t threads = std::clamp<int64_t>(
      static_cast<int64_t>(work(problem) / kWorkPerThread), 1, problem.threads);
  if (config.gridN == 1 && config.gridM == 0) {
    grid.rows = std::min(rowTiles, threads);
  } else if (config.gridM == 1 && config.gridN == 0) {
    grid.columns = std::min(columnTiles, threads);
  } else if (config.gridM > 0 && config.gridN > 0) {
    grid.rows = std::min<int64_t>(rowTiles, config.gridM);
    grid.columns = std::min<int64_t>(columnTiles, config.gridN);
  } else if (problem.batch * grid.parts < threads) {
    // The division with the best balance; among equal ones, the one with the
    // most square rectangles. Where k is short, whole rows of C: threads that
    // write neighbouring pieces of a row would fetch each other's lines.
    double best = 1e300;
    for (int64_t rows = 1; rows <= std::min(rowTiles, threads); ++rows) {
      int64_t columns = std::min(columnTiles, threads / rows);
      bool pieces = columns > 1 && problem.k <= 32;
      double work = double(ceilDiv(rowTiles, rows) * config.mr) *
                    double(ceilDiv(columnTiles, columns) * config.nr);
      double edges = double(ceilDiv(rowTiles, rows) * config.mr) +
                     double(ceilDiv(columnTiles, columns) * config.nr);
      double score = work * (pieces ? 128 : 64) + edges;
      if (score < best) {
        best = score;
        grid.rows = rows;
        grid.columns = columns;
      }
    }
  }
  return grid;
}

TileTask taskAt(const TaskGrid &grid, const GemmProblem &problem,
                const GemmConfig &config, int64_t partK, int64_t index) {
  TileTask task;
  int64_t part = index % grid.parts,
          column = index / grid.parts % grid.columns,
          row = index / (grid.parts * grid.columns) % grid.rows;
  task.batch = index / (grid.parts * grid.columns * grid.rows);
  task.part = part;
  int64_t rowTiles = ceilDiv(problem.m, config.mr),
          columnTiles = ceilDiv(problem.n, config.nr);
  task.row0 = std::min(problem.m, row * rowTiles / grid.rows * config.mr);
  task.row1 =
      std::min(problem.m, (row + 1) * rowTiles / grid.rows * config.mr);
  task.column0 =
      std::min(problem.n, column * columnTiles / grid.columns * config.nr);
  task.column1 = std::min(problem.n, (column + 1) * columnTiles /
                                          grid.columns * config.nr);
  task.k0 = std::min(problem.k, part * partK);
  task.k1 = std::min(problem.k, (part + 1) * partK);
  return task;
}

} // namespace assay::kernels
