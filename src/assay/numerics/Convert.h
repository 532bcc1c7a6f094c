/// Conversion between element types: one element (templates) and arrays
/// (run-time types). The meaning is that of StableHLO's `convert`:
///   float -> float      rounds once to nearest even (what a format lacks: FloatCoding.h)
///   float -> integer    truncates toward zero, saturates; NaN gives 0
///   integer -> integer  wraps modulo 2^bits; integer -> float rounds to nearest even
///   any -> i1           x != 0 (NaN is true; complex: either part); i1 -> any: 0 or 1
///   complex -> real     the real part
///   real -> complex     imaginary part 0
/// Source: StableHLO spec "convert"; saturation, which it leaves to the
/// implementation, as XLA and APFloat do.
#pragma once

#include "assay/numerics/Values.h"

namespace assay::numerics {

namespace detail {
// Quad has 113 bits: to 53, rounding to odd, so that a second rounding to 24
// bits or fewer is as one.
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

/// One element, with the rules above. Any pair of value types.
template <typename To, typename From> To convertElement(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (ComplexValue<From>) {
    using Part = typename From::value_type;
    if constexpr (ComplexValue<To>)
      return To(static_cast<typename To::value_type>(x.real()),
                static_cast<typename To::value_type>(x.imag()));
    else // also to i1: the imaginary part is ignored (spec, convert)
      return convertElement<To, Part>(x.real());
  } else if constexpr (ComplexValue<To>) {
    return To(convertElement<typename To::value_type>(x), 0);
  } else if constexpr (BoolValue<From>) {
    return convertElement<To, int32_t>(x ? 1 : 0);
  } else if constexpr (BoolValue<To>) {
    return Pred(static_cast<WideOf<From>>(x) != 0);
  } else if constexpr (IntegerValue<From> && IntegerValue<To>) {
    return static_cast<To>(static_cast<WideOf<From>>(x));
  } else if constexpr (IntegerValue<From>) { // to float
    return static_cast<To>(static_cast<WideOf<From>>(x));
  } else if constexpr (IntegerValue<To>) { // from float
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
/// `targetType`); all StableHLO element types and f128, each with each. The
/// arrays must not overlap (except that they may be the same when the types are
/// equal). Speed: memory-bound for equal types, f32 <-> f64 | bf16 | f16 |
/// integers of 8 to 32 bits; table look-up from 8-bit floats; about 1-3 ns elsewhere. Bits: the same on every
/// processor. Threads: re-entrant.
void convertArray(ElementType sourceType, const void *source,
                  ElementType targetType, void *target, int64_t n);

/// The typed fast paths under convertArray.
void convertF32ToBF16(const float *source, BF16 *target, int64_t n);
void convertBF16ToF32(const BF16 *source, float *target, int64_t n);
void convertF32ToF16(const float *source, F16 *target, int64_t n);
void convertF16ToF32(const F16 *source, float *target, int64_t n);

/// n elements as float (for types that float holds exactly: i1, integers up to
/// 16 bits, floats up to 32 bits) or rounded to it (others; complex: the real
/// part). Shorthand for convertArray.
inline void toFloats(ElementType type, const void *source, float *target,
                     int64_t n) {
  convertArray(type, source, ElementType::floating(FloatFormat::F32), target,
               n);
}
/// n elements as double (exact for all but 64-bit integers beyond 2^53 and
/// f128).
inline void toDoubles(ElementType type, const void *source, double *target,
                      int64_t n) {
  convertArray(type, source, ElementType::floating(FloatFormat::F64), target,
               n);
}

} // namespace assay::numerics
