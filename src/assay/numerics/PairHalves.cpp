// The pair pass for f16 on processors with AVX-512, where it is the hot loop of
// `assay compare`. A block without a new extreme only adds to sums and counts,
// which need no decoded copy: 16 elements at a time stay in registers, in f32
// where f32 is exact. Differences of f16 below 1 are exact in f32 (multiples of
// 2^-24). Products of two f16 and squares of such differences are exact in f64,
// so a fused multiply-add rounds like the general loop, and sums taken in its
// order have its bits. Decisions that f32 cannot make (an element within 2^-21
// of the limit of IsClose) are left to the general loop.
#include "assay/numerics/PairHalves.h"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>
#define ASSAY_HALVES 1
#endif

namespace assay::numerics::detail {

/// The largest f32 that is not above x.
static float roundDown(double x) {
  auto rounded = static_cast<float>(x);
  return rounded > x ? std::nextafterf(rounded, -HUGE_VALF) : rounded;
}

/// Whether a limit is zero or far from the subnormal range of f32.
static bool plainLimit(double x) { return x == 0 || (x >= 1e-20 && x < 1e20); }

HalfLimits::HalfLimits(const PairOptions &options) {
#ifdef ASSAY_HALVES
  bool processor = __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("f16c") &&
                   __builtin_cpu_supports("fma");
  usable = processor && !options.full && plainLimit(options.rtol) &&
           plainLimit(options.atol) && plainLimit(options.slope);
#endif
  rtol = static_cast<float>(options.rtol);
  atol = static_cast<float>(options.atol);
  slope = roundDown(options.slope * (1 - 1e-6));
  greaterThan = roundDown(std::max(options.greaterThan, 0.0));
}

#ifdef ASSAY_HALVES
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,f16c,fma")

/// Adds lanes in the order of the general loop.
static double addLanes(__m512d sums) {
  alignas(64) double lanes[8];
  _mm512_store_pd(lanes, sums);
  double total = 0;
  for (double lane : lanes)
    total += lane;
  return total;
}

static __m512d low(__m512 values) {
  return _mm512_cvtps_pd(_mm512_castps512_ps256(values));
}
static __m512d high(__m512 values) {
  return _mm512_cvtps_pd(_mm512_extractf32x8_ps(values, 1));
}

/// Ordered integers (orderedInteger) of 32 elements.
static __m512i position(const uint16_t *at) {
  __m512i code = _mm512_loadu_si512(at), sign = _mm512_srai_epi16(code, 15);
  __m512i magnitude = _mm512_and_si512(code, _mm512_set1_epi16(0x7FFF));
  return _mm512_sub_epi16(_mm512_xor_si512(magnitude, sign), sign);
}

static __m512 half(const uint16_t *at) {
  return _mm512_cvtph_ps(
      _mm256_loadu_si256(reinterpret_cast<const __m256i *>(at)));
}

/// Computes the largest distance, and per lane the sum of distances modulo
/// 2^16. If no distance is above 1, that sum is the number of elements that
/// differ.
static void distances(const uint16_t *target, const uint16_t *bench, int n,
                      HalfSums &sums) {
  __m512i largest = _mm512_setzero_si512(), total = largest;
  for (int i = 0; i < n; i += 32) {
    __m512i t = position(target + i), b = position(bench + i);
    __m512i distance =
        _mm512_sub_epi16(_mm512_max_epi16(t, b), _mm512_min_epi16(t, b));
    largest = _mm512_max_epu16(largest, distance);
    total = _mm512_add_epi16(total, distance);
  }
  alignas(64) uint16_t lanes[2][32];
  _mm512_store_si512(lanes[0], largest);
  _mm512_store_si512(lanes[1], total);
  sums.ulpMax = *std::max_element(lanes[0], lanes[0] + 32);
  sums.differing = 0;
  for (uint16_t count : lanes[1])
    sums.differing += count;
}

static __m512i countWhere(__m512i counts, __mmask16 where) {
  return _mm512_mask_add_epi32(counts, where, counts, _mm512_set1_epi32(1));
}

static bool sumVectors(const uint16_t *target, const uint16_t *bench, int n,
                       const HalfLimits &limits, HalfSums &sums) {
  const __m512 rtol = _mm512_set1_ps(limits.rtol),
               atol = _mm512_set1_ps(limits.atol),
               slope = _mm512_set1_ps(limits.slope),
               above = _mm512_set1_ps(limits.greaterThan),
               wider = _mm512_set1_ps(1 + 0x1p-21F),
               narrower = _mm512_set1_ps(1 - 0x1p-21F);
  __m512d squared = _mm512_setzero_pd(), targets = squared, benches = squared,
          products = squared;
  __m512 maxAbs = _mm512_setzero_ps(), minAbs = _mm512_set1_ps(HUGE_VALF),
         excess = _mm512_set1_ps(-HUGE_VALF), targetLargest = excess,
         benchLargest = excess;
  __m512i close = _mm512_setzero_si512(), maybe = close, greater = close;
  for (int i = 0; i < n; i += 16) {
    __m512 t = half(target + i), b = half(bench + i);
    __m512 d = _mm512_sub_ps(t, b), modulus = _mm512_abs_ps(d),
           absBench = _mm512_abs_ps(b);
    maxAbs = _mm512_max_ps(maxAbs, modulus);
    minAbs = _mm512_min_ps(minAbs, modulus);
    targetLargest = _mm512_max_ps(targetLargest, t);
    benchLargest = _mm512_max_ps(benchLargest, b);
    excess = _mm512_max_ps(excess, _mm512_fnmadd_ps(slope, absBench, modulus));
    __m512 bound = _mm512_fmadd_ps(rtol, absBench, atol);
    close = countWhere(close, _mm512_cmp_ps_mask(modulus,
                                                 _mm512_mul_ps(bound, narrower),
                                                 _CMP_LE_OQ));
    maybe = countWhere(
        maybe,
        _mm512_cmp_ps_mask(modulus, _mm512_mul_ps(bound, wider), _CMP_LE_OQ));
    greater =
        countWhere(greater, _mm512_cmp_ps_mask(modulus, above, _CMP_GT_OQ));
    __m512d tLow = low(t), tHigh = high(t), bLow = low(b), bHigh = high(b),
            dLow = _mm512_sub_pd(tLow, bLow),
            dHigh = _mm512_sub_pd(tHigh, bHigh);
    squared =
        _mm512_fmadd_pd(dHigh, dHigh, _mm512_fmadd_pd(dLow, dLow, squared));
    targets =
        _mm512_fmadd_pd(tHigh, tHigh, _mm512_fmadd_pd(tLow, tLow, targets));
    benches =
        _mm512_fmadd_pd(bHigh, bHigh, _mm512_fmadd_pd(bLow, bLow, benches));
    products =
        _mm512_fmadd_pd(tHigh, bHigh, _mm512_fmadd_pd(tLow, bLow, products));
  }
  sums.close = _mm512_reduce_add_epi32(close);
  sums.greater = _mm512_reduce_add_epi32(greater);
  sums.maxAbs = static_cast<double>(_mm512_reduce_max_ps(maxAbs));
  sums.minAbs = static_cast<double>(_mm512_reduce_min_ps(minAbs));
  sums.targetLargest = static_cast<double>(_mm512_reduce_max_ps(targetLargest));
  sums.benchLargest = static_cast<double>(_mm512_reduce_max_ps(benchLargest));
  auto over = static_cast<double>(_mm512_reduce_max_ps(excess));
  sums.excessAtMost = over + std::fabs(over) * 0x1p-22;
  sums.squaredError = addLanes(squared);
  sums.targetSquares = addLanes(targets);
  sums.benchSquares = addLanes(benches);
  sums.products = addLanes(products);
  bool finite = sums.targetSquares + sums.benchSquares < HUGE_VAL;
  return finite && sums.maxAbs < 1 &&
         sums.close == _mm512_reduce_add_epi32(maybe);
}

#pragma GCC pop_options

bool sumHalves(const void *target, const void *bench, int n,
               const HalfLimits &limits, HalfSums &sums) {
  if (!limits.usable || n <= 0 || n % 32 != 0)
    return false;
  const auto *t = static_cast<const uint16_t *>(target),
             *b = static_cast<const uint16_t *>(bench);
  if (!sumVectors(t, b, n, limits, sums))
    return false;
  distances(t, b, n, sums);
  return true;
}

#else

bool sumHalves(const void *, const void *, int, const HalfLimits &,
               HalfSums &) {
  return false;
}

#endif

} // namespace assay::numerics::detail
