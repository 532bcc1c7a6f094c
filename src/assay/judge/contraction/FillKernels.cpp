// See FillKernels.h. The hash is two rounds of multiply and xor-shift on 32
// bits (constants by C. Wellons' search for low bias); compiled for three
// instruction sets and chosen at run time.
#include "assay/judge/contraction/FillKernels.h"
#include "assay/support/TargetClones.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace assay::judge;

static inline uint32_t mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

ASSAY_CLONES void kernels::hashKeys(uint64_t seed, uint64_t base,
                                    const int32_t *offset, int64_t n,
                                    uint32_t *bits) {
  // The upper half of the key selects another sequence; a block that crosses
  // 2^32 keeps the one it starts in.
  uint32_t low = static_cast<uint32_t>(base);
  uint32_t salt = mix(static_cast<uint32_t>(seed) ^
                      mix(static_cast<uint32_t>(seed >> 32) + 0x9e3779b9u) ^
                      mix(static_cast<uint32_t>(base >> 32) + 0x85ebca6bu));
  if (offset)
    for (int64_t i = 0; i < n; ++i)
      bits[i] =
          mix((low + static_cast<uint32_t>(offset[i])) * 0x9e3779b1u + salt);
  else
    for (int64_t i = 0; i < n; ++i)
      bits[i] = mix((low + static_cast<uint32_t>(i)) * 0x9e3779b1u + salt);
}

ASSAY_CLONES void kernels::rehash(const uint32_t *bits, int64_t n,
                                  uint32_t salt, uint32_t *out) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = mix(bits[i] ^ salt);
}

ASSAY_CLONES void kernels::integers(const uint32_t *bits, int64_t n,
                                    int64_t low, int64_t high, bool isSigned,
                                    float *out) {
  uint32_t span =
      static_cast<uint32_t>(std::min<int64_t>(high - low + 1, 65536));
  int32_t first = static_cast<int32_t>(low);
  uint32_t signMask = isSigned ? 1u : 0u;
  for (int64_t i = 0; i < n; ++i) {
    int32_t magnitude =
        first + static_cast<int32_t>(((bits[i] >> 8 & 0xffffu) * span) >> 16);
    int32_t sign = 1 - 2 * static_cast<int32_t>(bits[i] & signMask);
    out[i] = static_cast<float>(magnitude * sign);
  }
}

ASSAY_CLONES void kernels::uniforms(const uint32_t *bits, int64_t n,
                                    float *out) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = (static_cast<float>(static_cast<int32_t>(bits[i] >> 9)) + 0.5f) *
             (1.0f / 8388608.0f);
}

/// The sum of four uniforms is nearly normal; an odd polynomial, fitted by
/// weighted least squares to the exact quantiles, makes it closer (moments 2,
/// 4, 6 of the result: 1, 3, 15 to 3 parts in 10^4; largest value 5.18). The
/// idea is Teichroew's (1953, in Knuth, "Seminumerical Algorithms", 3.4.1) with
/// 4 instead of 12 terms.
ASSAY_CLONES void kernels::normals(const uint32_t *bits, int64_t n,
                                   float *out) {
  for (int64_t i = 0; i < n; ++i) {
    uint32_t x = bits[i], y = mix(x ^ 0x6e6f726du);
    int32_t sum = static_cast<int32_t>((x & 0xffffu) + (x >> 16) +
                                       (y & 0xffffu) + (y >> 16)) -
                  131070;
    float s = static_cast<float>(sum) * (1.0f / 65536.0f), q = s * s;
    float p = 0.0053913027f;
    p = -0.017212062f + p * q;
    p = 0.0284244325f + p * q;
    p = 0.0478865823f + p * q;
    p = 1.66687486f + p * q;
    out[i] = s * p;
  }
}

ASSAY_CLONES void kernels::heavyTailed(const uint32_t *bits, int64_t n,
                                       float *out) {
  for (int64_t i = 0; i < n; ++i) {
    float p = (static_cast<float>(static_cast<int32_t>(bits[i] >> 9)) + 0.5f) *
              (1.0f / 8388608.0f);
    out[i] = (2.0f * p - 1.0f) / std::sqrt(2.0f * p * (1.0f - p));
  }
}

ASSAY_CLONES void kernels::addDelta(const uint32_t *bits, const uint8_t *second,
                                    int64_t n, double probability, float *out) {
  uint32_t limit = static_cast<uint32_t>(probability * 65536.0);
  for (int64_t i = 0; i < n; ++i) {
    int32_t active = (bits[i] >> 16) < limit ? 1 : 0;
    int32_t sign = 1 - 2 * static_cast<int32_t>(bits[i] & 1u);
    out[i] +=
        static_cast<float>(active * sign * static_cast<int32_t>(second[i]));
  }
}

ASSAY_CLONES void kernels::roundBetween(float low, float high, int64_t n,
                                        float *values) {
  // Adding 1.5 * 2^23 leaves no room for a fraction; exact for magnitudes up to
  // 2^22.
  for (int64_t i = 0; i < n; ++i) {
    float x = values[i] < low ? low : values[i] > high ? high : values[i];
    values[i] = (x + 12582912.0f) - 12582912.0f;
  }
}

ASSAY_CLONES void kernels::addWhere(const uint8_t *second, const float *noise,
                                    float factor, int64_t n, float *out) {
  for (int64_t i = 0; i < n; ++i)
    out[i] += noise[i] * (factor * static_cast<float>(second[i]));
}

ASSAY_CLONES int64_t kernels::countZeros(const float *values, int64_t n) {
  int64_t zeros = 0;
  for (int64_t i = 0; i < n; ++i)
    zeros += values[i] == 0;
  return zeros;
}

ASSAY_CLONES void kernels::negateWhere(const uint8_t *second, int64_t n,
                                       float *out) {
  for (int64_t i = 0; i < n; ++i)
    out[i] *= static_cast<float>(1 - 2 * static_cast<int32_t>(second[i]));
}

ASSAY_CLONES void kernels::scale(float factor, int64_t n, float *out) {
  for (int64_t i = 0; i < n; ++i)
    out[i] *= factor;
}
