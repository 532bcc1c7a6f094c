/// Common code of the metrics of the ULP distance.
#pragma once

#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

/// The description of a metric that is computed from the ULP distances of a
/// pair.
inline Metric ulpMetric(const char *name, const char *column, const char *key,
                        const char *formula,
                        MetricValue (*evaluate)(const PairAccumulator &)) {
  return {.name = name,
          .column = column,
          .key = key,
          .formula = formula,
          .unit = "ULP",
          .better = Better::Lower,
          .types = "all; in the tensor's own type",
          .nonFinite = "equal classes are 0 apart, others the maximum",
          .source = "StableHLO check.expect_close for the distance",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
