/// The blocked loops around the register tile, bound to one problem.
#pragma once

#include "assay/kernels/CostModel.h"
#include "assay/kernels/jit/Jit.h"

namespace assay::kernels {

/// The key of the register tile that the configuration uses on problems of
/// these types, with `rows` of its mr rows.
MicroKey tileKey(const GemmProblem &problem, const GemmConfig &config,
                 const Isa &isa, int rows);

/// The division of one problem's work: threads along rows and columns, and
/// parts of k.
struct TaskGrid {
  int64_t rows = 1, columns = 1, parts = 1;
  int64_t tasks(int64_t batch) const { return rows * columns * parts * batch; }
};
TaskGrid taskGrid(const GemmProblem &problem, const GemmConfig &config);

/// A rectangle of C and a range of k that one task computes, with the number of
/// the batch entry and the part.
struct TileTask {
  int64_t row0, row1, column0, column1, k0, k1, batch, part;
};
/// Task `index` of the grid; `partK`: the size of each part of k but the last.
TileTask taskAt(const TaskGrid &grid, const GemmProblem &problem,
                const GemmConfig &config, int64_t partK, int64_t index);

/// Why a problem cannot be divided as the configuration says: threads would be
/// idle, or parts of k would be too short or their sums too large.
std::optional<Refusal> whyNotCut(const GemmProblem &problem,
                                 const GemmConfig &config);

/// The columns of a block of B: nc, or more if k is so short that B stays small
/// anyway. Long rows of C are then written in one piece; writing C takes most
/// of the time of a product with a short k.
int64_t columnsPerBlock(const GemmProblem &problem, const GemmConfig &config,
                        const Machine &machine);

llvm::Expected<std::shared_ptr<const PreparedGemm>>
prepareTile(const GemmProblem &problem, const GemmConfig &config,
            const Machine &machine, Jit &jit);

/// The cost of a tile with many rows if rows of C are a multiple of 4 KiB
/// apart: their lines share a set of the first level and are evicted half
/// written.
double aliasedWritesNs(const GemmProblem &problem, const GemmConfig &config,
                       const Machine &machine);
/// The cost of a large C beyond its bytes: lines that are read before they are
/// overwritten (unless stores bypass the caches), and strips that touch a page
/// for each row.
double writeNs(const GemmProblem &problem, const GemmConfig &config,
               const Machine &machine, bool streams);

/// The time of bias, activation, conversion, and the sum of the parts of k.
double epilogueNs(const GemmProblem &problem, int64_t parts, double threads);
/// The rate at which the operands are read: from the second-level cache when
/// all three fit there, else from memory.
double operandBytesPerNs(const GemmProblem &problem, const Machine &machine);

Cost estimateTile(const GemmProblem &problem, const GemmConfig &config,
                  const Machine &machine);

} // namespace assay::kernels
