// The registry of pair metrics, expanded from Metrics.def, and how values are
// printed. The formulas are in metrics/.
#include "assay/numerics/Metrics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <iterator>

namespace assay::numerics {

namespace metrics {
#define METRIC(NAME) Metric describe##NAME();
#include "assay/numerics/Metrics.def"
#undef METRIC
} // namespace metrics

llvm::ArrayRef<Metric> allMetrics() {
  static const Metric kMetrics[] = {
#define METRIC(NAME) metrics::describe##NAME(),
#include "assay/numerics/Metrics.def"
#undef METRIC
  };
  return kMetrics;
}

const Metric *findMetric(llvm::StringRef name) {
  for (const Metric &metric : allMetrics())
    if (name == metric.name || name == metric.column || name == metric.key)
      return &metric;
  return nullptr;
}

std::string formatMetric(const Metric &metric, const MetricValue &value) {
  if (!value.defined)
    return "undefined";
  if (!value.text.empty())
    return value.text;
  std::string text;
  llvm::raw_string_ostream os(text);
  bool integer =
      value.value == std::floor(value.value) && std::fabs(value.value) < 1e15;
  if (integer)
    os << static_cast<int64_t>(value.value);
  else
    os << llvm::format("%.7g", value.value);
  return text;
}

double ulpQuantile(const PairAccumulator &sums, double fraction) {
  auto needed = static_cast<int64_t>(
      std::ceil(fraction * static_cast<double>(sums.count)));
  int64_t seen = 0;
  for (int bucket = 0; bucket < kUlpBuckets; ++bucket) {
    seen += sums.ulpHistogram[bucket];
    if (seen >= needed && seen > 0)
      return ulpBucketFloor(bucket);
  }
  return 0;
}

} // namespace assay::numerics
