// Cosine: cosine of the angle between both tensors as vectors. It ignores scale
// and loses resolution near 1, where CosineDistance shows the difference.
#include "assay/numerics/Metrics.h"

#include <algorithm>

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  double norms = std::sqrt(sums.targetSquares.value()) *
                 std::sqrt(sums.benchSquares.value());
  if (norms == 0)
    return MetricValue::undefined();
  // Rounding of the sums can make the quotient slightly larger than 1.
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
