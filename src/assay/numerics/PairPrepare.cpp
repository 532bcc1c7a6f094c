// First half of the pair pass: elements of any type become f64 values, f64
// differences and ULP buckets. f32, bf16 and f16 have vectorised loops; every
// other type goes through convertArray and an element-wise distance.
// Differences of f32 and narrower floats are exact or rounded once in f64;
// those of 64-bit integers are taken as integers first.
#include "assay/numerics/Convert.h"
#include "assay/numerics/Dispatch.h"
#include "assay/numerics/PairAccumulator.h"
#include "assay/numerics/PairBlock.h"
#include "assay/numerics/TargetClones.h"

#include <cstring>

namespace assay::numerics::detail {

// Bucket numbers come from the exponent and the top three mantissa bits of the
// distance as a float; see ulpBucket. The loops are split so that each
// vectorises: positions, distances, buckets, all in 32 bits.
ASSAY_CLONES
static uint64_t bucketsOfPositions(const int32_t *target, const int32_t *bench,
                                   int n, uint16_t *bucket) {
  alignas(64) int32_t distances[kPairBlock];
  uint32_t largest = 0;
  for (int i = 0; i < n; ++i) {
    auto x = static_cast<uint32_t>(target[i]),
         y = static_cast<uint32_t>(bench[i]);
    uint32_t distance = target[i] > bench[i] ? x - y : y - x;
    largest = distance > largest ? distance : largest;
    distances[i] =
        static_cast<int32_t>(distance > 0x7FFFFFFFu ? 0x7FFFFFFFu : distance);
  }
  for (int i = 0; i < n; ++i) {
    auto bits = std::bit_cast<int32_t>(static_cast<float>(distances[i]));
    int32_t index = (bits >> 20) - 1015; // negative for distance 0
    bucket[i] = static_cast<uint16_t>(index < 0 ? 0 : index);
  }
  return largest;
}

ASSAY_CLONES
static void positionsOf32(const int32_t *codes, int n, int32_t *positions) {
  for (int i = 0; i < n; ++i) {
    int32_t sign = codes[i] >> 31;
    positions[i] = ((codes[i] & 0x7FFFFFFF) ^ sign) - sign;
  }
}

ASSAY_CLONES
static void positionsOf16(const int16_t *codes, int n, int32_t *positions) {
  for (int i = 0; i < n; ++i) {
    int32_t code = codes[i], sign = code >> 31;
    positions[i] = ((code & 0x7FFF) ^ sign) - sign;
  }
}

/// Fills the buckets of n floats of 16 or 32 bits; returns the largest
/// distance.
static uint64_t fillBuckets(int bits, const void *target, const void *bench,
                            int n, uint16_t *bucket) {
  alignas(64) int32_t t[kPairBlock], b[kPairBlock];
  if (bits == 32) {
    positionsOf32(static_cast<const int32_t *>(target), n, t);
    positionsOf32(static_cast<const int32_t *>(bench), n, b);
  } else {
    positionsOf16(static_cast<const int16_t *>(target), n, t);
    positionsOf16(static_cast<const int16_t *>(bench), n, b);
  }
  return bucketsOfPositions(t, b, n, bucket);
}

ASSAY_CLONES
static void widenPair(const float *target, const float *bench, int n,
                      PairBlock &block) {
  for (int i = 0; i < n; ++i)
    block.target[i] = target[i];
  for (int i = 0; i < n; ++i)
    block.bench[i] = bench[i];
}

static void prepareNarrow(ElementType type, const void *target,
                          const void *bench, int n, PairBlock &block) {
  alignas(64) float t[kPairBlock], b[kPairBlock];
  toFloats(type, target, t, n);
  toFloats(type, bench, b, n);
  widenPair(t, b, n, block);
}

template <typename T>
static void prepareAny(const T *target, const T *bench, int n,
                       PairBlock &block) {
  uint64_t largest = 0;
  for (int i = 0; i < n; ++i) {
    T t = target[i], b = bench[i];
    if constexpr (ComplexValue<T>) {
      std::complex<double> x(t.real(), t.imag()), y(b.real(), b.imag());
      block.target[i] = std::hypot(x.real(), x.imag());
      block.bench[i] = std::hypot(y.real(), y.imag());
      block.difference[i] =
          std::hypot(x.real() - y.real(), x.imag() - y.imag());
    } else {
      block.target[i] = convertElement<double>(t);
      block.bench[i] = convertElement<double>(b);
    }
    uint64_t distance = ulpDistance(t, b);
    if constexpr (IntegerValue<T> || BoolValue<T>)
      block.difference[i] =
          std::copysign(static_cast<double>(distance), t < b ? -1.0 : 1.0);
    largest = std::max(largest, distance);
    block.bucket[i] = static_cast<uint16_t>(ulpBucket(distance));
  }
  block.ulpMax = largest;
}

ASSAY_CLONES
void subtractPair(PairBlock &block) {
  for (int i = 0; i < block.n; ++i)
    block.difference[i] = block.target[i] - block.bench[i];
}

void preparePair(ElementType type, const void *target, const void *bench, int n,
                 bool identical, PairBlock &block) {
  using enum FloatFormat;
  block.n = n;
  bool fast = type.isFloat() &&
              (type.format == F32 || type.format == BF16 || type.format == F16);
  block.subtract = type.isFloat();
  if (!fast) {
    dispatch(type, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      prepareAny(static_cast<const T *>(target), static_cast<const T *>(bench),
                 n, block);
    });
  } else if (type.format == F32) {
    widenPair(static_cast<const float *>(target),
              static_cast<const float *>(bench), n, block);
  } else {
    prepareNarrow(type, target, bench, n, block);
  }
  if (fast && identical) {
    std::memset(block.bucket, 0, sizeof(uint16_t) * n);
    block.ulpMax = 0;
  } else if (fast) {
    block.ulpMax = fillBuckets(type.bits, target, bench, n, block.bucket);
  }
  padTail(block);
}

} // namespace assay::numerics::detail
