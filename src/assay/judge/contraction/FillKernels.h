/// The inner loops of the fills, on blocks that fit the first cache. Bits do
/// not depend on the processor: only integer operations, additions,
/// multiplications and square roots, none of them contracted.
#pragma once

#include <cstdint>

namespace assay::judge::kernels {

/// bits[i] = hash(seed, base + offset[i]); offset null: base + i.
void hashKeys(uint64_t seed, uint64_t base, const int32_t *offset, int64_t n,
              uint32_t *bits);

/// Integers of magnitude [low, high] with a random sign (or all positive),
/// times unit.
void integers(const uint32_t *bits, int64_t n, int64_t low, int64_t high,
              bool isSigned, float *out);

/// Standard normal: four uniforms and a polynomial; the moments up to the sixth
/// are right, no value is beyond 5.2.
void normals(const uint32_t *bits, int64_t n, float *out);
/// Uniform in (0, 1).
void uniforms(const uint32_t *bits, int64_t n, float *out);
/// Student's t with two degrees of freedom: infinite variance.
void heavyTailed(const uint32_t *bits, int64_t n, float *out);

/// A second, independent word of the same elements.
void rehash(const uint32_t *bits, int64_t n, uint32_t salt, uint32_t *out);
/// out[i] += -1, 0 or 1 where second[i] is set; nonzero with probability p.
void addDelta(const uint32_t *bits, const uint8_t *second, int64_t n, double p,
              float *out);
/// Rounds to the nearest integer within [low, high], both of magnitude up to
/// 2^20.
void roundBetween(float low, float high, int64_t n, float *values);
/// out[i] += factor * noise[i] where second[i] is set.
void addWhere(const uint8_t *second, const float *noise, float factor,
              int64_t n, float *out);
/// The number of zeros.
int64_t countZeros(const float *values, int64_t n);
/// out[i] = -out[i] where second[i] is set.
void negateWhere(const uint8_t *second, int64_t n, float *out);
void scale(float factor, int64_t n, float *out);

} // namespace assay::judge::kernels
