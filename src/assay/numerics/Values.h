/// One C++ type for each element type. Each is trivially copyable and its bytes
/// are the bytes of a stored element, so a kernel reads `tensor.data<BF16>()`
/// and computes as with a built-in type.
///
///   i1: Pred; i2 i4 ui2 ui4: Int2 Int4 UInt2 UInt4; i8 .. ui64: int8_t .. uint64_t
///   f32: float; f64: double; complex: std::complex<float|double>; f128: Quad
///   narrower floats: SoftFloat<format>, named F16 BF16 F8E4M3FN ...
///
/// Narrow floats compute + - * / in float and round once. The result is
/// correctly rounded: float has 24 >= 2p + 2 bits for p <= 11 (Figueroa, "When
/// is double rounding innocuous?", 1995), and the underflow range of bf16 is
/// safe because a sum there is exact and a product or quotient cannot be within
/// a float rounding of a tie (docs/rules.md).
#pragma once

#include "assay/numerics/FloatCoding.h"

#include <compare>
#include <complex>
#include <cstdint>
#include <type_traits>

namespace assay::numerics {

/// IEEE binary128, for the shadow of f64 only.
#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Quad;
#else
typedef long double Quad;
#endif

/// i1: one byte, 0 or 1 (any other byte reads as true).
struct Pred {
  uint8_t byte = 0;
  Pred() = default;
  constexpr Pred(bool value) : byte(value ? 1 : 0) {}
  constexpr operator bool() const { return byte != 0; }
};

/// A 2- or 4-bit integer in one byte, sign- or zero-extended. Arithmetic wraps
/// modulo 2^Bits. It converts to int, so that built-in operators work;
/// assigning the result wraps.
template <int Bits, bool Signed> struct SmallInt {
  using Byte = std::conditional_t<Signed, int8_t, uint8_t>;
  static constexpr int kBits = Bits;
  Byte byte = 0;
  SmallInt() = default;
  template <typename I>
    requires std::is_integral_v<I>
  constexpr explicit SmallInt(I value)
      : byte(wrap(static_cast<unsigned>(value))) {}
  constexpr operator int() const { return wrap(static_cast<unsigned>(byte)); }

  friend constexpr SmallInt operator+(SmallInt a, SmallInt b) {
    return SmallInt(int(a) + int(b));
  }
  friend constexpr SmallInt operator-(SmallInt a, SmallInt b) {
    return SmallInt(int(a) - int(b));
  }
  friend constexpr SmallInt operator*(SmallInt a, SmallInt b) {
    return SmallInt(int(a) * int(b));
  }
  friend constexpr SmallInt operator-(SmallInt a) { return SmallInt(-int(a)); }
  friend constexpr bool operator==(SmallInt a, SmallInt b) {
    return int(a) == int(b);
  }
  friend constexpr auto operator<=>(SmallInt a, SmallInt b) {
    return int(a) <=> int(b);
  }

private:
  static constexpr Byte wrap(unsigned value) {
    unsigned low = value & ((1u << Bits) - 1);
    if (Signed && (low >> (Bits - 1)))
      low |= ~0u << Bits;
    return static_cast<Byte>(low);
  }
};

/// A float of 16 bits or fewer. Construction from float, double and integers
/// rounds once, to nearest even.
template <FloatFormat F> struct SoftFloat {
  using Code = CodeOf<F>;
  static constexpr FloatFormat kFormat = F;
  Code code = 0;

  SoftFloat() = default;
  constexpr explicit SoftFloat(float value) : code(encodeFloat<F>(value)) {}
  constexpr explicit SoftFloat(double value) : code(encodeFloat<F>(value)) {}
  template <typename I>
    requires std::is_integral_v<I>
  constexpr explicit SoftFloat(I value)
      : code(encodeFloat<F>(toOddDouble(value))) {}
  static constexpr SoftFloat fromCode(Code code) {
    SoftFloat result;
    result.code = code;
    return result;
  }
  /// Exact conversion.
  constexpr operator float() const {
    if constexpr (sizeof(Code) == 1)
      return kDecodeTable<F>[code];
    else
      return decodeFloat<F>(code);
  }

  friend constexpr SoftFloat operator+(SoftFloat a, SoftFloat b) {
    return SoftFloat(wide(a) + wide(b));
  }
  friend constexpr SoftFloat operator-(SoftFloat a, SoftFloat b) {
    return SoftFloat(wide(a) - wide(b));
  }
  friend constexpr SoftFloat operator*(SoftFloat a, SoftFloat b) {
    return SoftFloat(wide(a) * wide(b));
  }
  friend constexpr SoftFloat operator/(SoftFloat a, SoftFloat b) {
    return SoftFloat(wide(a) / wide(b));
  }
  /// Flips the sign bit, except for the zero of FNUZ, whose code with a sign is
  /// NaN.
  friend constexpr SoftFloat operator-(SoftFloat a) {
    constexpr FormatInfo info = formatInfo(F);
    if constexpr (info.nonFinite == NonFinite::ExponentOnly)
      return SoftFloat(-wide(a));
    if (info.nonFinite == NonFinite::NanMinusZero &&
        (a.code & (info.signCode() - 1)) == 0)
      return a;
    return fromCode(static_cast<Code>(a.code ^ info.signCode()));
  }
  SoftFloat &operator+=(SoftFloat b) { return *this = *this + b; }
  SoftFloat &operator-=(SoftFloat b) { return *this = *this - b; }
  SoftFloat &operator*=(SoftFloat b) { return *this = *this * b; }
  SoftFloat &operator/=(SoftFloat b) { return *this = *this / b; }
  friend constexpr bool operator==(SoftFloat a, SoftFloat b) {
    return float(a) == float(b);
  }
  friend constexpr auto operator<=>(SoftFloat a, SoftFloat b) {
    return float(a) <=> float(b);
  }

private:
  // E8M0 products can leave the range of float in both directions; all other
  // products stay inside.
  static constexpr auto wide(SoftFloat a) {
    if constexpr (F == FloatFormat::F8E8M0FNU)
      return static_cast<double>(float(a));
    else
      return float(a);
  }
  // An integer as a double whose inexact low bits are folded into the last one
  // (round to odd), so that the next rounding to 11 bits or fewer has the
  // result of a single rounding.
  template <typename I> static constexpr double toOddDouble(I value) {
    if constexpr (sizeof(I) < 8) {
      return static_cast<double>(value);
    } else {
      bool negative = value < 0;
      uint64_t magnitude = negative ? uint64_t{0} - static_cast<uint64_t>(value)
                                    : static_cast<uint64_t>(value);
      if (magnitude >> 53)
        magnitude = ((magnitude >> 11) | ((magnitude & 0x7FF) != 0)) << 11;
      auto result = static_cast<double>(magnitude);
      return negative ? -result : result;
    }
  }
};

using Int2 = SmallInt<2, true>;
using Int4 = SmallInt<4, true>;
using UInt2 = SmallInt<2, false>;
using UInt4 = SmallInt<4, false>;
#define ASSAY_NARROW_FLOAT(format, ...)                                        \
  using format = SoftFloat<FloatFormat::format>;
#include "assay/numerics/FloatFormats.def"

/// The properties of a value type. `kKind` Float covers float, double, Quad and
/// SoftFloat; `kBits` and `kFormat` as in ElementType.
template <typename T> struct ValueTraits;
template <> struct ValueTraits<Pred> {
  static constexpr Kind kKind = Kind::Bool;
  static constexpr int kBits = 1;
  static constexpr FloatFormat kFormat = FloatFormat::None;
};
template <int Bits, bool Signed> struct ValueTraits<SmallInt<Bits, Signed>> {
  static constexpr Kind kKind = Signed ? Kind::Int : Kind::UInt;
  static constexpr int kBits = Bits;
  static constexpr FloatFormat kFormat = FloatFormat::None;
};
template <typename I>
  requires(std::is_integral_v<I> && !std::is_same_v<I, bool>)
struct ValueTraits<I> {
  static constexpr Kind kKind = std::is_signed_v<I> ? Kind::Int : Kind::UInt;
  static constexpr int kBits = 8 * sizeof(I);
  static constexpr FloatFormat kFormat = FloatFormat::None;
};
template <FloatFormat F> struct ValueTraits<SoftFloat<F>> {
  static constexpr Kind kKind = Kind::Float;
  static constexpr int kBits = formatInfo(F).bits;
  static constexpr FloatFormat kFormat = F;
};
template <> struct ValueTraits<float> {
  static constexpr Kind kKind = Kind::Float;
  static constexpr int kBits = 32;
  static constexpr FloatFormat kFormat = FloatFormat::F32;
};
template <> struct ValueTraits<double> {
  static constexpr Kind kKind = Kind::Float;
  static constexpr int kBits = 64;
  static constexpr FloatFormat kFormat = FloatFormat::F64;
};
template <> struct ValueTraits<Quad> {
  static constexpr Kind kKind = Kind::Float;
  static constexpr int kBits = 128;
  static constexpr FloatFormat kFormat = FloatFormat::F128;
};
template <typename Part> struct ValueTraits<std::complex<Part>> {
  static constexpr Kind kKind = Kind::Complex;
  static constexpr int kBits = 16 * sizeof(Part);
  static constexpr FloatFormat kFormat = ValueTraits<Part>::kFormat;
};

template <typename T> inline constexpr Kind kKindOf = ValueTraits<T>::kKind;
template <typename T>
concept BoolValue = kKindOf<T> == Kind::Bool;
template <typename T>
concept IntegerValue = kKindOf<T> == Kind::Int || kKindOf<T> == Kind::UInt;
template <typename T>
concept FloatValue = kKindOf<T> == Kind::Float;
template <typename T>
concept ComplexValue = kKindOf<T> == Kind::Complex;
template <typename T>
concept RealValue = IntegerValue<T> || FloatValue<T>;
/// A float of 16 bits or fewer.
template <typename T>
concept NarrowFloatValue = FloatValue<T> && (ValueTraits<T>::kBits <= 16);

/// The ElementType of a value type: elementTypeOf<BF16>() is bf16.
template <typename T> constexpr ElementType elementTypeOf() {
  return {ValueTraits<T>::kKind, static_cast<uint8_t>(ValueTraits<T>::kBits),
          ValueTraits<T>::kFormat, nullptr};
}

/// The built-in type in which a value is computed where one exact, wide type
/// per kind suffices: int64_t, uint64_t (integers, bool), float (narrow floats
/// and float), double, Quad.
template <typename T>
using WideOf = std::conditional_t<
    FloatValue<T>,
    std::conditional_t<
        (ValueTraits<T>::kBits <= 32), float,
        std::conditional_t<ValueTraits<T>::kBits == 64, double, Quad>>,
    std::conditional_t<kKindOf<T> == Kind::Int, int64_t, uint64_t>>;

/// The largest and smallest value of an integer or float type: infinite where
/// the format has infinities, else the largest finite value. They are the
/// neutral elements of minimum and maximum.
template <RealValue T> constexpr T highestValue() {
  using Traits = ValueTraits<T>;
  if constexpr (NarrowFloatValue<T>)
    return T::fromCode(
        static_cast<typename T::Code>(formatInfo(T::kFormat).maxFiniteCode()));
  else if constexpr (std::is_same_v<T, Quad>)
    return static_cast<Quad>(0x1p1023) * static_cast<Quad>(2.0);
  else if constexpr (FloatValue<T> || std::is_integral_v<T>)
    return std::numeric_limits<T>::max();
  else
    return T((1 << (Traits::kBits - (Traits::kKind == Kind::Int ? 1 : 0))) - 1);
}
template <RealValue T> constexpr T lowestValue() {
  using Traits = ValueTraits<T>;
  if constexpr (std::is_same_v<T, F8E8M0FNU>)
    return T::fromCode(0);
  else if constexpr (FloatValue<T>)
    return -highestValue<T>();
  else if constexpr (std::is_integral_v<T>)
    return std::numeric_limits<T>::min();
  else
    return Traits::kKind == Kind::Int ? T(-(1 << (Traits::kBits - 1))) : T(0);
}
template <FloatValue T> constexpr T infinityOrHighest() {
  if constexpr (NarrowFloatValue<T>) {
    constexpr FormatInfo info = formatInfo(T::kFormat);
    return info.hasInfinity()
               ? T::fromCode(static_cast<typename T::Code>(info.infinityCode()))
               : highestValue<T>();
  } else {
    return static_cast<T>(std::numeric_limits<double>::infinity());
  }
}
/// The canonical NaN (where the format has none, a zero, as in conversion).
template <FloatValue T> constexpr T quietNan() {
  if constexpr (NarrowFloatValue<T>)
    return T(std::numeric_limits<float>::quiet_NaN());
  else
    return static_cast<T>(std::numeric_limits<double>::quiet_NaN());
}

template <FloatValue T> constexpr bool isNan(T x) {
  if constexpr (NarrowFloatValue<T>) {
    float wide = x;
    return wide != wide;
  } else {
    return x != x;
  }
}
/// Neither infinite nor NaN.
template <FloatValue T> constexpr bool isFinite(T x) {
  WideOf<T> wide = x;
  return wide - wide == 0;
}

} // namespace assay::numerics
