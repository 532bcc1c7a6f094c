/// Private to the pair accumulator: sums over a block of f16 that holds no
/// new extreme, straight from the elements.
#pragma once

#include "assay/numerics/PairAccumulator.h"

namespace assay::numerics::detail {

/// The limits of PairOptions in f32, rounded so that decisions in f32 are safe.
struct HalfLimits {
  explicit HalfLimits(const PairOptions &options);
  float rtol, atol, slope, greaterThan;
  bool usable = false; ///< supported by the processor and the options
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
/// must do it: an element is not finite, an error is 1 or more, a decision is
/// too close for f32, n is not a multiple of 32, or the limits are not usable.
bool sumHalves(const void *target, const void *bench, int n,
               const HalfLimits &limits, HalfSums &sums);

} // namespace assay::numerics::detail
