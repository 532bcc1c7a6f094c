/// Converts float and double to codes of the narrow float formats (16 bits and
/// fewer) and back: one rounding to nearest, ties to even, and each format's
/// treatment of values that it cannot hold. Everything is constexpr, so that
/// tables need no initialisation at start.
///
/// Overflow: infinity where the format has one; else NaN (FN, FNUZ, E8M0); else
/// the largest finite value (f4, f6). NaN to f4/f6: a zero of the opposite
/// sign. -0 to FNUZ: +0. Zero and negatives to E8M0: NaN. Source: StableHLO
/// spec "convert"; choices that it leaves open follow ml_dtypes, checked bit
/// for bit by test/python/test_formats.py.
#pragma once

#include "assay/numerics/FloatFormats.h"

#include <array>
#include <bit>
#include <limits>
#include <type_traits>

namespace assay::numerics {

/// The unsigned integer type for codes of a format of up to 16 bits.
template <FloatFormat F>
using CodeOf = std::conditional_t<formatInfo(F).bits <= 8, uint8_t, uint16_t>;

namespace detail {
template <typename T> struct SourceLayout;
template <> struct SourceLayout<float> {
  using Bits = uint32_t;
  static constexpr int kMantissaBits = 23, kBias = 127;
};
template <> struct SourceLayout<double> {
  using Bits = uint64_t;
  static constexpr int kMantissaBits = 52, kBias = 1023;
};

/// 2^exponent as a double, exponent in [-1022, 1023].
constexpr double powerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52);
}

template <FloatFormat F> constexpr CodeOf<F> overflowCode(bool negative) {
  constexpr FormatInfo info = formatInfo(F);
  constexpr uint64_t kCode = info.hasInfinity() ? info.infinityCode()
                             : info.hasNan()    ? info.nanCode()
                                                : info.maxFiniteCode();
  return static_cast<CodeOf<F>>(kCode | (negative ? info.signCode() : 0));
}

/// The code of NaN. `payload` has the top mantissa bits of the source; only f16
/// keeps them, like the F16C instructions.
template <FloatFormat F>
constexpr CodeOf<F> nanCodeFor(bool negative, unsigned payload) {
  constexpr FormatInfo info = formatInfo(F);
  if constexpr (info.nonFinite == NonFinite::FiniteOnly)
    return negative ? 0 : static_cast<CodeOf<F>>(info.signCode());
  else if constexpr (F == FloatFormat::F16)
    return static_cast<CodeOf<F>>(info.nanCode() | (payload & 0x3FF) |
                                  (negative ? info.signCode() : 0));
  else
    return static_cast<CodeOf<F>>(info.nanCode() |
                                  (negative ? info.signCode() : 0));
}

constexpr uint8_t encodeE8M0(double x) {
  uint64_t bits = std::bit_cast<uint64_t>(x);
  if (!(x > 0) || x > std::numeric_limits<double>::max())
    return 0xFF;
  // The significand 1 is odd, so a tie (1.5) rounds up.
  int code = static_cast<int>(bits >> 52) - 1023 + 127 +
             static_cast<int>((bits >> 51) & 1);
  return static_cast<uint8_t>(code < 0 ? 0 : code > 254 ? 0xFF : code);
}
} // namespace detail

