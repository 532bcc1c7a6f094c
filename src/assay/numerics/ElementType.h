/// The type of a tensor's elements: kind, width, float format, and parameters
/// if it is quantised. It is a value, not an enum: new formats are table rows
/// instead of cases. Storage: row-major, native-endian, with a whole byte for
/// every element narrower than a byte (i1, 2- and 4-bit integers, f4, f6).
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace assay::numerics {

enum class Kind : uint8_t { Bool, Int, UInt, Float, Complex };

/// The 15 float formats of the StableHLO specification, and F128 (IEEE
/// binary128), which only the shadow of f64 uses.
enum class FloatFormat : uint8_t {
  None,
  F4E2M1FN,
  F6E2M3FN,
  F6E3M2FN,
  F8E3M4,
  F8E4M3,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E4M3B11FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  F8E8M0FNU,
  BF16,
  F16,
  F32,
  F64,
  F128,
};

struct QuantizationParameters; // per tensor or per axis scales and zero points;
                               // interned by the program that owns them

struct ElementType {
  Kind kind = Kind::Bool;
  uint16_t bits =
      1; ///< logical width: up to 128; complex: both parts, up to 256
  FloatFormat format =
      FloatFormat::None; ///< format of a float, or of each part of a complex
  const QuantizationParameters *quantization = nullptr;

  friend bool operator==(const ElementType &, const ElementType &) = default;

  bool isBool() const { return kind == Kind::Bool; }
  bool isInteger() const { return kind == Kind::Int || kind == Kind::UInt; }
  bool isSigned() const { return kind == Kind::Int; }
  bool isFloat() const { return kind == Kind::Float; }
  bool isComplex() const { return kind == Kind::Complex; }
  /// Bytes of one stored element (complex: both parts).
  int64_t storageBytes() const { return bits < 8 ? 1 : bits / 8; }
  /// The type of a complex number's parts; for other types the type itself.
  ElementType part() const;

  static ElementType boolean() {
    return {Kind::Bool, 1, FloatFormat::None, nullptr};
  }
  static ElementType integer(int bits) {
    return {Kind::Int, static_cast<uint16_t>(bits), FloatFormat::None, nullptr};
  }
  static ElementType unsignedInteger(int bits) {
    return {Kind::UInt, static_cast<uint16_t>(bits), FloatFormat::None,
            nullptr};
  }
  static ElementType floating(FloatFormat format);
  static ElementType complex(FloatFormat part);
};

/// StableHLO's name: i1 i8 ui8 f32 bf16 f8E4M3FN complex<f32>.
std::string toString(ElementType type);
/// The reverse of toString; nullopt for any other text.
std::optional<ElementType> parseElementType(llvm::StringRef text);

/// The name in NumPy and ml_dtypes: bool int8 uint8 float32 bfloat16
/// float8_e4m3fn complex64 int4; and the reverse.
std::string numpyName(ElementType type);
std::optional<ElementType> elementTypeFromNumpyName(llvm::StringRef name);

} // namespace assay::numerics
