// CosineDistance: one minus the cosine, computed from the difference d = t - b,
// so that it keeps its digits where the cosine prints as 1.
#include "assay/numerics/Metrics.h"

#include <algorithm>

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  double target = std::sqrt(sums.targetSquares.value()),
         bench = std::sqrt(sums.benchSquares.value());
  if (target == 0 || bench == 0)
    return MetricValue::undefined();
  // ||t|| - ||b|| from the difference of the squares. Its rounding error only
  // enters squared.
  double lengths = (sums.targetSquares.value() - sums.benchSquares.value()) /
                   (target + bench);
  double distance =
      (sums.squaredError.value() - lengths * lengths) / (2 * target * bench);
  return {std::clamp(distance, 0.0, 2.0)};
}

Metric describeCosineDistance() {
  return {.name = "CosineDistance",
          .column = "1-Cosine",
          .key = "cosine_distance",
          .formula =
              "1 - cosine = (||d||^2 - (||t|| - ||b||)^2) / (2 ||t|| ||b||)",
          .unit = "",
          .better = Better::Lower,
          .types = "all numbers",
          .nonFinite = "as Cosine",
          .source = "as Cosine; this form has no cancellation, so 1e-12 is "
                    "still a true figure",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
