/// Comparing kernels on a machine whose speed wanders: two kernels run in
/// turns, and the median of the ratios of neighbours is what is reported, with
/// its interval.
#pragma once

#include "assay/kernels/Registry.h"

#include <functional>

namespace assay::select {

/// The median of some ratios with its 95 % interval; noise is half of the
/// interval, relative to the median.
/// Formula:  the interval's ends are the order statistics at n/2 -+ 0.98
/// sqrt(n) (binomial, no assumption on the shape)
struct PairStatistics {
  double median = 0, low = 0, high = 0, noise = 1;
  int pairs = 0;
};
PairStatistics summarizePairs(std::vector<double> ratios);

/// The operands of one problem, filled with small random numbers, and the
/// clock.
class GemmTimer {
public:
  GemmTimer(const kernels::GemmProblem &problem, ThreadPool &pool,
            uint64_t seed);

  /// Nanoseconds of `repetitions` calls in a row.
  double time(const kernels::PreparedGemm &kernel, int repetitions);
  /// One call to warm up, then how many calls take about `targetNs`.
  int repetitionsFor(const kernels::PreparedGemm &kernel, double targetNs);

private:
  std::vector<std::byte> memory_;
  kernels::GemmPointers pointers_;
  ThreadPool &pool_;
  bool ownTimeOnly_;
};

struct PairLimits {
  int least = 3, most = 100;
  double noise = 0.01; ///< stop when the interval is this narrow
  double hopeless =
      0; ///< > 0: one pair is enough when its ratio is beyond this
};

struct PairResult {
  PairStatistics statistics;
  double anchorNs = 0; ///< median time of one call of the anchor in these pairs
  bool noisy = false;  ///< the limit of pairs came before the limit of noise
};

/// Runs anchor and kernel in turns, starting with each in every other pair.
PairResult measurePairs(GemmTimer &timer, const kernels::PreparedGemm &anchor,
                        const kernels::PreparedGemm &kernel, int repetitions,
                        const PairLimits &limits);

} // namespace assay::select
