/// The operations after the sum: scale, bias, old C, activation, rounding to the type
/// of C.
#pragma once

#include "assay/kernels/Problem.h"

namespace assay::kernels {

/// A rectangle of C and the sums for it.
struct EpilogueBlock {
  const void *sums = nullptr; ///< in the accumulator type, rows `sumRow`
                              ///< elements apart; may be C itself (see inPlace)
  int64_t sumRow = 0;
  int64_t parts = 1,
          partStride = 0; ///< split-K: the number of buffers, added in order,
                          ///< and their distance
  int64_t row = 0, column = 0, rows = 0, columns = 0;
  bool inPlace =
      false; ///< the sums are in C already and include alpha and beta * C
};

/// C = round(act(alpha * scale * sum + bias + beta * C)) for one block; c
/// points at element (0, 0) of the batch entry. Threads: re-entrant; writes
/// only the block.
void applyEpilogue(const GemmProblem &problem, const EpilogueBlock &block,
                   const GemmPointers &pointers, void *c);

} // namespace assay::kernels
