// Names of element types: StableHLO's spelling and NumPy's (with ml_dtypes).
// One row a type.
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
    {FloatFormat::F4E2M1FN, 4, "f4E2M1FN", "float4_e2m1fn"},
    {FloatFormat::F6E2M3FN, 6, "f6E2M3FN", "float6_e2m3fn"},
    {FloatFormat::F6E3M2FN, 6, "f6E3M2FN", "float6_e3m2fn"},
    {FloatFormat::F8E3M4, 8, "f8E3M4", "float8_e3m4"},
    {FloatFormat::F8E4M3, 8, "f8E4M3", "float8_e4m3"},
    {FloatFormat::F8E4M3FN, 8, "f8E4M3FN", "float8_e4m3fn"},
    {FloatFormat::F8E4M3FNUZ, 8, "f8E4M3FNUZ", "float8_e4m3fnuz"},
    {FloatFormat::F8E4M3B11FNUZ, 8, "f8E4M3B11FNUZ", "float8_e4m3b11fnuz"},
    {FloatFormat::F8E5M2, 8, "f8E5M2", "float8_e5m2"},
    {FloatFormat::F8E5M2FNUZ, 8, "f8E5M2FNUZ", "float8_e5m2fnuz"},
    {FloatFormat::F8E8M0FNU, 8, "f8E8M0FNU", "float8_e8m0fnu"},
    {FloatFormat::BF16, 16, "bf16", "bfloat16"},
    {FloatFormat::F16, 16, "f16", "float16"},
    {FloatFormat::F32, 32, "f32", "float32"},
    {FloatFormat::F64, 64, "f64", "float64"},
    {FloatFormat::F128, 128, "f128", "float128"},
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
