/// sin, cos and tan in double for arguments that come from floats of 32 bits or
/// fewer, of any size: no branches and no calls (see FastMath.h). Relative error
/// below 2^-45.
///
/// x = m 2^e with an integer m of 24 bits. x 2/pi is reduced by multiples of 4
/// without rounding: a table has 2^e 2/pi modulo 4 as the sum of two numbers of
/// 29 bits, whose products with m are exact, and a rest. The Taylor series is
/// used for the remaining angle of at most pi/4 (Payne and Hanek's method).
#pragma once

#include "assay/reference/ops/FastMath.h"

namespace assay::reference::fast {

/// 2^e 2/pi modulo 4, where e = index - 149 is the exponent of the last bit of
/// a float's integer mantissa.
struct ReductionRow {
  double high, middle, low;
};
extern const std::array<ReductionRow, 254> kReduction;

struct Quarters {
  double angle;  ///< in [-pi/4, pi/4]
  int64_t count; ///< quarter turns removed; only the lowest two bits are right
};

ASSAY_FAST_INLINE Quarters reduceAngle(double size) {
  constexpr double kMagic = 0x1.8p52;
  auto bits = std::bit_cast<int64_t>(size);
  // The exponent of the last of 24 bits, derived from that of the first;
  // subnormal floats are small integers times 2^-149.
  int64_t exponent = (bits >> 52) - 1023 - 23;
  exponent = exponent > -149 ? exponent : -149;
  exponent = exponent < 104 ? exponent : 104;
  double mantissa =
      size * std::bit_cast<double>((1023 - exponent) << 52); // exact
  const ReductionRow &row = kReduction[static_cast<size_t>(exponent + 149)];
  double high = mantissa * row.high, middle = mantissa * row.middle;
  double shifted = (high + middle) + kMagic;
  double count = shifted - kMagic;
  double turns = ((high - count) + middle) + mantissa * row.low;
  return {turns * 0x1.921fb54442d18p+0, std::bit_cast<int64_t>(shifted)};
}

ASSAY_FAST_INLINE double sineSeries(double x) {
  double square = x * x;
  constexpr double kTerms[] = {-1.0 / 6,
                               1.0 / 120,
                               -1.0 / 5040,
                               1.0 / 362880,
                               -1.0 / 39916800.0,
                               1.0 / 6227020800.0,
                               -1.0 / 1307674368000.0};
  return x + x * square * polynomial(kTerms, square);
}

ASSAY_FAST_INLINE double cosineSeries(double x) {
  double square = x * x;
  constexpr double kTerms[] = {-0.5,
                               1.0 / 24,
                               -1.0 / 720,
                               1.0 / 40320,
                               -1.0 / 3628800.0,
                               1.0 / 479001600.0,
                               -1.0 / 87178291200.0,
                               1.0 / 20922789888000.0};
  return 1 + square * polynomial(kTerms, square);
}

/// Returns `value`, or NaN where x is infinite or NaN.
ASSAY_FAST_INLINE double finiteOnly(double x, double value) {
  double zero = x - x;
  return zero == 0 ? value : zero;
}

ASSAY_FAST_INLINE double sin(double x) {
  auto [angle, count] = reduceAngle(std::abs(x));
  double value = count & 1 ? cosineSeries(angle) : sineSeries(angle);
  value = count & 2 ? -value : value;
  return finiteOnly(x, std::bit_cast<uint64_t>(x) >> 63 ? -value : value);
}

ASSAY_FAST_INLINE double cos(double x) {
  auto [angle, count] = reduceAngle(std::abs(x));
  double value = count & 1 ? sineSeries(angle) : cosineSeries(angle);
  return finiteOnly(x, (count + 1) & 2 ? -value : value);
}

ASSAY_FAST_INLINE double tan(double x) {
  auto [angle, count] = reduceAngle(std::abs(x));
  double sine = sineSeries(angle), cosine = cosineSeries(angle);
  double value = count & 1 ? -cosine / sine : sine / cosine;
  return finiteOnly(x, std::bit_cast<uint64_t>(x) >> 63 ? -value : value);
}

} // namespace assay::reference::fast
