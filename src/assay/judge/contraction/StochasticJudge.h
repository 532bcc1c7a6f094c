/// The verdict on results that are rounded up or down at random: up with the
/// probability that makes the mean right. Each must be one of the two neighbours
/// of its exact value, and all together must look random: neither too many up
/// (bias), nor the nearer one too often (which a mean does not show).
#pragma once

#include "assay/judge/contraction/ContractionJudge.h"

namespace assay::judge {

/// Standard deviations from the mean at which results are no longer taken for
/// random: once in 5 * 10^8 right ones.
inline constexpr double kMostDeviations = 6;

struct StochasticVerdict {
  Verdict verdict;     ///< results that are not a neighbour
  std::string doubt;   ///< why the results cannot be random, or empty
  int64_t rounded = 0; ///< results between two neighbours
  double deviations = 0, slopeDeviations = 0;
};

/// `sums` with sum |a||b| per element where they are not exact.
StochasticVerdict judgeStochastic(const Case &c, const Epilogue &epilogue,
                                  const Accumulators &sums, const Bound &bound,
                                  const void *data, ThreadPool &pool);

} // namespace assay::judge
