// ErrorBalance: bias of the error's sign. Near 1 for truncation, near 0 for
// correct rounding, which RMSE cannot tell apart.
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  int64_t differing = sums.mismatches - sums.nonFinite.disagree;
  if (differing == 0 || sums.type.isComplex())
    return MetricValue::undefined();
  int64_t below = differing - sums.above;
  return {std::fabs(static_cast<double>(sums.above - below)) /
          static_cast<double>(differing)};
}

Metric describeErrorBalance() {
  return {.name = "ErrorBalance",
          .column = "Err Balance",
          .key = "error_balance",
          .formula = "|#(t > b) - #(t < b)| / #(t != b)",
          .unit = "",
          .better = Better::Lower,
          .types = "integers, floats",
          .nonFinite = "over the pairs of finite members",
          .source = "error balance of msprobe, over the differing elements",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
