// MaxAbsError: the largest absolute error, with its index; both values are in
// PairAccumulator::maxAbs.
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  if (sums.finitePairs == 0)
    return MetricValue::undefined();
  return {sums.maxAbs.error, true, "", sums.maxAbs.index};
}

Metric describeMaxAbsError() {
  return {.name = "MaxAbsError",
          .column = "Max Err (t)",
          .key = "max_abs_error",
          .formula = "max |t - b|",
          .unit = "of the tensor",
          .better = Better::Lower,
          .types = "all numbers; complex: modulus of the difference",
          .nonFinite =
              "over the pairs of finite members; NonFinite counts the others",
          .source = "torch_xray's compare",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
