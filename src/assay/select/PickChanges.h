/// How the picks of a new model differ from those of an old one: the counts at
/// the end of a comparison of models.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace assay::select {

/// A smaller gain does not count as a change where the noise is unknown. The
/// value is the loss of the mean that CK Tile's acceptance allows.
constexpr double kSameWithin = 0.005;

struct PickChanges {
  size_t problems = 0, agree = 0, improved = 0, same = 0, degraded = 0;

  /// Adds one problem. `gain`: how much nearer to the best the new pick is
  /// (negative: farther); a gain of at most `slack` is no change.
  void add(bool agrees, double gain, double slack = kSameWithin);
  /// "improved", "same" or "degraded".
  static llvm::StringRef word(double gain, double slack = kSameWithin);

  llvm::json::Object toJson() const;
  /// Prints "kernel selection agreement: 215 of 300 (71.7 %)" and a line about
  /// the rest.
  void print(llvm::raw_ostream &os) const;
};

} // namespace assay::select
