/// Compares kernels on a machine whose speed drifts: two kernels run
/// alternately, and the median of the ratios of adjacent runs is reported, with
/// its interval.
#pragma once

#include "assay/select/Contest.h"

#include <functional>

namespace assay::select {

/// The median of ratios with its 95 % interval; noise is half of the interval,
/// relative to the median.
/// Formula: the ends of the interval are the order statistics at n/2 -+ 0.98
/// sqrt(n) (binomial, with no assumption on the distribution)
struct PairStatistics {
  double median = 0, low = 0, high = 0, noise = 1;
  int pairs = 0;
};
PairStatistics summarizePairs(std::vector<double> ratios);

/// The clock. For kernels that run on one thread, it is that thread's processor
/// time.
class KernelTimer {
public:
  explicit KernelTimer(int threads) : ownTimeOnly_(threads == 1) {}

  /// The nanoseconds of `repetitions` calls in a row.
  double time(const Contender &kernel, int repetitions) const;
  /// After one call to warm up, the number of calls that take about `targetNs`.
  int repetitionsFor(const Contender &kernel, double targetNs) const;

private:
  bool ownTimeOnly_;
};

struct PairLimits {
  int least = 3, most = 100;
  double noise = 0.01; ///< stop when the interval is this narrow
  double hopeless =
      0; ///< > 0: two pairs are enough when both ratios exceed this
};

struct PairResult {
  PairStatistics statistics;
  double anchorNs = 0; ///< median time of one call of the anchor in these pairs
  bool noisy = false;  ///< the limit of pairs was reached before that of noise
};

/// Runs anchor and kernel alternately; every other pair starts with the kernel.
PairResult measurePairs(const KernelTimer &timer, const Contender &anchor,
                        const Contender &kernel, int repetitions,
                        const PairLimits &limits);

} // namespace assay::select
