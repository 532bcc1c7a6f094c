/// Private to the pair accumulator: sums over a block of f16 that sets no new
/// extreme, straight from the elements.
#pragma once

#include "assay/numerics/PairAccumulator.h"

namespace assay::numerics::detail {

/// The limits of PairOptions in f32, rounded so that what f32 decides holds.
struct HalfLimits {
  explicit HalfLimits(const PairOptions &options);
  float rtol, atol, slope, greaterThan;
  bool usable = false; ///< this processor and these options are served
};

struct HalfSums {
  double squaredError, targetSquares, benchSquares, products;
  double maxAbs, minAbs, targetLargest, benchLargest;
  double excessAtMost; ///< not below the largest |t - b| - slope * |b|
  int64_t close, greater;
  uint64_t ulpMax;
  int64_t differing; ///< elements with a distance of 1, when ulpMax <= 1
};

/// Sums over n elements (a block at most). Returns false when the general loop
/// must do it: an element is not finite, an error of 1 or more, a decision too
/// close for f32, n no multiple of 32, or limits that are not usable.
bool sumHalves(const void *target, const void *bench, int n,
               const HalfLimits &limits, HalfSums &sums);

} // namespace assay::numerics::detail
