// UlpP50 and UlpP99: quantiles of the ULP distance; see ulpQuantile for the
// resolution.
#include "assay/numerics/metrics/UlpMetric.h"

namespace assay::numerics::metrics {

template <int Percent>
static MetricValue evaluate(const PairAccumulator &sums) {
  return sums.count == 0 ? MetricValue::undefined()
                         : MetricValue{ulpQuantile(sums, Percent / 100.0)};
}

Metric describeUlpP50() {
  return ulpMetric("UlpP50", "ULP p50", "ulp_p50",
                   "median of the ULP distances", evaluate<50>);
}

Metric describeUlpP99() {
  return ulpMetric("UlpP99", "ULP p99", "ulp_p99",
                   "99th percentile of the ULP distances", evaluate<99>);
}

} // namespace assay::numerics::metrics
