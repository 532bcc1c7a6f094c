// Decades: error counts by decade. The value is the count above 1e-10, the text
// lists all ten.
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  std::string text;
  for (int k = 0; k < kDecades; ++k)
    text += (k ? " " : "") + std::to_string(sums.decades[k]);
  return {static_cast<double>(sums.decades[kDecades - 1]), true, text};
}

Metric describeDecades() {
  return {.name = "Decades",
          .column = "Decades",
          .key = "decades",
          .formula = "#(|t - b| > 10^-k) for k = 1..10",
          .unit = "elements",
          .better = Better::Lower,
          .types = "all",
          .nonFinite =
              "a non-finite pair that disagrees is above every threshold",
          .source = "torch_xray (columns 1e-1 ... 1e-10 of summary_diff_check)",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
