/// How the picks of a new model differ from those of an old one: the counts
/// that a comparison of models closes with.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace assay::select {

/// Gains below this are not a change if there is no noise to go by: the slack
/// that CK Tile's acceptance gives to the mean.
constexpr double kSameWithin = 0.005;

struct PickChanges {
  size_t problems = 0, agree = 0, improved = 0, same = 0, degraded = 0;

  /// One problem. `gain`: how much nearer to the best the new pick is (negative:
  /// farther); no change when at most `slack`.
  void add(bool agrees, double gain, double slack = kSameWithin);
  /// "improved", "same" or "degraded".
  static llvm::StringRef word(double gain, double slack = kSameWithin);

  llvm::json::Object toJson() const;
  /// "kernel selection agreement: 215 of 300 (71.7 %)" and a line of the rest.
  void print(llvm::raw_ostream &os) const;
};

} // namespace assay::select
