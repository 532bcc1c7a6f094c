/// Private to the pair accumulator: a block of elements of both sides, decoded
/// to f64, small enough for the first-level cache, and the loops over it.
/// PairPrepare.cpp fills it from any element type; PairKernel.cpp sums it.
#pragma once

#include "assay/numerics/ElementType.h"

#include <cstdint>
#include <limits>

namespace assay::numerics::detail {

inline constexpr int kPairBlock = 512;
inline constexpr int kLanes = 8;

struct PairBlock {
  alignas(64) double target[kPairBlock]; ///< complex: modulus
  alignas(64) double bench[kPairBlock];
  alignas(64) double difference[kPairBlock]; ///< target - bench; complex:
                                             ///< modulus of it
  alignas(64) uint16_t bucket[kPairBlock];   ///< of the ULP distance
  uint64_t ulpMax = 0; ///< the largest ULP distance in the block
  bool subtract =
      false; ///< `difference` is not filled yet: it is target - bench
  int n = 0; ///< elements in use; the rest, up to a multiple of kLanes, is zero
};

/// Decodes n <= kPairBlock elements. `identical`: the bytes are known to be
/// equal, distances need not be computed.
void preparePair(ElementType type, const void *target, const void *bench, int n,
                 bool identical, PairBlock &block);

/// Fills the buckets of n floats of up to 64 bits; returns the largest
/// distance.
uint64_t fillBuckets(ElementType type, const void *target, const void *bench,
                     int n, uint16_t *bucket);

struct KernelLimits {
  double rtol, atol, slope;
  double maxRel; ///< the largest |t - b| / |b| so far
};

struct KernelSums {
  double absError, squaredError, targetSquares, benchSquares,
      products; ///< products: of moduli for complex
  double
      maxExcess; ///< largest |t - b| - slope * |b|; a padded tail counts as 0
  double maxAbs, minAbs,
      minNonzero; ///< of |t - b|; minNonzero: infinity when all are zero
  double targetLargest, benchLargest; ///< a padded tail counts as 0
  int64_t above, close; ///< as in PairAccumulator, over the block's n elements
  bool exceedsRel;      ///< some element has |t - b| > maxRel * |b|
  /// No element was infinite or NaN. (False also when squares of finite f64
  /// overflow.)
  bool finite() const {
    return absError + targetSquares + benchSquares <
           std::numeric_limits<double>::infinity();
  }
};

/// Fills `difference` of a block that says `subtract`.
void subtractPair(PairBlock &block);
/// Fills the tail of the arrays with zeros up to a multiple of kLanes.
void padTail(PairBlock &block);
/// Sums over the padded block; leaves the modulus in `difference`. With
/// elements that are not finite only finite() of the result has a meaning, and
/// minAbs of a block with a tail is 0.
void sumPair(PairBlock &block, const KernelLimits &limits, KernelSums &sums);
/// How many of the moduli in block.difference exceed the threshold.
int64_t countAbove(const PairBlock &block, double threshold);
/// The largest of values[0, n), n > 0, all finite; values 64-byte aligned here
/// and below.
double largestOf(const double *values, int n);
double smallestOf(const double *values, int n);

/// Sums over n > 0 finite values of one tensor (64-byte aligned).
struct OneSums {
  double sum, squares;
  int64_t zeros, subnormals; ///< subnormals: 0 < |x| < minNormal
};
void sumOne(const double *values, int n, double minNormal, OneSums &sums);
/// sum (x - mean)^2
double sumDeviations(const double *values, int n, double mean);
/// Some element of the padded block has not |t - b| <= slope * |b| + offset, or
/// is not finite.
bool anyBeyond(const PairBlock &block, double slope, double offset);

} // namespace assay::numerics::detail
