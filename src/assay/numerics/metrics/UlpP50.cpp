// Metric UlpP50 (ULP p50): Median distance in units of the last place; see
// ulpQuantile for the resolution. Read by name through Metrics.h; the sums are
// those of the pair pass. Formula: median of the ULP distances Source:
// StableHLO check.expect_close for the distance
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  if (sums.count == 0)
    return MetricValue::undefined();
  return {ulpQuantile(sums, 0.5)};
}

Metric describeUlpP50() {
  return {.name = "UlpP50",
          .column = "ULP p50",
          .key = "ulp_p50",
          .formula = "median of the ULP distances",
          .unit = "ULP",
          .better = Better::Lower,
          .types = "all; in the tensor's own type",
          .nonFinite = "equal classes are 0 apart, others the maximum",
          .source = "StableHLO check.expect_close for the distance",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
