// MinAbsError: the smallest absolute error; if it is above zero, no element
// agrees.
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  if (sums.finitePairs == 0)
    return MetricValue::undefined();
  return {sums.minAbs};
}

Metric describeMinAbsError() {
  return {.name = "MinAbsError",
          .column = "Min Err",
          .key = "min_abs_error",
          .formula = "min |t - b|",
          .unit = "of the tensor",
          .better = Better::Lower,
          .types = "all numbers",
          .nonFinite = "over the pairs of finite members",
          .source = "torch_xray's compare",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
