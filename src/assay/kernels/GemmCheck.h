/// Checks a whole kernel (loops, packing, edges and micro-kernel) against a
/// naive loop on exact data.
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

/// The sizes m, n and k of checkGemm(): in each dimension {1, t-1, t, t+1,
/// 2t-1, 2t+1}, where t is the size of the register tile (twice kr along k), in
/// a sample of their combinations. Some may be 0.
std::vector<std::array<int64_t, 3>> checkedSizes(const GemmConfig &config);

/// Checks one variant of the loops on checkedSizes() (with a longer k if it is
/// split), with the data types and the order of strides of `problem`.
llvm::Error checkGemm(const GemmProblem &problem, const GemmConfig &config,
                      const Machine &machine, Jit &jit);

} // namespace assay::kernels
