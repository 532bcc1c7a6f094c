/// How good a model's picks are: efficiencies over problems, with intervals,
/// and slices.
#pragma once

#include "assay/select/Samples.h"

namespace assay::select {

/// One problem: the model's pick compared with the best of the measured
/// kernels.
struct PickOutcome {
  size_t group = 0;
  double efficiency = 0; ///< rate of the pick / rate of the best; 0 when the
                         ///< pick failed or has no time
  bool top1 = false;     ///< the pick is the best, or within the noise of it
  bool top5 = false; ///< the best (or one equal within the noise) is among the
                     ///< first five picks
  double ndcg[3] = {}; ///< NDCG at 1, 5, 10; gain = rate / best rate
  double bestMs = 0, pickMs = 0;
  size_t pick = 0, best = 0; ///< rows
};

/// Picks kernels by descending score; equal scores by kernel name. Groups
/// without a valid row are left out.
std::vector<PickOutcome> judgePicks(const Samples &samples,
                                    llvm::ArrayRef<double> scores);

struct Interval {
  double value = 0, low = 0, high = 0;
};
/// Means and quantiles over problems, with 95 % intervals from 1000 resamplings
/// of the problems with a fixed seed.
struct Summary {
  size_t problems = 0;
  Interval mean, p50, p10, p1, min, top1, top5, ndcg1, ndcg5, ndcg10;
  double geomean = 0;
};
Summary summarize(llvm::ArrayRef<PickOutcome> outcomes);

/// Linear interpolation between order statistics (as NumPy and pandas do by
/// default); q in [0, 1].
double quantile(std::vector<double> values, double q);

/// Named subsets of the problems: M, K, threads, layout, pipeline of the best
/// kernel, in a fixed order; empty ones left out.
struct Slice {
  std::string name;
  std::vector<PickOutcome> outcomes;
};
std::vector<Slice> sliceOutcomes(const Samples &samples,
                                 llvm::ArrayRef<PickOutcome> outcomes);

/// CK Tile's acceptance criteria for a new model against a baseline on the
/// same problems.
struct Acceptance {
  bool accepted = false;
  std::vector<std::string>
      lines; ///< one per criterion: whether it holds, and both numbers
};
Acceptance accept(llvm::ArrayRef<PickOutcome> fresh,
                  llvm::ArrayRef<PickOutcome> baseline, const Samples &samples);

/// Root mean square error and R^2 of predictions over the valid rows.
struct Fit {
  double rmse = 0, r2 = 0;
};
Fit fitOf(llvm::ArrayRef<double> predicted, llvm::ArrayRef<double> measured);

} // namespace assay::select
