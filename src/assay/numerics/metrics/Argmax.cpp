// Argmax: whether the largest elements of both sides have the same index. Text:
// that index, or both.
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  if (sums.targetLargest.index < 0)
    return MetricValue::undefined();
  bool same = sums.targetLargest.index == sums.benchLargest.index;
  std::string text = same ? std::to_string(sums.benchLargest.index)
                          : std::to_string(sums.targetLargest.index) +
                                "!=" + std::to_string(sums.benchLargest.index);
  return {same ? 1.0 : 0.0, true, text, sums.targetLargest.index};
}

Metric describeArgmax() {
  return {.name = "Argmax",
          .column = "Argmax",
          .key = "argmax_agrees",
          .formula = "first index of the largest element: same on both sides "
                     "(1) or not (0)",
          .unit = "",
          .better = Better::Higher,
          .types = "all that are ordered; complex: by modulus",
          .nonFinite = "over the pairs of finite members",
          .source = "what a classifier's user sees",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
