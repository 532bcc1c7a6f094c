// IsClose: share of the elements within an absolute plus a relative tolerance
// of the trusted side.
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  if (sums.count == 0)
    return MetricValue::undefined();
  return {100.0 * static_cast<double>(sums.close) /
          static_cast<double>(sums.count)};
}

Metric describeIsClose() {
  return {.name = "IsClose",
          .column = "IsClose (%)",
          .key = "is_close_percent",
          .formula = "100 * #(|t - b| <= atol + rtol |b|) / n, rtol 1e-3, atol "
                     "1e-5 unless set",
          .unit = "%",
          .better = Better::Higher,
          .types = "all",
          .nonFinite = "two NaN, or equal infinities, are close; any other "
                       "non-finite pair is not",
          .source = "numpy.isclose(t, b, equal_nan=True); constants inferred "
                    "from torch_xray's example",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
