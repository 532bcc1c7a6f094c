/// A whole kernel (loops, packing, edges and micro-kernel) against a naive loop
/// on exact data.
#pragma once

#include "assay/kernels/Registry.h"

namespace assay::kernels {

/// Fills A, B, C, bias and scale of a problem with small integers (scales:
/// powers of two), runs the prepared kernel and compares every element, and the
/// gaps between rows of C, with the naive sum. Deterministic in `seed`. Errors:
/// Mismatch naming the first wrong element; ResourceLimit when memory runs out.
llvm::Error compareWithNaive(const GemmProblem &problem,
                             const PreparedGemm &gemm, ThreadPool &pool,
                             uint64_t seed);

/// Checks one variant of the loops on a sample of the sizes {1, t-1, t, t+1,
/// 2t-1, 2t+1} in each dimension, t being the register tile's, with the data
/// types and the strides' order of `problem`.
llvm::Error checkGemm(const GemmProblem &problem, const GemmConfig &config,
                      const Machine &machine, Jit &jit);

} // namespace assay::kernels
