/// Private to the pair accumulator: a block of elements of both sides, decoded
/// to f64 and small enough for the L1 cache, and the loops over it.
/// PairPrepare.cpp fills it from any element type; PairKernel.cpp sums it.
#pragma once

#include "assay/numerics/ElementType.h"

#include <cstdint>
#include <limits>

namespace assay::numerics::detail {

inline constexpr int kPairBlock = 512;
inline constexpr int kLanes = 8;

struct PairBlock {
  alignas(64) double target[kPairBlock]; ///< complex: the modulus
  alignas(64) double bench[kPairBlock];
  alignas(64) double difference[kPairBlock]; ///< target - bench; complex: the
                                             ///< modulus of that
  alignas(64) uint16_t bucket[kPairBlock];   ///< bucket of the ULP distance
  uint64_t ulpMax = 0; ///< the largest ULP distance in the block
  bool subtract =
      false; ///< `difference` is still to be computed as target - bench
  int n = 0; ///< elements in use; the rest, up to a multiple of kLanes, is zero
};

/// Decodes n <= kPairBlock elements. `identical`: the bytes are equal, so
/// distances need not be computed.
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
      products; ///< products: for complex elements of the moduli
  double
      maxExcess; ///< largest |t - b| - slope * |b|; a padded tail counts as 0
  double maxAbs, minAbs,
      minNonzero; ///< of |t - b|; minNonzero: infinity if all are zero
  double targetLargest, benchLargest; ///< a padded tail counts as 0
  int64_t above, close; ///< as in PairAccumulator, over the block's n elements
  bool exceedsRel;      ///< some element has |t - b| > maxRel * |b|
  /// True if no element was infinite or NaN. (Also false when squares of finite
  /// f64 overflow.)
  bool finite() const {
    return absError + targetSquares + benchSquares <
           std::numeric_limits<double>::infinity();
  }
};

/// Fills `difference` of a block whose `subtract` is set.
void subtractPair(PairBlock &block);
/// Fills the tail of the arrays with zeros up to a multiple of kLanes.
void padTail(PairBlock &block);
/// Sums over the padded block; leaves the modulus in `difference`. If there are
/// non-finite elements, only finite() of the result is meaningful. minAbs of a
/// block with a padded tail is 0.
void sumPair(PairBlock &block, const KernelLimits &limits, KernelSums &sums);
/// How many of the moduli in block.difference exceed the threshold.
int64_t countAbove(const PairBlock &block, double threshold);
/// The largest of values[0, n), n > 0, all finite. The values must be 64-byte
/// aligned, as for the functions below.
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
/// Whether some element of the padded block is not finite or violates |t - b|
/// <= slope * |b| + offset.
bool anyBeyond(const PairBlock &block, double slope, double offset);

} // namespace assay::numerics::detail
