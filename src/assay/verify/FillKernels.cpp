// See FillKernels.h. The hash is two rounds of multiply and xor-shift on 32 bits (constants by C. Wellons' search for low
// bias); compiled for three instruction sets and chosen at run time.
#include "assay/verify/FillKernels.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace assay::verify;

#define ASSAY_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))

static inline uint32_t mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

ASSAY_CLONES void kernels::hashKeys(uint64_t seed, uint64_t base, const int32_t *offset, int64_t n, uint32_t *bits) {
  // The upper half of the key selects another sequence; a block that crosses 2^32 keeps the one it starts in.
  uint32_t low = static_cast<uint32_t>(base);
  uint32_t salt = mix(static_cast<uint32_t>(seed) ^ mix(static_cast<uint32_t>(seed >> 32) + 0x9e3779b9u) ^
                      mix(static_cast<uint32_t>(base >> 32) + 0x85ebca6bu));
  if (offset)
    for (int64_t i = 0; i < n; ++i)
      bits[i] = mix((low + static_cast<uint32_t>(offset[i])) * 0x9e3779b1u + salt);
  else
    for (int64_t i = 0; i < n; ++i)
      bits[i] = mix((low + static_cast<uint32_t>(i)) * 0x9e3779b1u + salt);
}

ASSAY_CLONES void kernels::rehash(const uint32_t *bits, int64_t n, uint32_t salt, uint32_t *out) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = mix(bits[i] ^ salt);
}

ASSAY_CLONES void kernels::integers(const uint32_t *bits, int64_t n, int64_t low, int64_t high, bool isSigned, float *out) {
  uint32_t span = static_cast<uint32_t>(std::min<int64_t>(high - low + 1, 65536));
  int32_t first = static_cast<int32_t>(low);
  uint32_t signMask = isSigned ? 1u : 0u;
  for (int64_t i = 0; i < n; ++i) {
    int32_t magnitude = first + static_cast<int32_t>(((bits[i] >> 8 & 0xffffu) * span) >> 16);
    int32_t sign = 1 - 2 * static_cast<int32_t>(bits[i] & signMask);
    out[i] = static_cast<float>(magnitude * sign);
  }
}

ASSAY_CLONES void kernels::uniforms(const uint32_t *bits, int64_t n, float *out) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = (static_cast<float>(static_cast<int32_t>(bits[i] >> 9)) + 0.5f) * (1.0f / 8388608.0f);
}

/// Natural logarithm of x in (0, 1], relative error below 1e-6 of |log x| + 1e-7: enough for Giles' argument.
static inline float logarithm(float x) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  int32_t exponent = static_cast<int32_t>(bits - 0x3f3504f3u) >> 23; // of x / sqrt(1/2), so that m is around 1
  float m = std::bit_cast<float>(bits - (static_cast<uint32_t>(exponent) << 23));
  float t = (m - 1.0f) / (m + 1.0f), s = t * t;
  float series = 2.0f * t * (1.0f + s * (0.33333333f + s * (0.2f + s * (0.14285714f + s * 0.11111111f))));
  return static_cast<float>(exponent) * 0.69314718f + series;
}

ASSAY_CLONES void kernels::normals(const uint32_t *bits, int64_t n, float *out) {
  for (int64_t i = 0; i < n; ++i) {
    // x in (-1, 1), never 0 in w's way: odd multiples of 2^-24.
    float x = (static_cast<float>(static_cast<int32_t>(bits[i] >> 8)) * 2.0f + 1.0f) * (1.0f / 16777216.0f) - 1.0f;
    float w = -logarithm((1.0f - x) * (1.0f + x));
    float c = w - 2.5f, t = std::sqrt(w) - 3.0f;
    float p = 2.81022636e-08f;
    p = 3.43273939e-07f + p * c;
    p = -3.5233877e-06f + p * c;
    p = -4.39150654e-06f + p * c;
    p = 0.00021858087f + p * c;
    p = -0.00125372503f + p * c;
    p = -0.00417768164f + p * c;
    p = 0.246640727f + p * c;
    p = 1.50140941f + p * c;
    float q = -0.000200214257f;
    q = 0.000100950558f + q * t;
    q = 0.00134934322f + q * t;
    q = -0.00367342844f + q * t;
    q = 0.00573950773f + q * t;
    q = -0.0076224613f + q * t;
    q = 0.00943887047f + q * t;
    q = 1.00167406f + q * t;
    q = 2.83297682f + q * t;
    out[i] = (w < 5.0f ? p : q) * x * 1.41421356f;
  }
}

ASSAY_CLONES void kernels::heavyTailed(const uint32_t *bits, int64_t n, float *out) {
  for (int64_t i = 0; i < n; ++i) {
    float p = (static_cast<float>(static_cast<int32_t>(bits[i] >> 9)) + 0.5f) * (1.0f / 8388608.0f);
    out[i] = (2.0f * p - 1.0f) / std::sqrt(2.0f * p * (1.0f - p));
  }
}

ASSAY_CLONES void kernels::addDelta(const uint32_t *bits, const uint8_t *second, int64_t n, double probability, float *out) {
  uint32_t limit = static_cast<uint32_t>(probability * 65536.0);
  for (int64_t i = 0; i < n; ++i) {
    int32_t active = (bits[i] >> 16) < limit ? 1 : 0;
    int32_t sign = 1 - 2 * static_cast<int32_t>(bits[i] & 1u);
    out[i] += static_cast<float>(active * sign * static_cast<int32_t>(second[i]));
  }
}

ASSAY_CLONES void kernels::negateWhere(const uint8_t *second, int64_t n, float *out) {
  for (int64_t i = 0; i < n; ++i)
    out[i] *= static_cast<float>(1 - 2 * static_cast<int32_t>(second[i]));
}

ASSAY_CLONES void kernels::scale(float factor, int64_t n, float *out) {
  for (int64_t i = 0; i < n; ++i)
    out[i] *= factor;
}
