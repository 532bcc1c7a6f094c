/// The registry of pair metrics. A metric is a description (formula, unit,
/// which direction is better, what it does with NaN and infinity, where it
/// comes from) and a function from the sums of one pass (PairAccumulator) to a
/// value. A new metric is metrics/<Name>.cpp, a row in Metrics.def, a line in
/// docs/metrics.md and a test.
#pragma once

#include "assay/numerics/PairAccumulator.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace assay::numerics {

enum class Better : uint8_t { Lower, Higher, Neither };

struct MetricValue {
  double value = 0;
  bool defined = true;   ///< false: the formula has no value here (no elements,
                         ///< or a zero norm); never shown as 0
  std::string text = ""; ///< for metrics that are not one number (NonFinite,
                         ///< Argmax, Decades); else empty
  int64_t index = -1; ///< flat index of the element that the value belongs to,
                      ///< where there is one

  static MetricValue undefined() { return {0, false}; }
};

struct Metric {
  const char *name;   ///< row name in Metrics.def: MaxAbsError
  const char *column; ///< heading in tables and CSV: "Max Err (t)"
  const char *key;    ///< key in JSON: max_abs_error
  const char *formula;
  const char *unit; ///< "" for a pure number
  Better better;
  const char *types;     ///< element types that it is meant for
  const char *nonFinite; ///< NaN and infinity policy
  const char *source;
  MetricValue (*evaluate)(const PairAccumulator &);
};

/// All rows of Metrics.def in order.
llvm::ArrayRef<Metric> allMetrics();
/// By name, column or key; null when there is none.
const Metric *findMetric(llvm::StringRef name);
/// The value as tables show it: "undefined", the text, an integer without a
/// point, or 7 significant digits.
std::string formatMetric(const Metric &metric, const MetricValue &value);

/// Smallest ULP distance d such that at least `fraction` of all elements are at
/// most d apart: exact up to 15, then the lower edge of its bucket (less than
/// 1/8 below).
double ulpQuantile(const PairAccumulator &sums, double fraction);

} // namespace assay::numerics
