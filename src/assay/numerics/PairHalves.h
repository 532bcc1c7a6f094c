/// Private to the pair accumulator: sums over a block of f16 without a new
/// extreme, directly from the elements.
#pragma once

#include "assay/numerics/PairAccumulator.h"

namespace assay::numerics::detail {

/// The limits of PairOptions in f32, rounded so that decisions in f32 are
/// correct.
struct HalfLimits {
  explicit HalfLimits(const PairOptions &options);
  float rtol, atol, slope, greaterThan;
  bool usable = false; ///< the processor and the options support this path
};

struct HalfSums {
  double squaredError, targetSquares, benchSquares, products;
  double maxAbs, minAbs, targetLargest, benchLargest;
  double excessAtMost; ///< an upper bound of the largest |t - b| - slope * |b|
  int64_t close, greater;
  uint64_t ulpMax;
  int64_t differing; ///< number of elements with distance 1, if ulpMax <= 1
};

/// Sums over n elements (at most one block). Returns false when the general
/// loop must be used: an element is not finite, an error is 1 or more, a
/// decision is too close for f32, n is not a multiple of 32, or the limits are
/// not usable.
bool sumHalves(const void *target, const void *bench, int n,
               const HalfLimits &limits, HalfSums &sums);

} // namespace assay::numerics::detail
