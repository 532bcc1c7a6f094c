/// Where the sums of one batch entry are stored, and the epilogue that follows:
/// shared by the families that compute an entry at once.
#pragma once

#include "assay/kernels/outer/Epilogue.h"
#include "assay/support/ThreadPool.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay::kernels {

/// True when the sums cannot be made in C itself: another type, strided
/// columns, several parts, or arithmetic that the micro-kernels do not have.
bool needsSumBuffer(const GemmProblem &problem, int64_t parts);

/// A row-major rectangle of m x n sums in the accumulator's type. Sum must
/// become alpha * A * B + beta * old.
struct SumTarget {
  char *data = nullptr;
  int64_t row = 0;  ///< bytes between rows
  int64_t part = 0; ///< bytes between the rectangles of split-K parts
  double alpha = 1, beta = 0;
};

/// For each batch entry, `compute(batch, target)` makes the sums (k > 0); then
/// scale, bias, activation and rounding are applied. `parts` rectangles are
/// added in order.
void forEachEntry(
    const GemmProblem &problem, const GemmPointers &pointers, int64_t parts,
    ThreadPool &pool,
    llvm::function_ref<void(int64_t batch, const SumTarget &target)> compute);

/// Applies the epilogue to all rows of one batch entry at `c`; `block` has the
/// sums, their strides and parts.
void finishEntry(const GemmProblem &problem, const GemmPointers &pointers,
                 const EpilogueBlock &block, char *c, ThreadPool &pool);

/// Applies the epilogue to one entry that is a vector: `parts` buffers of
/// `count` contiguous sums, along a row of C or (mirrored) along a column.
void finishVector(const GemmProblem &entry, const GemmPointers &pointers,
                  const char *sums, int64_t count, int64_t parts,
                  bool mirrored);

/// The addresses of element (0, 0) of a batch entry.
const char *entryA(const GemmProblem &problem, const GemmPointers &pointers,
                   int64_t batch);
const char *entryB(const GemmProblem &problem, const GemmPointers &pointers,
                   int64_t batch);
char *entryC(const GemmProblem &problem, const GemmPointers &pointers,
             int64_t batch);

} // namespace assay::kernels
