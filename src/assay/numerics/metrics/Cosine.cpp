// Cosine: Cosine of the angle between both tensors as vectors. Blind to
// scale and dull near 1: CosineDistance says what it hides.
#include "assay/numerics/Metrics.h"

#include <algorithm>

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  double norms = std::sqrt(sums.targetSquares.value()) *
                 std::sqrt(sums.benchSquares.value());
  if (norms == 0)
    return MetricValue::undefined();
  // Equal up to the rounding of the sums: 1 - distance loses nothing, sum(t b)
  // / norms can come out above 1.
  double cosine = sums.products.value() / norms;
  return {std::clamp(cosine, -1.0, 1.0)};
}

Metric describeCosine() {
  return {.name = "Cosine",
          .column = "Cosine",
          .key = "cosine",
          .formula = "sum(t b) / (||t|| ||b||)",
          .unit = "",
          .better = Better::Higher,
          .types = "all numbers; complex: the real part of sum(t conj(b))",
          .nonFinite = "pairs with a non-finite member are left out",
          .source =
              "torch_xray's compare; blind to scale, see CosineDistance",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
