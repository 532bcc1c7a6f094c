/// exp, log and functions based on them, in double for arguments that come from
/// floats of 32 bits or fewer: no branches and no calls, so that loops over them
/// vectorise. Relative error below 2^-45 (pow: 2^-43), so the result rounded to
/// f32 is the correctly rounded one except for cases within 2^-21 (2^-19) of an ulp
/// from a tie. The range of arguments is that of f32.
///
///   exp    x = k ln 2 + r, |r| <= ln 2 / 2: the Taylor series of e^r times 2^k
///   log    x = 2^k m, m in [sqrt(1/2), sqrt 2):
///          k ln 2 + 2 atanh((m - 1) / (m + 1)) by its series
///   tanh   (1 - e^-2x) / (1 + e^-2x); the series x - x^3/3 + ... below 1/64
///   expm1  the Taylor series below 0.35, else e^x - 1
///   log1p  log(1 + x), where the sum is exact; its series below 2^-20
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace assay::reference::fast {

#define ASSAY_FAST_INLINE __attribute__((always_inline)) inline

/// c[0] + c[1] x + c[2] x^2 + ..., in four independent chains.
template <size_t N>
ASSAY_FAST_INLINE double polynomial(const double (&c)[N], double x) {
  double x2 = x * x, x4 = x2 * x2;
  double chains[4] = {};
  for (size_t i = (N + 3) / 4; i-- > 0;)
    for (size_t j = 0; j < 4; ++j)
      chains[j] = chains[j] * x4 + (4 * i + j < N ? c[4 * i + j] : 0.0);
  return (chains[0] + chains[1] * x) + (chains[2] + chains[3] * x) * x2;
}

ASSAY_FAST_INLINE double exp(double x) {
  constexpr double kMagic = 0x1.8p52; // adding it leaves the integer nearest to
                                      // a number in its low bits
  double inside = x < 120.0 ? x : 120.0;
  inside = inside > -120.0 ? inside : -120.0;
  double shifted = inside * 0x1.71547652b82fep0 + kMagic;
  double k = shifted - kMagic;
  double r = (inside - k * 0x1.62e42fefa3800p-1) - k * 0x1.ef35793c76730p-45;
  double sum = 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = (sum * r) * r + r + 1.0;
  auto scale = std::bit_cast<double>((std::bit_cast<uint64_t>(shifted) << 52) +
                                     (uint64_t{1023} << 52));
  return x != x ? x : sum * scale;
}

ASSAY_FAST_INLINE double log(double x) {
  constexpr uint64_t kLowest = 0x3fe6a09e667f3bcd; // sqrt(1/2)
  auto bits = std::bit_cast<uint64_t>(x);
  uint64_t exponent =
      (bits - kLowest + (uint64_t{1024} << 52)) >> 52; // k + 1024
  double k =
      std::bit_cast<double>(exponent | 0x4330000000000000) - (0x1p52 + 1024);
  auto m =
      std::bit_cast<double>(bits - (exponent << 52) + (uint64_t{1024} << 52));
  double s = (m - 1) / (m + 1), square = s * s;
  double sum = 1.0 / 19;
  sum = sum * square + 1.0 / 17;
  sum = sum * square + 1.0 / 15;
  sum = sum * square + 1.0 / 13;
  sum = sum * square + 1.0 / 11;
  sum = sum * square + 1.0 / 9;
  sum = sum * square + 1.0 / 7;
  sum = sum * square + 1.0 / 5;
  sum = sum * square + 1.0 / 3;
  double result = k * 0x1.62e42fefa39efp-1 + (2 * s + 2 * s * square * sum);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  result = x == 0  ? -kInfinity
           : x < 0 ? std::numeric_limits<double>::quiet_NaN()
                   : result;
  return (x != x) | (x == kInfinity) ? x : result;
}

ASSAY_FAST_INLINE double tanh(double x) {
  double size = std::abs(x);
  double power = exp(-2 * size);
  double large = (1 - power) / (1 + power);
  double square = x * x;
  double small =
      size +
      size * square *
          (-1.0 / 3 + square * (2.0 / 15 + square * (-17.0 / 315 +
                                                     square * (62.0 / 2835))));
  return std::copysign(size < 0x1p-6 ? small : large, x);
}

ASSAY_FAST_INLINE double logistic(double x) { return 1 / (1 + exp(-x)); }

ASSAY_FAST_INLINE double expm1(double x) {
  constexpr double kTerms[] = {1.0,
                               0.5,
                               1.0 / 6,
                               1.0 / 24,
                               1.0 / 120,
                               1.0 / 720,
                               1.0 / 5040,
                               1.0 / 40320,
                               1.0 / 362880,
                               1.0 / 3628800.0,
                               1.0 / 39916800.0,
                               1.0 / 479001600.0,
                               1.0 / 6227020800.0};
  double near = x * polynomial(kTerms, x);
  return std::abs(x) < 0.35 ? near : exp(x) - 1;
}

ASSAY_FAST_INLINE double log1p(double x) {
  double near = x * (1 - x * (0.5 - x * (1.0 / 3)));
  return std::abs(x) < 0x1p-20 ? near : log(1 + x);
}

ASSAY_FAST_INLINE double sinh(double x) {
  double e = expm1(std::abs(x));
  return std::copysign(0.5 * (e + e / (e + 1)), x);
}
ASSAY_FAST_INLINE double cosh(double x) {
  double e = exp(std::abs(x));
  return 0.5 * (e + 1 / e);
}
ASSAY_FAST_INLINE double cbrt(double x) {
  return std::copysign(exp(log(std::abs(x)) * (1.0 / 3)), x);
}

/// Special cases are those of C's pow: 1 for y = 0 and x = 1; NaN for x < 0 and
/// y no integer. Squares, cubes and fourth powers are computed as products,
/// because they may be exact, or ties in f32.
ASSAY_FAST_INLINE double pow(double x, double y) {
  constexpr double kMagic = 0x1.8p52;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  double size = std::abs(x), square = x * x;
  double value = exp(y * log(size));
  value = y == 2 ? square : value;
  value = y == 3 ? square * size : value;
  value = y == 4 ? square * square : value;
  value = size == 1 ? 1 : value; // also for an infinite y
  // Floats from 2^24 on are even, and the clamp keeps them even.
  double clamped = y < 0x1p25 ? y : 0x1p25;
  clamped = clamped > -0x1p25 ? clamped : -0x1p25;
  double shifted = clamped + kMagic;
  double half = clamped * 0.5 + kMagic;
  double rest = clamped - (shifted - kMagic), // 0 if y is an integer
      odd = clamped - 2 * (half - kMagic);    // 0 if y is an even integer
  double signedValue = std::copysign(value, odd != 0 ? x : 1.0);
  value = rest == 0 ? signedValue : value;
  double onlyWhole = x > -kInfinity ? kNaN : value;
  onlyWhole = x < 0 ? onlyWhole : value;
  value = rest != 0 ? onlyWhole : value;
  value = x != x ? x : value;
  value = y != y ? y : value;
  value = y == 0 ? 1 : value;
  return x == 1 ? 1 : value;
}

} // namespace assay::reference::fast
