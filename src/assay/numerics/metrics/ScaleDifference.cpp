// ScaleDifference: a distance in [0, 2] that is sensitive to scale, unlike the
// cosine.
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  double squares = sums.targetSquares.value() + sums.benchSquares.value();
  if (squares == 0)
    return MetricValue::undefined();
  return {sums.squaredError.value() / squares};
}

Metric describeScaleDifference() {
  return {
      .name = "ScaleDifference",
      .column = "Calc Diff",
      .key = "scale_difference",
      .formula =
          "1 - 2 sum(t b) / sum(t^2 + b^2) = sum(|t - b|^2) / sum(t^2 + b^2)",
      .unit = "",
      .better = Better::Lower,
      .types = "all numbers",
      .nonFinite = "over the pairs of finite members",
      .source = "DeepGEMM calc_diff; zero only for equal tensors, so a wrong "
                "scale shows",
      .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
