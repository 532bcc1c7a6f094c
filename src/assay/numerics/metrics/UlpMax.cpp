// Metric UlpMax (ULP max): Largest distance in units of the last place; exact.
// Read by name through Metrics.h; the sums are those of the pair pass. Formula:
// max of the ULP distances Source:  StableHLO check.expect_close for the
// distance
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  if (sums.count == 0)
    return MetricValue::undefined();
  if (sums.ulpMax == kUlpMax)
    return {static_cast<double>(kUlpMax), true, "inf", sums.maxUlp.index};
  return {static_cast<double>(sums.ulpMax), true, "", sums.maxUlp.index};
}

Metric describeUlpMax() {
  return {.name = "UlpMax",
          .column = "ULP max",
          .key = "ulp_max",
          .formula = "max of the ULP distances",
          .unit = "ULP",
          .better = Better::Lower,
          .types = "all; in the tensor's own type",
          .nonFinite = "equal classes are 0 apart, others the maximum",
          .source = "StableHLO check.expect_close for the distance",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
