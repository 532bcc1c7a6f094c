/// Distances in units of the last place, measured in a tensor's own element
/// type.
///
/// A format's numbers are mapped in order to consecutive integers
/// (`orderedInteger`: the code without its sign bit, negated for negative
/// numbers, so that +0 and -0 are both 0). The distance of two numbers is the
/// difference of their integers, that is the number of steps from neighbour to
/// neighbour. NaN and NaN: 0. Equal infinities: 0. Any other pair with a
/// non-finite member: kUlpMax. Integers and i1: |a - b|. Complex: the larger of
/// the two parts' distances.
/// Source: StableHLO's check.expect_close, which has the same rules.
#pragma once

#include "assay/numerics/Values.h"

#include <algorithm>
#include <cmath>

namespace assay::numerics {

inline constexpr uint64_t kUlpMax = ~uint64_t{0};

/// The code of a float as an unsigned integer of its own width.
template <FloatValue T> constexpr auto codeOf(T x) {
  if constexpr (NarrowFloatValue<T>)
    return x.code;
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(x);
  else
    return std::bit_cast<uint64_t>(x);
}

/// The position of a number among all numbers of the format; monotonic, 0 for
/// both zeros. Meaningless for NaN. Not for f128.
template <FloatValue T> constexpr int64_t orderedInteger(T x) {
  constexpr FormatInfo info = formatInfo(ValueTraits<T>::kFormat);
  constexpr uint64_t kMagnitude =
      info.hasSign() ? info.signCode() - 1 : ~uint64_t{0};
  auto code = static_cast<uint64_t>(codeOf(x));
  auto magnitude = static_cast<int64_t>(code & kMagnitude);
  return (code & info.signCode()) != 0 ? -magnitude : magnitude;
}

/// The reverse: the number at a position (zero is returned as +0).
template <FloatValue T> constexpr T fromOrderedInteger(int64_t position) {
  constexpr FormatInfo info = formatInfo(ValueTraits<T>::kFormat);
  uint64_t code = position < 0
                      ? (static_cast<uint64_t>(-position) | info.signCode())
                      : static_cast<uint64_t>(position);
  if constexpr (NarrowFloatValue<T>)
    return T::fromCode(static_cast<typename T::Code>(code));
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<uint32_t>(code));
  else
    return std::bit_cast<double>(code);
}

/// The distance defined above.
template <typename T> constexpr uint64_t ulpDistance(T a, T b) {
  if constexpr (ComplexValue<T>) {
    return std::max(ulpDistance(a.real(), b.real()),
                    ulpDistance(a.imag(), b.imag()));
  } else if constexpr (FloatValue<T>) {
    bool finite = isFinite(a) && isFinite(b);
    if (!finite)
      return (isNan(a) && isNan(b)) || a == b ? 0 : kUlpMax;
    int64_t x = orderedInteger(a), y = orderedInteger(b);
    return x > y ? static_cast<uint64_t>(x) - static_cast<uint64_t>(y)
                 : static_cast<uint64_t>(y) - static_cast<uint64_t>(x);
  } else if constexpr (BoolValue<T>) {
    return bool(a) != bool(b);
  } else {
    auto x = static_cast<WideOf<T>>(a), y = static_cast<WideOf<T>>(b);
    return x > y ? static_cast<uint64_t>(x) - static_cast<uint64_t>(y)
                 : static_cast<uint64_t>(y) - static_cast<uint64_t>(x);
  }
}

/// The distance of the elements at `a` and `b`, by run-time type.
uint64_t ulpDistance(ElementType type, const void *a, const void *b);

/// The spacing of a format's numbers around x: 2^(floor(log2 |x|) -
/// mantissaBits), not below the smallest positive number; beyond the largest
/// finite number, and for infinities, the spacing in the top binade; NaN for
/// NaN. Any format of up to 64 bits.
double ulpOf(double x, FloatFormat format);

/// |got - exact| / ulpOf(exact): the error in ULP of a result whose true value
/// is known more precisely than the format can represent. Equal infinities and
/// two NaN: 0; any other non-finite pair: infinity.
double ulpError(double got, double exact, FloatFormat format);

/// The smallest number of the format above x, and the largest below. Infinity
/// and NaN are returned unchanged; for f64 and narrower formats.
template <FloatValue T> constexpr T nextUp(T x) {
  constexpr FormatInfo info = formatInfo(ValueTraits<T>::kFormat);
  int64_t position = orderedInteger(x);
  int64_t top =
      static_cast<int64_t>(info.maxFiniteCode()) + (info.hasInfinity() ? 1 : 0);
  return isNan(x) || position >= top ? x : fromOrderedInteger<T>(position + 1);
}
template <FloatValue T> constexpr T nextDown(T x) {
  constexpr FormatInfo info = formatInfo(ValueTraits<T>::kFormat);
  int64_t position = orderedInteger(x);
  int64_t top =
      static_cast<int64_t>(info.maxFiniteCode()) + (info.hasInfinity() ? 1 : 0);
  int64_t bottom = info.hasSign() ? -top : 0;
  return isNan(x) || position <= bottom ? x
                                        : fromOrderedInteger<T>(position - 1);
}

} // namespace assay::numerics
