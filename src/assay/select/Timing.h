/// Comparing kernels on a machine whose speed wanders: two kernels run
/// alternately, and the median of the ratios of neighbours is reported, with
/// its interval.
#pragma once

#include "assay/select/Contest.h"

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

/// The clock: of kernels that run on one thread, that thread's own processor time.
class KernelTimer {
public:
  explicit KernelTimer(int threads) : ownTimeOnly_(threads == 1) {}

  /// Nanoseconds of `repetitions` calls in a row.
  double time(const Contender &kernel, int repetitions) const;
  /// One call to warm up, then how many calls take about `targetNs`.
  int repetitionsFor(const Contender &kernel, double targetNs) const;

private:
  bool ownTimeOnly_;
};

struct PairLimits {
  int least = 3, most = 100;
  double noise = 0.01; ///< stop when the interval is this narrow
  double hopeless =
      0; ///< > 0: two pairs are enough when their ratios are beyond this
};

struct PairResult {
  PairStatistics statistics;
  double anchorNs = 0; ///< median time of one call of the anchor in these pairs
  bool noisy = false;  ///< the limit of pairs came before the limit of noise
};

/// Runs anchor and kernel alternately, starting with each in every other pair.
PairResult measurePairs(const KernelTimer &timer, const Contender &anchor,
                        const Contender &kernel, int repetitions,
                        const PairLimits &limits);

} // namespace assay::select
