// UlpP50: median distance in units of the last place; see ulpQuantile for
// the resolution.
#include "assay/numerics/metrics/UlpMetric.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  return sums.count == 0 ? MetricValue::undefined()
                         : MetricValue{ulpQuantile(sums, 0.5)};
}

Metric describeUlpP50() {
  return ulpMetric("UlpP50", "ULP p50", "ulp_p50",
                   "median of the ULP distances", evaluate);
}

} // namespace assay::numerics::metrics
