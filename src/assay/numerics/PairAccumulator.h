/// One pass over a pair of tensors (target: the tested side, bench: the trusted
/// side) that gathers the data for every pair metric. Blocks of a pair may be
/// accumulated separately, by any thread, and merged in index order. All sums
/// are f64, compensated, in a fixed order, so the result has the same bits on
/// any processor and for any number of threads.
///
/// Non-finite elements: error metrics use only pairs whose members are both
/// finite. Two NaN, or two infinities of one sign, count as equal. Any other
/// pair with a non-finite member is a mismatch: not close, above every
/// threshold, and kUlpMax apart; it is counted in `nonFinite`. Complex
/// elements: the error is the modulus |t - b|; the ULP distance is the larger
/// of the parts'. Integers: differences are computed as integers, exact at 64
/// bits, and then converted to f64.
#pragma once

#include "assay/numerics/Ulp.h"

#include <array>
#include <cmath>
#include <limits>

namespace assay {
class ThreadPool;
}

namespace assay::numerics {

struct PairOptions {
  double rtol = 1e-3;        ///< for IsClose: |t - b| <= atol + rtol * |b|
  double atol = 1e-5;        ///< for IsClose
  double greaterThan = 1e-5; ///< for GtNum: |t - b| > greaterThan
  double slope = 0;          ///< for maxExcess
  /// Also fill `decades`, `maxRel`, `above` and `absError`. False saves a third
  /// of the time for f16.
  bool full = true;
};

/// A sum of doubles with a running compensation (Neumaier 1974): the error does
/// not grow with the number of terms.
struct CompensatedSum {
  double sum = 0, compensation = 0;
  void add(double x) {
    double next = sum + x;
    compensation +=
        std::fabs(sum) >= std::fabs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  void add(const CompensatedSum &other) {
    add(other.sum);
    compensation += other.compensation;
  }
  double value() const { return sum + compensation; }
};

/// An extreme element of the pair: its flat index (-1: none yet) and both raw
/// values.
struct PairSample {
  int64_t index = -1;
  double error = -1;
  std::array<std::byte, 16> target{}, bench{};
};

/// The largest element of one side, ignoring NaN. Like argmax, it is the first
/// one with the largest value.
struct LargestElement {
  int64_t index = -1;
  double value = -std::numeric_limits<double>::infinity();
};

/// Counts of values that are not finite, on each side and together.
struct NonFiniteCounts {
  int64_t targetNan = 0, targetPlusInf = 0, targetMinusInf = 0;
  int64_t benchNan = 0, benchPlusInf = 0, benchMinusInf = 0;
  int64_t agree = 0;    ///< same class (NaN, +Inf, -Inf) at the same place
  int64_t disagree = 0; ///< at least one side not finite, classes different
  int64_t saturated =
      0; ///< part of disagree: infinity on one side, largest finite value on
         ///< the other
  int64_t firstDisagree = -1; ///< flat index
};

/// Decades of |t - b|: decades[i] counts the elements with an error greater
/// than 10^-(i+1).
inline constexpr int kDecades = 10;
extern const double kDecadeThresholds[kDecades];

/// Buckets of ULP distances: exact up to 15, then eight buckets for each power
/// of two (an error of less than 1/8).
inline constexpr int kUlpBuckets = 514;
constexpr int ulpBucket(uint64_t distance) {
  if (distance == 0)
    return 0;
  auto bits = std::bit_cast<uint64_t>(static_cast<double>(distance));
  return static_cast<int>(bits >> 49) - 1023 * 8 +
         1; // exponent and three mantissa bits
}
/// The smallest distance in a bucket.
double ulpBucketFloor(int bucket);

struct PairAccumulator {
  ElementType type;
  PairOptions options;
  int64_t count = 0;       ///< number of elements
  int64_t finitePairs = 0; ///< number of pairs whose members are both finite
  CompensatedSum absError, squaredError, targetSquares, benchSquares, products;
  PairSample maxAbs, maxRel, maxUlp; ///< maxRel: among b != 0; maxUlp.error is
                                     ///< the distance (also in ulpMax, exact)
  double minAbs = std::numeric_limits<double>::infinity();
  /// The largest |t - b| - slope * |b| among finite pairs (complex: of moduli).
  /// It tells whether every |t - b| <= slope * |b| + offset for an offset that
  /// is only known afterwards, such as c * rms(b).
  double maxExcess = -std::numeric_limits<double>::infinity();
  uint64_t ulpMax = 0;
  int64_t mismatches = 0; ///< t != b
  int64_t above = 0;      ///< t > b among finite pairs (complex: 0)
  int64_t close = 0, greater = 0;
  std::array<int64_t, kDecades> decades{};
  LargestElement targetLargest, benchLargest; ///< complex: by modulus
  NonFiniteCounts nonFinite;
  std::array<int64_t, kUlpBuckets> ulpHistogram{};

  /// Adds n elements; firstIndex is the flat index of the first. `type` and
  /// `options` must be set before and be the same in every call. Speed:
  /// memory-bound for f16, bf16 and f32 with AVX2 or better.
  void accumulate(const void *target, const void *bench, int64_t n,
                  int64_t firstIndex);
  /// Adds the sums of another accumulator of the same type and options, which
  /// covers higher indices.
  void merge(const PairAccumulator &later);
};

/// Accumulates the whole pair, in chunks of fixed size spread over the pool;
/// without a pool, on the calling thread.
PairAccumulator accumulatePair(ElementType type, const void *target,
                               const void *bench, int64_t n,
                               const PairOptions &options = {},
                               ThreadPool *pool = nullptr);

} // namespace assay::numerics
