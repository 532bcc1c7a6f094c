/// A whole kernel (loops, packing, edges and micro-kernel) against a naive loop
/// on exact data.
#pragma once

#include "assay/kernels/Registry.h"

#include <array>
#include <vector>

namespace assay::kernels {

/// Fills A, B, C, bias and scale of a problem with small integers (scales:
/// powers of two), runs the prepared kernel and compares every element, and the
/// gaps between rows of C, with the naive sum. Deterministic in `seed`. Errors:
/// Mismatch naming the first wrong element; ResourceLimit when memory runs out.
llvm::Error compareWithNaive(const GemmProblem &problem,
                             const PreparedGemm &gemm, ThreadPool &pool,
                             uint64_t seed);

/// The sizes m, n and k of checkGemm(): each of {1, t-1, t, t+1, 2t-1, 2t+1} in
/// each dimension, t being the register tile's (twice kr along k), in a sample
/// of their combinations. Some may be 0.
std::vector<std::array<int64_t, 3>> checkedSizes(const GemmConfig &config);

/// Checks one variant of the loops on checkedSizes() (k longer by what it is
/// split in), with the data types and the strides' order of `problem`.
llvm::Error checkGemm(const GemmProblem &problem, const GemmConfig &config,
                      const Machine &machine, Jit &jit);

} // namespace assay::kernels
