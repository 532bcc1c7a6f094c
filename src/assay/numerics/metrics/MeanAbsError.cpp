// MeanAbsError: mean absolute error.
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  if (sums.finitePairs == 0)
    return MetricValue::undefined();
  return {sums.absError.value() / static_cast<double>(sums.finitePairs)};
}

Metric describeMeanAbsError() {
  return {.name = "MeanAbsError",
          .column = "Mean Err",
          .key = "mean_abs_error",
          .formula = "sum(|t - b|) / n",
          .unit = "of the tensor",
          .better = Better::Lower,
          .types = "all numbers",
          .nonFinite = "over the pairs of finite members",
          .source = "msaccucmp MeanAbsoluteError",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
