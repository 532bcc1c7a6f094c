// RelL2: error of the whole tensor relative to its norm; independent of scale.
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  double bench = sums.benchSquares.value();
  if (bench == 0)
    return MetricValue::undefined();
  return {std::sqrt(sums.squaredError.value() / bench)};
}

Metric describeRelL2() {
  return {.name = "RelL2",
          .column = "Rel L2",
          .key = "rel_l2",
          .formula = "||t - b|| / ||b||",
          .unit = "",
          .better = Better::Lower,
          .types = "all numbers",
          .nonFinite = "over the pairs of finite members",
          .source = "relative Euclidean distance of msaccucmp, but undefined, "
                    "never 0, for b = 0",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
