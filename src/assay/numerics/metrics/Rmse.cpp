// Rmse: root of the mean squared error.
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  if (sums.finitePairs == 0)
    return MetricValue::undefined();
  return {std::sqrt(sums.squaredError.value() /
                    static_cast<double>(sums.finitePairs))};
}

Metric describeRmse() {
  return {.name = "Rmse",
          .column = "RMSE",
          .key = "rmse",
          .formula = "sqrt(sum(|t - b|^2) / n)",
          .unit = "of the tensor",
          .better = Better::Lower,
          .types = "all numbers; i1 as 0 and 1",
          .nonFinite = "over the pairs of finite members",
          .source = "torch_xray's compare",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
