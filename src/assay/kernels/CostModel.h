/// The analytic cost of a kernel on a problem: the first choice where no
/// learned model is installed, and a feature of the learned one.
#pragma once

#include "assay/kernels/Selector.h"

namespace assay::kernels {

/// The parts of the estimate, in nanoseconds. time = launch + the longer of
/// compute and memory + a quarter of the shorter (they overlap imperfectly) +
/// packing + epilogue.
struct Cost {
  double launchNs = 0;  ///< waking threads, the fixed cost of a call
  double computeNs = 0; ///< multiply-adds of whole and ragged tiles on the
                        ///< busiest thread, at the tile's own efficiency
  double memoryNs =
      0; ///< operands and C through the cache level or memory that holds them
  double packingNs = 0; ///< copies of A and B
  double epilogueNs =
      0; ///< conversion, bias, activation, and the sum of the split-K parts
  double totalNs() const {
    double longer = computeNs > memoryNs ? computeNs : memoryNs,
           shorter = computeNs + memoryNs - longer;
    return launchNs + longer + 0.25 * shorter + packingNs + epilogueNs;
  }
};

/// Estimates a supported pair of problem and configuration. Pure arithmetic,
/// about 50 ns; the result does not depend on measurements.
Cost estimate(const GemmProblem &problem, const GemmConfig &config,
              const Machine &machine);

/// Selects the supported configuration with the least estimated time; caches
/// its answers per problem.
std::unique_ptr<Selector> makeAnalyticSelector(Registry &registry);

} // namespace assay::kernels
