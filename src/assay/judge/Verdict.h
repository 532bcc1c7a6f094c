/// The verdict on one output, element by element: counts, the worst points, where
/// the failing elements are.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::judge {

struct WorstPoint {
  int64_t index = 0; ///< logical
  double got = 0, expected = 0, error = 0,
         bound = 0; ///< bound: half the width of the admissible interval, at
                    ///< least an ulp/2
  double exactSum = 0;
  bool beyondTheorem = false;
};

struct Verdict {
  int64_t elements = 0, failures = 0, undecided = 0;
  int64_t refined =
      0; ///< elements beyond the screen by norms, recomputed exactly
  bool tooManySuspects = false; ///< more of them than are worth recomputing:
                                ///< judge again with the true sums |a||b|
  double worstFraction = 0;     ///< greatest error / bound among all elements
  std::vector<WorstPoint> worst;
  std::vector<int64_t>
      failing; ///< indices of the first failures, for the pattern
  double visible =
      1; ///< fraction of sampled outputs that one changed term would change
  bool passed() const { return failures == 0; }
};

/// Worst points that a verdict keeps, and failures that its pattern looks at.
inline constexpr size_t kWorstPoints = 8;
inline constexpr size_t kPatternPoints = 1 << 18;

/// The greatest error as a share of its bound, failing elements among them;
/// infinite where the bound is 0.
double worstShare(const Verdict &verdict);

/// Facts about the failing elements, for programs to read: the pattern in words
/// and the worst points with their indices. JSON has no NaN and no infinity:
/// they are text.
llvm::json::Object failureJson(llvm::ArrayRef<int64_t> dims,
                               llvm::StringRef pattern,
                               llvm::ArrayRef<WorstPoint> worst);
llvm::json::Value numberJson(double x);
/// One worst point: `index` is flat in row-major `dims`; `expected` and `got`
/// are numbers, or text if there is no number (complex).
llvm::json::Object pointJson(llvm::ArrayRef<int64_t> dims, int64_t index,
                             llvm::json::Value expected, llvm::json::Value got,
                             double error, double bound);

/// A number as findings show it: nine digits, "nan" without a sign.
std::string numberText(double x);

/// The line of one wrong element.
std::string pointText(llvm::ArrayRef<int64_t> dims, const WorstPoint &point,
                      bool exact);

/// Where the failing elements of the tensor are, in words: "rows 48 to 63 of
/// dimension 0 (the last 16), every element".
std::string describePattern(llvm::ArrayRef<int64_t> dims,
                            llvm::ArrayRef<int64_t> failing, int64_t failures);

/// "[i:j]" in logical coordinates.
std::string indexText(llvm::ArrayRef<int64_t> dims, int64_t index);

} // namespace assay::judge
