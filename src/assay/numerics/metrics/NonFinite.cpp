// NonFinite: counts of non-finite values. Text: empty when there are none, else
// the counts of target and bench and the disagreements.
#include "assay/numerics/Metrics.h"
#include "llvm/Support/FormatVariadic.h"

namespace assay::numerics::metrics {

static MetricValue evaluate(const PairAccumulator &sums) {
  const NonFiniteCounts &c = sums.nonFinite;
  MetricValue result{static_cast<double>(c.disagree), true, "",
                     c.firstDisagree};
  if (c.agree + c.disagree == 0)
    return result;
  auto side = [](int64_t nan, int64_t plus, int64_t minus) {
    return llvm::formatv("{0}/{1}/{2}", nan, plus, minus).str();
  };
  result.text =
      llvm::formatv("t {0} b {1} differ {2}",
                    side(c.targetNan, c.targetPlusInf, c.targetMinusInf),
                    side(c.benchNan, c.benchPlusInf, c.benchMinusInf),
                    c.disagree)
          .str();
  if (c.saturated != 0)
    result.text += llvm::formatv(" saturated {0}", c.saturated).str();
  return result;
}

Metric describeNonFinite() {
  return {
      .name = "NonFinite",
      .column = "NaN/Inf",
      .key = "non_finite",
      .formula = "classes NaN, +Inf, -Inf of both sides, and at how many "
                 "places they disagree",
      .unit = "elements",
      .better = Better::Lower,
      .types = "floats, complex",
      .nonFinite = "this is it; the value is the number of disagreeing places",
      .source = "msprobe and XLA accounting; places, not counts, are compared",
      .evaluate = evaluate};
}

} // namespace assay::numerics::metrics