/// The code of the number of format F nearest to x (float or double). F has at
/// most 16 bits.
template <FloatFormat F, typename Source>
constexpr CodeOf<F> encodeFloat(Source x) {
  constexpr FormatInfo info = formatInfo(F);
  if constexpr (F == FloatFormat::F8E8M0FNU) {
    return detail::encodeE8M0(x);
  } else {
    using Layout = detail::SourceLayout<Source>;
    using Bits = typename Layout::Bits;
    constexpr int kSourceMantissa = Layout::kMantissaBits,
                  kDrop = kSourceMantissa - info.mantissaBits;
    constexpr Bits kHidden = Bits{1} << kSourceMantissa;
    constexpr Bits kInfinity = static_cast<Bits>(2 * Layout::kBias + 1)
                               << kSourceMantissa;
    constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
    Bits bits = std::bit_cast<Bits>(x);
    bool negative = (bits & kSign) != 0;
    Bits magnitude = bits & ~kSign;
    if (magnitude > kInfinity)
      return detail::nanCodeFor<F>(
          negative, static_cast<unsigned>(magnitude >> (kSourceMantissa - 10)));
    if (magnitude == kInfinity)
      return detail::overflowCode<F>(negative);
    Bits code;
    int exponent =
        static_cast<int>(magnitude >> kSourceMantissa) - Layout::kBias;
    if (exponent >= info.minExponent() || Layout::kBias == info.bias) {
      // Normal in F (or F has the source's own exponents): round the code
      // itself, so that a carry increments the exponent.
      Bits rounded = (magnitude + (Bits{1} << (kDrop - 1)) - 1 +
                      ((magnitude >> kDrop) & 1)) >>
                     kDrop;
      code = rounded - (static_cast<Bits>(Layout::kBias - info.bias)
                        << info.mantissaBits);
    } else {
      int drop = kDrop + (info.minExponent() - exponent);
      Bits significand = (magnitude & (kHidden - 1)) | kHidden;
      code = drop > kSourceMantissa + 1
                 ? 0
                 : (significand + (Bits{1} << (drop - 1)) - 1 +
                    ((significand >> drop) & 1)) >>
                       drop;
    }
    if (code > info.maxFiniteCode())
      return detail::overflowCode<F>(negative);
    if (info.nonFinite == NonFinite::NanMinusZero && code == 0)
      return 0;
    return static_cast<CodeOf<F>>(code | (negative ? info.signCode() : 0));
  }
}

/// The exact value of a code of format F (every such value is a float). A NaN
/// is returned as a quiet one.
template <FloatFormat F> constexpr float decodeFloat(CodeOf<F> code) {
  constexpr FormatInfo info = formatInfo(F);
  if constexpr (F == FloatFormat::BF16) {
    return std::bit_cast<float>(static_cast<uint32_t>(code) << 16);
  } else if constexpr (F == FloatFormat::F16) {
    // Exponent and mantissa, shifted into place, are 2^-112 times the value;
    // infinity and NaN get the top exponent.
    uint32_t sign = static_cast<uint32_t>(code & 0x8000) << 16,
             rest = static_cast<uint32_t>(code & 0x7FFF) << 13;
    float scaled = std::bit_cast<float>(rest) * 0x1p112f;
    uint32_t bits = std::bit_cast<uint32_t>(scaled) |
                    (rest >= 0x0F800000 ? 0x7F800000u : 0u);
    if (rest > 0x0F800000)
      bits = 0x7FC00000u | (rest & 0x007FFFFFu);
    return std::bit_cast<float>(bits | sign);
  } else {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInf = std::numeric_limits<float>::infinity();
    if constexpr (F == FloatFormat::F8E8M0FNU)
      return code == 0xFF ? kNan
                          : static_cast<float>(detail::powerOfTwo(
                                static_cast<int>(code) - 127));
    uint64_t magnitude =
        code & ((uint64_t{1} << (info.exponentBits + info.mantissaBits)) - 1);
    bool negative = (code & info.signCode()) != 0;
    if (info.nonFinite == NonFinite::NanMinusZero && negative && magnitude == 0)
      return kNan;
    if (magnitude > info.maxFiniteCode()) {
      float special =
          info.hasInfinity() && magnitude == info.infinityCode() ? kInf : kNan;
      return negative ? -special : special;
    }
    int exponent = static_cast<int>(magnitude >> info.mantissaBits);
    auto fraction = static_cast<double>(
        magnitude & ((uint64_t{1} << info.mantissaBits) - 1));
    constexpr double kHidden =
        static_cast<double>(uint64_t{1} << info.mantissaBits);
    double value =
        exponent == 0
            ? fraction * detail::powerOfTwo(1 - info.bias - info.mantissaBits)
            : (kHidden + fraction) *
                  detail::powerOfTwo(exponent - info.bias - info.mantissaBits);
    return static_cast<float>(negative ? -value : value);
  }
}

namespace detail {
template <FloatFormat F> constexpr std::array<float, 256> makeDecodeTable() {
  std::array<float, 256> table{};
  for (int code = 0; code < 256; ++code)
    table[code] = decodeFloat<F>(static_cast<uint8_t>(code));
  return table;
}
} // namespace detail

/// The values of all codes of a format of up to 8 bits. In f4 and f6, bits
/// above the format's width are ignored, so that every stored byte has a value.
template <FloatFormat F>
  requires(formatInfo(F).bits <= 8)
inline constexpr std::array<float, 256> kDecodeTable =
    detail::makeDecodeTable<F>();

} // namespace assay::numerics
