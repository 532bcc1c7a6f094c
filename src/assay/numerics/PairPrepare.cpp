// First half of the pair pass: elements of any type become f64 values, f64
// differences and ULP buckets. Floats have vectorised loops; other types are
// processed element by element. Differences of f32 and narrower floats are
// exact or rounded once in f64; those of 64-bit integers are first computed as
// integers.
#include "assay/numerics/Convert.h"
#include "assay/numerics/Dispatch.h"
#include "assay/numerics/PairAccumulator.h"
#include "assay/numerics/PairBlock.h"
#include "assay/support/TargetClones.h"

#include <cstring>

namespace assay::numerics::detail {

// Bucket numbers are the exponent and the top three mantissa bits of the
// distance as a float; see ulpBucket. Separate loops for positions, distances
// and buckets, all in 32 bits, so that each one vectorises.
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

static void positionsOf8(FloatFormat format, const void *codes, int n,
                         int32_t *positions) {
  dispatch<NarrowFloatTypes>(ElementType::floating(format), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const T *values = static_cast<const T *>(codes);
    for (int i = 0; i < n; ++i)
      positions[i] = static_cast<int32_t>(orderedInteger(values[i]));
  });
}

ASSAY_CLONES
static uint64_t bucketsOf64(const int64_t *target, const int64_t *bench, int n,
                            uint16_t *bucket) {
  constexpr int64_t kMagnitude = std::numeric_limits<int64_t>::max();
  uint64_t largest = 0;
  for (int i = 0; i < n; ++i) {
    int64_t t = target[i], b = bench[i];
    int64_t x = ((t & kMagnitude) ^ (t >> 63)) - (t >> 63);
    int64_t y = ((b & kMagnitude) ^ (b >> 63)) - (b >> 63);
    auto ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
    uint64_t distance = x > y ? ux - uy : uy - ux;
    largest = distance > largest ? distance : largest;
    auto bits = std::bit_cast<int64_t>(static_cast<double>(distance));
    int64_t index = (bits >> 49) - (1023 * 8 - 1);
    bucket[i] = static_cast<uint16_t>(index < 0 ? 0 : index);
  }
  return largest;
}

static void copyPair(const double *target, const double *bench, int n,
                     PairBlock &block) {
  std::memcpy(block.target, target, n * sizeof(double));
  std::memcpy(block.bench, bench, n * sizeof(double));
}

uint64_t fillBuckets(ElementType type, const void *target, const void *bench,
                     int n, uint16_t *bucket) {
  if (type.bits == 64)
    return bucketsOf64(static_cast<const int64_t *>(target),
                       static_cast<const int64_t *>(bench), n, bucket);
  alignas(64) int32_t positions[2][kPairBlock];
  const void *sides[2] = {target, bench};
  for (int side = 0; side < 2; ++side) {
    if (type.bits == 32)
      positionsOf32(static_cast<const int32_t *>(sides[side]), n,
                    positions[side]);
    else if (type.bits == 16)
      positionsOf16(static_cast<const int16_t *>(sides[side]), n,
                    positions[side]);
    else
      positionsOf8(type.format, sides[side], n, positions[side]);
  }
  return bucketsOfPositions(positions[0], positions[1], n, bucket);
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
  bool fast = type.isFloat() && type.bits <= 64;
  block.subtract = type.isFloat();
  if (!fast) {
    dispatch(type, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      prepareAny(static_cast<const T *>(target), static_cast<const T *>(bench),
                 n, block);
    });
  } else if (type.format == F64) {
    copyPair(static_cast<const double *>(target),
             static_cast<const double *>(bench), n, block);
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
    block.ulpMax = fillBuckets(type, target, bench, n, block.bucket);
  }
  padTail(block);
}

} // namespace assay::numerics::detail
