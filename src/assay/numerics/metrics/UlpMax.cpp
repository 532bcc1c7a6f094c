// UlpMax: largest distance in units of the last place; exact.
#include "assay/numerics/metrics/UlpMetric.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  if (sums.count == 0)
    return MetricValue::undefined();
  if (sums.ulpMax == kUlpMax)
    return {static_cast<double>(kUlpMax), true, "inf", sums.maxUlp.index};
  return {static_cast<double>(sums.ulpMax), true, "", sums.maxUlp.index};
}

Metric describeUlpMax() {
  return ulpMetric("UlpMax", "ULP max", "ulp_max", "max of the ULP distances",
                   evaluate);
}

} // namespace assay::numerics::metrics
