// UlpP99: 99th percentile of the distance in units of the last place; see
// ulpQuantile for the resolution.
#include "assay/numerics/metrics/UlpMetric.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  return sums.count == 0 ? MetricValue::undefined()
                         : MetricValue{ulpQuantile(sums, 0.99)};
}

Metric describeUlpP99() {
  return ulpMetric("UlpP99", "ULP p99", "ulp_p99",
                   "99th percentile of the ULP distances", evaluate);
}

} // namespace assay::numerics::metrics
