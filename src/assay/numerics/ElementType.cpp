// Names of element types: StableHLO's spelling and NumPy's (with ml_dtypes).
#include "assay/numerics/Quantization.h"

namespace assay::numerics {

namespace {
struct FloatRow {
  FloatFormat format;
  uint8_t bits;
  const char *mlir;
  const char *numpy;
};
} // namespace

static constexpr FloatRow kFloats[] = {
#define ASSAY_FLOAT(format, bits, exponent, mantissa, bias, nonFinite, llvm,   \
                    mlir, spelling, numpy)                                     \
  {FloatFormat::format, bits, spelling, numpy},
#include "assay/numerics/FloatFormats.def"
};

static const FloatRow &rowOf(FloatFormat format) {
  for (const FloatRow &row : kFloats)
    if (row.format == format)
      return row;
  return kFloats[0];
}

ElementType ElementType::floating(FloatFormat format) {
  return {Kind::Float, rowOf(format).bits, format, nullptr};
}

ElementType ElementType::complex(FloatFormat part) {
  return {Kind::Complex, static_cast<uint16_t>(2 * rowOf(part).bits), part,
          nullptr};
}

ElementType ElementType::part() const {
  return isComplex() ? floating(format) : *this;
}

std::string toString(ElementType type) {
  if (type.quantization)
    return type.quantization->text;
  switch (type.kind) {
  case Kind::Bool:
    return "i1";
  case Kind::Int:
    return "i" + std::to_string(type.bits);
  case Kind::UInt:
    return "ui" + std::to_string(type.bits);
  case Kind::Float:
    return rowOf(type.format).mlir;
  case Kind::Complex:
    return std::string("complex<") + rowOf(type.format).mlir + ">";
  }
  return "?";
}

static std::optional<int> integerBits(llvm::StringRef digits) {
  int bits;
  if (digits.getAsInteger(10, bits))
    return std::nullopt;
  for (int known : {2, 4, 8, 16, 32, 64})
    if (bits == known)
      return bits;
  return std::nullopt;
}

std::optional<ElementType> parseElementType(llvm::StringRef text) {
  if (text == "i1")
    return ElementType::boolean();
  for (const FloatRow &row : kFloats)
    if (text == row.mlir)
      return ElementType::floating(row.format);
  if (text.consume_front("complex<") && text.consume_back(">")) {
    std::optional<ElementType> part = parseElementType(text);
    if (part && part->isFloat())
      return ElementType::complex(part->format);
    return std::nullopt;
  }
  bool isUnsigned = text.consume_front("ui");
  if (!isUnsigned && !text.consume_front("si") && !text.consume_front("i"))
    return std::nullopt;
  std::optional<int> bits = integerBits(text);
  if (!bits)
    return std::nullopt;
  return isUnsigned ? ElementType::unsignedInteger(*bits)
                    : ElementType::integer(*bits);
}

std::string numpyName(ElementType type) {
  switch (type.kind) {
  case Kind::Bool:
    return "bool";
  case Kind::Int:
    return "int" + std::to_string(type.bits);
  case Kind::UInt:
    return "uint" + std::to_string(type.bits);
  case Kind::Float:
    return rowOf(type.format).numpy;
  case Kind::Complex:
    return "complex" + std::to_string(type.bits);
  }
  return "?";
}

std::optional<ElementType> elementTypeFromNumpyName(llvm::StringRef name) {
  if (name == "bool")
    return ElementType::boolean();
  for (const FloatRow &row : kFloats)
    if (name == row.numpy)
      return ElementType::floating(row.format);
  if (name == "complex64")
    return ElementType::complex(FloatFormat::F32);
  if (name == "complex128")
    return ElementType::complex(FloatFormat::F64);
  bool isUnsigned = name.consume_front("uint");
  if (!isUnsigned && !name.consume_front("int"))
    return std::nullopt;
  std::optional<int> bits = integerBits(name);
  if (!bits)
    return std::nullopt;
  return isUnsigned ? ElementType::unsignedInteger(*bits)
                    : ElementType::integer(*bits);
}

} // namespace assay::numerics
