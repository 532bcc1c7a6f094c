/// The float formats as data: the 15 formats of the StableHLO specification and
/// F128. All code that rounds, decodes, orders or prints a float reads this
/// table, which is made from FloatFormats.def; a new format is a row there.
///
/// A finite value is (-1)^s * 1.f * 2^(e-bias) for e > 0 and (-1)^s * 0.f *
/// 2^(1-bias) for e = 0. Source: StableHLO spec "Types"; OCP "8-bit Floating
/// Point" and "Microscaling Formats" specifications; IEEE 754-2019.
#pragma once

#include "assay/numerics/ElementType.h"

#include <cstddef>
#include <cstdint>

namespace assay::numerics {

/// The meaning of the codes that are not finite numbers.
enum class NonFinite : uint8_t {
  Ieee,         ///< top exponent: mantissa 0 is infinity, others are NaN
  NanAllOnes,   ///< FN: no infinity; exponent and mantissa all ones is NaN
  NanMinusZero, ///< FNUZ: no infinity and no -0; the code of -0 is the only NaN
  FiniteOnly,   ///< f4 and f6: no infinity and no NaN
  ExponentOnly, ///< E8M0: unsigned powers of two, no zero; 0xFF is NaN
};

struct FormatInfo {
  FloatFormat format;
  int bits;         ///< width of the whole code
  int exponentBits; ///< width of the exponent field
  int mantissaBits; ///< width of the fraction field, without the hidden bit
  int bias;
  NonFinite nonFinite;

  constexpr int precision() const { return mantissaBits + 1; }
  constexpr bool hasInfinity() const { return nonFinite == NonFinite::Ieee; }
  constexpr bool hasNan() const { return nonFinite != NonFinite::FiniteOnly; }
  constexpr bool hasSign() const {
    return nonFinite != NonFinite::ExponentOnly;
  }
  constexpr bool hasZero() const {
    return nonFinite != NonFinite::ExponentOnly;
  }
  constexpr bool hasNegativeZero() const {
    return hasSign() && nonFinite != NonFinite::NanMinusZero;
  }
  constexpr bool hasSubnormals() const {
    return nonFinite != NonFinite::ExponentOnly;
  }
  /// Unbiased exponent of the smallest normal number, and of the largest finite
  /// one.
  constexpr int minExponent() const {
    return nonFinite == NonFinite::ExponentOnly ? -bias : 1 - bias;
  }
  constexpr int maxExponent() const {
    int top = (1 << exponentBits) - 1;
    bool reserved =
        nonFinite == NonFinite::Ieee || nonFinite == NonFinite::ExponentOnly;
    return top - (reserved ? 1 : 0) - bias;
  }
  /// Exponent of the smallest positive number, which is one unit of the last
  /// place of a subnormal.
  constexpr int minSubnormalExponent() const {
    return minExponent() - mantissaBits;
  }
  /// Codes of positive values, for formats of up to 64 bits; the sign is the
  /// top bit.
  constexpr uint64_t maxFiniteCode() const {
    switch (nonFinite) {
    case NonFinite::Ieee:
      return (((uint64_t{1} << exponentBits) - 1) << mantissaBits) - 1;
    case NonFinite::NanAllOnes:
      return (uint64_t{1} << (exponentBits + mantissaBits)) - 2;
    case NonFinite::ExponentOnly:
      return 254;
    case NonFinite::NanMinusZero:
    case NonFinite::FiniteOnly:
      break;
    }
    return (uint64_t{1} << (exponentBits + mantissaBits)) - 1;
  }
  constexpr uint64_t infinityCode() const {
    return maxFiniteCode() + 1;
  } ///< only where hasInfinity()
  /// The canonical (quiet, positive) NaN; 0 if there is none.
  constexpr uint64_t nanCode() const {
    switch (nonFinite) {
    case NonFinite::Ieee:
      return infinityCode() | (uint64_t{1} << (mantissaBits - 1));
    case NonFinite::NanAllOnes:
      return maxFiniteCode() + 1;
    case NonFinite::NanMinusZero:
      return signCode();
    case NonFinite::ExponentOnly:
      return 255;
    case NonFinite::FiniteOnly:
      break;
    }
    return 0;
  }
  constexpr uint64_t signCode() const {
    return hasSign() ? uint64_t{1} << (bits - 1) : 0;
  }
};

inline constexpr FormatInfo kFormatTable[] = {
    {FloatFormat::None, 0, 0, 0, 0, NonFinite::Ieee},
#define ASSAY_FLOAT(format, bits, exponent, mantissa, bias, nonFinite, ...)    \
  {FloatFormat::format, bits, exponent, mantissa, bias, NonFinite::nonFinite},
#include "assay/numerics/FloatFormats.def"
};

constexpr const FormatInfo &formatInfo(FloatFormat format) {
  return kFormatTable[static_cast<size_t>(format)];
}

/// The largest finite value, the smallest positive normal and the smallest
/// positive value, as doubles (exact for every format of up to 64 bits).
double maxFinite(FloatFormat format);
double minNormal(FloatFormat format);
double minPositive(FloatFormat format);
/// Half the distance from 1 to the next number: the bound of one rounding
/// relative to the result, 2^-precision.
double unitRoundoff(FloatFormat format);

} // namespace assay::numerics
