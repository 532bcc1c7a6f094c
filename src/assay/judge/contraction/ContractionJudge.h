/// The verdict on one output: every element against its bound, the worst points
/// and where they are, and whether the data could have shown a fault at all.
#pragma once

#include "assay/judge/SumBounds.h"
#include "assay/judge/Verdict.h"
#include "assay/judge/contraction/Epilogue.h"
#include "assay/judge/contraction/Fill.h"
#include "assay/judge/contraction/Norms.h"

namespace assay::judge {

/// The sums that the trusted side computed, in its own type, and their error
/// bounds.
struct Accumulators {
  std::vector<double> wide; ///< one of the three is set
  const float *narrow = nullptr;
  const int32_t *integers = nullptr;
  std::vector<float>
      absolute; ///< sum |a||b| per element; empty for exact data and with norms
  std::unique_ptr<Norms> norms; ///< or its upper bounds; `a` and `b` are then
                                ///< used to recompute suspects
  const float *a = nullptr, *b = nullptr;
  double at(int64_t i) const {
    return narrow ? narrow[i] : integers ? integers[i] : wide[i];
  }
};

/// The error bound of the sums of the tested and the trusted side: error =
/// (relative of the tested + of the trusted) * sum|a||b|.
struct Bound {
  bool exact = false;
  double relative =
      0;              ///< statistical (or the theorem's, where that is smaller)
  double theorem = 0; ///< gamma(d), tested plus trusted
  double own = 0; ///< the tested engine's share of `relative`: also for addends
                  ///< that it may add to the sum
  double ownTheorem = 0; ///< the tested engine's share of `theorem`
  double underflow = 0;  ///< K * eta, absolute
};

/// Bounds for a tested engine that accumulates the products of `c` on the data
/// of `plan`, against a trusted side with the unit roundoff `unitTrusted` (0:
/// exact).
Bound makeBound(const Case &c, const FillPlan &plan, double unitTrusted);

/// Judges the output of `c` stored at `data` (physical layout of slot out).
Verdict judgeContraction(const Case &c, const FillPlan &plan,
                         const Epilogue &epilogue, const Accumulators &sums,
                         const Bound &bound, const void *data,
                         ThreadPool &pool);

/// benchdnn's rule on the same data: equality after rounding, with its
/// allowances; for --rule=benchdnn.
Verdict judgeAsBenchdnn(const Case &c, const Epilogue &epilogue,
                        const Accumulators &sums, const void *data,
                        ThreadPool &pool);

} // namespace assay::judge
