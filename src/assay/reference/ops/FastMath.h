/// exp, log, tanh and logistic in double for arguments that come from floats of
/// 32 bits or fewer: no branches and no calls, so that loops over them
/// vectorise. Relative error below 2^-45, so the result rounded to f32 is the
/// correctly rounded one but for cases within 2^-21 of an ulp from a tie; the
/// arguments' range is that of f32.
///
///   exp    x = k ln 2 + r, |r| <= ln 2 / 2: the Taylor series of e^r times 2^k
///   log    x = 2^k m, m in [sqrt(1/2), sqrt 2): k ln 2 + 2 atanh((m - 1) / (m
///   + 1)) by its series tanh   (1 - e^-2x) / (1 + e^-2x); the series x - x^3/3
///   + ... below 1/64
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace assay::reference::fast {

#define ASSAY_FAST_INLINE __attribute__((always_inline)) inline

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

} // namespace assay::reference::fast
