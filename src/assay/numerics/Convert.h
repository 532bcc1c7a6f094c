/// Conversion between element types: one element (templates) and arrays
/// (run-time types). The meaning is that of StableHLO's `convert`:
///   float -> float      rounds once to nearest even (values that a format lacks: FloatCoding.h)
///   float -> integer    truncates toward zero, saturates; NaN becomes 0
///   integer -> integer  wraps modulo 2^bits; integer -> float rounds to nearest even
///   any -> i1           x != 0 (NaN is true; complex: either part); i1 -> any: 0 or 1
///   complex -> real     the real part
///   real -> complex     imaginary part 0
/// Source: StableHLO spec "convert"; saturation, which it leaves to the
/// implementation, follows XLA and APFloat.
#pragma once

#include "assay/numerics/Values.h"

namespace assay::numerics {

namespace detail {
// Rounds the 113 bits of Quad to 53 bits, to odd, so that a second rounding to
// 24 bits or fewer has the result of a single one.
inline double quadToOddDouble(Quad x) {
  auto near = static_cast<double>(x);
  auto back = static_cast<Quad>(near);
  if (back == x || near != near || near - near != 0)
    return near;
  auto bits = std::bit_cast<uint64_t>(near);
  if (bits & 1)
    return near;
  bool nearIsLarger = near < 0 || (near == 0 && x < 0) ? back < x : back > x;
  return std::bit_cast<double>(nearIsLarger ? bits - 1 : bits + 1);
}

template <typename To, typename Wide> To floatToInteger(Wide x) {
  constexpr int kValueBits =
      ValueTraits<To>::kBits - (kKindOf<To> == Kind::Int ? 1 : 0);
  constexpr Wide kLimit = static_cast<Wide>(uint64_t{1} << (kValueBits - 1)) *
                          2; // first value above the range
  if (x != x)
    return To(0);
  if (x >= kLimit)
    return highestValue<To>();
  if constexpr (kKindOf<To> == Kind::Int) {
    if (x <= -kLimit)
      return lowestValue<To>();
    return static_cast<To>(static_cast<int64_t>(x));
  } else {
    return x <= 0 ? To(0) : static_cast<To>(static_cast<uint64_t>(x));
  }
}
} // namespace detail

/// Converts one element by the rules above, between any two value types.
template <typename To, typename From> To convertElement(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (ComplexValue<From>) {
    using Part = typename From::value_type;
    if constexpr (ComplexValue<To>)
      return To(static_cast<typename To::value_type>(x.real()),
                static_cast<typename To::value_type>(x.imag()));
    else // also for i1: the imaginary part is ignored (spec, convert)
      return convertElement<To, Part>(x.real());
  } else if constexpr (ComplexValue<To>) {
    return To(convertElement<typename To::value_type>(x), 0);
  } else if constexpr (BoolValue<From>) {
    return convertElement<To, int32_t>(x ? 1 : 0);
  } else if constexpr (BoolValue<To>) {
    return Pred(static_cast<WideOf<From>>(x) != 0);
  } else if constexpr (IntegerValue<From> && IntegerValue<To>) {
    return static_cast<To>(static_cast<WideOf<From>>(x));
  } else if constexpr (IntegerValue<From>) { // integer to float
    return static_cast<To>(static_cast<WideOf<From>>(x));
  } else if constexpr (IntegerValue<To>) { // float to integer
    return detail::floatToInteger<To>(static_cast<WideOf<From>>(x));
  } else if constexpr (std::is_same_v<From, Quad>) {
    if constexpr (NarrowFloatValue<To>)
      return To(detail::quadToOddDouble(x));
    else
      return static_cast<To>(x);
  } else {
    return static_cast<To>(static_cast<WideOf<From>>(x));
  }
}

/// Converts n elements from `source` (of `sourceType`) to `target` (of
/// `targetType`), between any two StableHLO element types and f128. The arrays
/// must not overlap (they may be the same when the types are equal). Speed:
/// memory-bound for equal types and between f32 and f64, bf16, f16 or integers
/// of 8 to 32 bits; table look-up from 8-bit floats; about 1-3 ns per element
/// elsewhere. Bits: the same on every processor. Threads: re-entrant.
void convertArray(ElementType sourceType, const void *source,
                  ElementType targetType, void *target, int64_t n);

/// The typed fast paths under convertArray.
void convertF32ToBF16(const float *source, BF16 *target, int64_t n);
void convertBF16ToF32(const BF16 *source, float *target, int64_t n);
void convertF32ToF16(const float *source, F16 *target, int64_t n);
void convertF16ToF32(const F16 *source, float *target, int64_t n);

/// Converts n elements to float: exact for i1, integers up to 16 bits and
/// floats up to 32 bits, else rounded (complex: the real part). Shorthand for
/// convertArray.
inline void toFloats(ElementType type, const void *source, float *target,
                     int64_t n) {
  convertArray(type, source, ElementType::floating(FloatFormat::F32), target,
               n);
}
/// Converts n elements to double: exact except for 64-bit integers beyond 2^53
/// and f128.
inline void toDoubles(ElementType type, const void *source, double *target,
                      int64_t n) {
  convertArray(type, source, ElementType::floating(FloatFormat::F64), target,
               n);
}

} // namespace assay::numerics
