/// The blocked loops around the register tile, bound to one problem.
#pragma once

#include "assay/kernels/CostModel.h"
#include "assay/kernels/jit/Jit.h"

namespace assay::kernels {

/// The key of the register tile that the configuration uses on problems of
/// these types, with `rows` of its mr rows.
MicroKey tileKey(const GemmProblem &problem, const GemmConfig &config,
                 const Isa &isa, int rows);

/// Threads along rows and columns, and parts of k: how the work of one problem
/// is cut.
struct TaskGrid {
  int64_t rows = 1, columns = 1, parts = 1;
  int64_t tasks(int64_t batch) const { return rows * columns * parts * batch; }
};
TaskGrid taskGrid(const GemmProblem &problem, const GemmConfig &config);

/// A rectangle of C and a range of k: the part that one task computes. Batch entry and
/// part say where.
struct TileTask {
  int64_t row0, row1, column0, column1, k0, k1, batch, part;
};
/// Task `index` of the grid; `partK`: how much of k each part has, but the last.
TileTask taskAt(const TaskGrid &grid, const GemmProblem &problem,
                const GemmConfig &config, int64_t partK, int64_t index);

/// Why a problem is not cut as the configuration says: threads would idle, or parts
/// of k would be too short or their sums too large.
std::optional<Refusal> whyNotCut(const GemmProblem &problem,
                                 const GemmConfig &config);

/// Columns of a block of B: nc, and more where k is so short that B stays small
/// all the same. Long rows of C are then written in one piece, which is what a
/// thin product's time goes to.
int64_t columnsPerBlock(const GemmProblem &problem, const GemmConfig &config,
                        const Machine &machine);

llvm::Expected<std::shared_ptr<const PreparedGemm>>
prepareTile(const GemmProblem &problem, const GemmConfig &config,
            const Machine &machine, Jit &jit);

/// The cost of a tile of many rows where rows of C are a multiple of 4 KiB apart:
/// their lines share a set of the first level and leave it half written.
double aliasedWritesNs(const GemmProblem &problem, const GemmConfig &config,
                       const Machine &machine);
/// What a large C costs beyond its bytes: lines that are read before they are
/// overwritten (not where they are written past the caches), and strips that
/// open a page for each row.
double writeNs(const GemmProblem &problem, const GemmConfig &config,
               const Machine &machine, bool streams);

/// Bias, activation, conversion, and the sum of the parts of k.
double epilogueNs(const GemmProblem &problem, int64_t parts, double threads);
/// The rate at which the operands arrive: from the second-level cache when all three
/// fit there, else from memory.
double operandBytesPerNs(const GemmProblem &problem, const Machine &machine);

Cost estimateTile(const GemmProblem &problem, const GemmConfig &config,
                  const Machine &machine);

} // namespace assay::kernels
