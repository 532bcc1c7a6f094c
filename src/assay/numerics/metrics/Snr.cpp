// Snr: Signal to noise in decibels: additive over layers, good for ranking
// them.
#include "assay/numerics/Metrics.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  double bench = sums.benchSquares.value(), error = sums.squaredError.value();
  if (bench == 0)
    return MetricValue::undefined();
  if (error == 0)
    return {std::numeric_limits<double>::infinity()};
  return {10 * std::log10(bench / error)};
}

Metric describeSnr() {
  return {.name = "Snr",
          .column = "SNR (dB)",
          .key = "snr_db",
          .formula = "10 log10(sum(b^2) / sum(|t - b|^2)); infinite when equal",
          .unit = "dB",
          .better = Better::Higher,
          .types = "all numbers",
          .nonFinite = "over the pairs of finite members",
          .source = "signal-to-quantisation-noise ratio of signal processing",
          .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
