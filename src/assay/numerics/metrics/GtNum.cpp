// GtNum: how many elements differ by more than a threshold.
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  return {static_cast<double>(sums.greater)};
}

Metric describeGtNum() {
  return {.name = "GtNum",
          .column = "GtNum",
          .key = "gt_num",
          .formula = "#(|t - b| > 1e-5), threshold settable",
          .unit = "elements",
          .better = Better::Lower,
          .types = "all",
          .nonFinite = "a non-finite pair that disagrees counts",
          .source = "torch_xray's compare",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
