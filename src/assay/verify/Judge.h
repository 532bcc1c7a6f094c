/// The verdict on one output: every element against its bound, the worst
/// points, how they lie, and how well the data could have shown a fault at all.
#pragma once

#include "assay/verify/Epilogue.h"
#include "assay/verify/Fill.h"
#include "assay/verify/Norms.h"

namespace assay::verify {

/// The sums that a trusted side made, in the type it made them in, and what
/// they may be off.
struct Accumulators {
  std::vector<double> wide; ///< one of the three is set
  const float *narrow = nullptr;
  const int32_t *integers = nullptr;
  std::vector<float>
      absolute; ///< sum |a||b| per element; empty for exact data and with norms
  std::unique_ptr<Norms> norms; ///< or its upper bounds; `a` and `b` then serve
                                ///< to recompute suspects
  const float *a = nullptr, *b = nullptr;
  double at(int64_t i) const {
    return narrow ? narrow[i] : integers ? integers[i] : wide[i];
  }
};

/// What the sums of the tested and the trusted side may be off: error =
/// (relative of the tested + of the trusted) * sum|a||b|.
struct Bound {
  bool exact = false;
  double relative =
      0;              ///< statistical (or the theorem's, where that is smaller)
  double theorem = 0; ///< gamma(d), tested plus trusted
  double own = 0; ///< the tested engine's share of `relative`: also for addends
                  ///< that it may sum along
  double ownTheorem = 0; ///< the tested engine's share of `theorem`
  double underflow = 0;  ///< K * eta, absolute
};

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
  bool tooManySuspects = false; ///< more of them than recomputing is good for:
                                ///< judge again with the true sums |a||b|
  double worstFraction = 0;     ///< greatest error / bound among all elements
  std::vector<WorstPoint> worst;
  std::vector<int64_t>
      failing; ///< indices of the first failures, for the pattern
  double visible =
      1; ///< fraction of sampled outputs that one changed term would change
  bool passed() const { return failures == 0; }
};

/// The statistical bound: error <= factor * u * sqrt(d) * sum|a||b|. The factor
/// is 6 for data of any kind, and 1 (but not below 16 / sqrt(d)) for the
/// `normal` and `cancel` fills, whose terms have mean zero: partial sums then
/// stay near sqrt(k). utils/verify_calibration.py measures both
/// (docs/verify_calibration.md): correct orders use at most 0.73 of the bound.
inline constexpr double kStatistical = 6;
inline constexpr double kStatisticalNormal = 1;
inline constexpr double kStatisticalFloor = 16;

/// gamma(d) = d u / (1 - d u), and the smaller of it and the statistical bound.
double theoremBound(double depth, double unit);
double likelyBound(double depth, double unit, FillKind fill);

/// Bounds for a tested engine that accumulates `depth` products in
/// `accumulator`, against a trusted side whose own relative error is `trusted`
/// (0: exact).
Bound makeBound(const Case &c, const FillPlan &plan, double unitTrusted);

/// Judges the output of `c` stored at `data` (physical layout of slot out).
Verdict judge(const Case &c, const FillPlan &plan, const Epilogue &epilogue,
              const Accumulators &sums, const Bound &bound, const void *data,
              ThreadPool &pool);

/// benchdnn's rule on the same data: equality after rounding, with its
/// allowances; for --rule=benchdnn.
Verdict judgeAsBenchdnn(const Case &c, const Epilogue &epilogue,
                        const Accumulators &sums, const void *data,
                        ThreadPool &pool);

/// How failing elements lie in the tensor, in words: "rows 48 to 63 of
/// dimension 0 (the last 16), every element".
std::string describePattern(const Dims &dims, llvm::ArrayRef<int64_t> failing,
                            int64_t failures);

/// "[i:j]" in logical coordinates.
std::string indexText(const Dims &dims, int64_t index);

} // namespace assay::verify
