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
  alignas(64) double product[kPairBlock];    ///< complex only: Re(target *
                                             ///< conj(bench))
  alignas(64) uint16_t bucket[kPairBlock];   ///< of the ULP distance
  uint64_t ulpMax = 0;    ///< the largest ULP distance in the block
  bool nonFinite = false; ///< some element is not finite: its entries above
                          ///< mean nothing until they are taken out
  int n = 0; ///< elements in use; the rest, up to a multiple of kLanes, is zero
};

/// Decodes n <= kPairBlock elements. `identical`: the bytes are known to be
/// equal, distances need not be computed.
void preparePair(ElementType type, const void *target, const void *bench, int n,
                 bool identical, PairBlock &block);

struct KernelLimits {
  double rtol, atol, greaterThan, slope;
  double maxRel; ///< the largest |t - b| / |b| so far
  double infinity = std::numeric_limits<double>::infinity();
};

struct KernelSums {
  double absError, squaredError, targetSquares, benchSquares, products;
  double maxAbs;
  double maxExcess; ///< largest |t - b| - slope * |b|
  int64_t mismatches, above, close,
      greater;     ///< as in PairAccumulator, over the block's n elements
  bool exceedsRel; ///< some element has |t - b| > maxRel * |b| with b != 0
};

/// Fills the tail of the arrays with zeros up to a multiple of kLanes.
void padTail(PairBlock &block);
/// Sums over the padded block, whose elements are finite; replaces `difference`
/// by its modulus.
void sumPair(PairBlock &block, bool complex, const KernelLimits &limits,
             KernelSums &sums);
/// How many of the moduli in block.difference exceed the threshold.
int64_t countAbove(const PairBlock &block, double threshold);
/// The largest of values[0, n), n > 0, all finite.
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
/// True when all n values of both sides are finite; the block must be padded.
bool allFinite(const PairBlock &block);

} // namespace assay::numerics::detail
