// Mismatches: how many elements differ at all.
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  return {static_cast<double>(sums.mismatches)};
}

Metric describeMismatches() {
  return {.name = "Mismatches",
          .column = "Mismatches",
          .key = "mismatches",
          .formula = "#(t != b)",
          .unit = "elements",
          .better = Better::Lower,
          .types = "all",
          .nonFinite = "two NaN are equal here; +0 and -0 too",
          .source = "bit-exact rate of msprobe's binary consistency standard",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
