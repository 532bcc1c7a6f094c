// MaxRelError: the largest relative error; elements with b = 0 have none and
// are skipped. It becomes huge near zero, so read it together with RelL2.
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  if (sums.maxRel.index < 0)
    return MetricValue::undefined();
  return {sums.maxRel.error, true, "", sums.maxRel.index};
}

Metric describeMaxRelError() {
  return {.name = "MaxRelError",
          .column = "Max Rel",
          .key = "max_rel_error",
          .formula = "max |t - b| / |b| over b != 0",
          .unit = "",
          .better = Better::Lower,
          .types = "floats, complex",
          .nonFinite = "over the pairs of finite members",
          .source = "msprobe MaxRelativeErr, without its epsilon",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
