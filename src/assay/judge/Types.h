/// Element types for the judge: the few that problems name, and the facts that
/// fills and bounds need. ElementType is the only type for element types
/// anywhere; here is only arithmetic on it.
#pragma once

#include "assay/numerics/SubByte.h"

namespace assay::judge {

using numerics::ElementType;

namespace types {
using numerics::FloatFormat;
using numerics::Kind;
inline constexpr ElementType F64{Kind::Float, 64, FloatFormat::F64};
inline constexpr ElementType F32{Kind::Float, 32, FloatFormat::F32};
inline constexpr ElementType BF16{Kind::Float, 16, FloatFormat::BF16};
inline constexpr ElementType F16{Kind::Float, 16, FloatFormat::F16};
inline constexpr ElementType S32{Kind::Int, 32};
inline constexpr ElementType S8{Kind::Int, 8};
inline constexpr ElementType U8{Kind::UInt, 8};
inline constexpr ElementType E8M0{Kind::Float, 8, FloatFormat::F8E8M0FNU};
/// The type of an absent tensor: no bias, a post-op without an operand.
inline constexpr ElementType None{Kind::Bool, 0};
} // namespace types

/// Bytes of one stored element; 0 for types::None. Elements of 2 and 4 bits
/// share bytes in the memory of engines (packedBytes).
inline int64_t bytesOf(ElementType type) {
  return type == types::None ? 0 : type.storageBytes();
}
/// Floats of 8 bits and fewer.
inline bool isNarrowFloat(ElementType type) {
  return type.isFloat() && type.bits <= 8;
}

inline bool isSignedType(ElementType type) {
  return type.kind != numerics::Kind::UInt;
}

/// Bits of the significand (floats, with the hidden one) or of the magnitude
/// (integers).
int digitsOf(ElementType type);

/// Half a unit in the last place of 1, as a relative error: 2^-digits. 0 for
/// integers.
double unitRoundoff(ElementType type);
/// The largest and smallest finite value.
double maxValue(ElementType type);
double minValue(ElementType type);

/// Rounds to the nearest value of the type, ties to even; integers and floats
/// without NaN saturate, other floats overflow to infinity, also those that lack
/// one. NaN becomes 0 in an integer type.
double roundTo(ElementType type, double value);

/// Whether an engine may store `got` for numbers that round to [low, high].
/// Beyond the largest number, floats of 8 bits may saturate or become the
/// format's substitute: infinity or NaN (OCP "8-bit Floating Point", 5.2).
bool mayStore(ElementType type, double low, double high, double got);

} // namespace assay::judge
