/// The registry of pair metrics. A metric is a description (formula, unit,
/// better direction, treatment of NaN and infinity, source) and a function from
/// the sums of one pass (PairAccumulator) to a value. A new metric needs
/// metrics/<Name>.cpp, a row in Metrics.def, a line in docs/metrics.md and a
/// test.
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
  bool defined = true;   ///< false: the formula has no value (no elements, or a
                         ///< zero norm); never shown as 0
  std::string text = ""; ///< for metrics that are not a single number
                         ///< (NonFinite, Argmax, Decades); else empty
  int64_t index = -1; ///< flat index of the element that has the value, where
                      ///< there is one

  static MetricValue undefined() { return {0, false}; }
};

struct Metric {
  const char *name;   ///< row name in Metrics.def: MaxAbsError
  const char *column; ///< heading in tables and CSV: "Max Err (t)"
  const char *key;    ///< key in JSON: max_abs_error
  const char *formula;
  const char *unit; ///< "" for a pure number
  Better better;
  const char *types;     ///< element types for which it is meant
  const char *nonFinite; ///< NaN and infinity policy
  const char *source;
  MetricValue (*evaluate)(const PairAccumulator &);
};

/// All rows of Metrics.def, in order.
llvm::ArrayRef<Metric> allMetrics();
/// Finds a metric by name, column or key; null when there is none.
const Metric *findMetric(llvm::StringRef name);
/// The value as tables show it: "undefined", the text, an integer without a
/// decimal point, or 7 significant digits.
std::string formatMetric(const Metric &metric, const MetricValue &value);

/// The smallest ULP distance d such that at least `fraction` of all elements
/// are at most d apart: exact up to 15, else the lower edge of its bucket (less
/// than 1/8 too small).
double ulpQuantile(const PairAccumulator &sums, double fraction);

} // namespace assay::numerics
