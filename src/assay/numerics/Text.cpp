// Prints and parses single elements: messages, tables, --print-dense, literals.
// f32 and f64 use the standard library's shortest conversion. Narrower formats
// try increasing numbers of digits until the text parses to the same code. They
// are parsed with llvm::APFloat, which rounds a decimal to any format in one
// step.
#include "assay/numerics/Text.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Dispatch.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace assay::numerics {

static const llvm::fltSemantics &semanticsOf(FloatFormat format) {
  switch (format) {
#define ASSAY_FLOAT(format, bits, exponent, mantissa, bias, nonFinite, llvms,  \
                    ...)                                                       \
  case FloatFormat::format:                                                    \
    return llvm::APFloat::llvms();
#include "assay/numerics/FloatFormats.def"
  case FloatFormat::None:
    break;
  }
  return llvm::APFloat::IEEEsingle();
}

template <typename T> static std::string shortest(T value) {
  if (value != value)
    return "nan";
  if (value - value != 0)
    return value > 0 ? "inf" : "-inf";
  char buffer[64];
  auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, result.ptr);
}

std::string printDouble(double value) { return shortest(value); }

template <NarrowFloatValue T> static std::string shortestNarrow(T value) {
  float wide = value;
  if (wide - wide != 0)
    return shortest(wide);
  if (wide == std::floor(wide) && std::fabs(wide) < 1e5f && wide != 0)
    return std::to_string(
        static_cast<int>(wide)); // 448, not 4.5e+02
  for (int digits = 1; digits < 9; ++digits) {
    char buffer[64];
    auto result = std::to_chars(buffer, buffer + sizeof(buffer), wide,
                                std::chars_format::general, digits);
    double back = 0;
    std::from_chars(buffer, result.ptr, back);
    if (T(back).code == value.code)
      return std::string(buffer, result.ptr);
  }
  return shortest(wide);
}

static std::string printQuad(Quad value) {
  llvm::APInt bits(128, llvm::ArrayRef<uint64_t>(
                            reinterpret_cast<const uint64_t *>(&value), 2));
  llvm::APFloat number(llvm::APFloat::IEEEquad(), bits);
  if (!number.isFinite())
    return number.isNaN() ? "nan" : number.isNegative() ? "-inf" : "inf";
  llvm::SmallString<64> text;
  number.toString(text, 36, 6);
  return text.str().str();
}

std::string printElement(ElementType type, const void *element) {
  return dispatch<AllTypesAndQuad>(type, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::Type;
    T value = *static_cast<const T *>(element);
    if constexpr (BoolValue<T>)
      return value ? "true" : "false";
    else if constexpr (IntegerValue<T>)
      return std::to_string(static_cast<WideOf<T>>(value));
    else if constexpr (ComplexValue<T>)
      return "(" + shortest(value.real()) + ", " + shortest(value.imag()) + ")";
    else if constexpr (std::is_same_v<T, Quad>)
      return printQuad(value);
    else if constexpr (NarrowFloatValue<T>)
      return shortestNarrow(value);
    else
      return shortest(value);
  });
}

static std::string floatLiteral(ElementType type, const void *element) {
  const llvm::fltSemantics &semantics = semanticsOf(type.format);
  uint64_t code = 0;
  std::memcpy(&code, element, static_cast<size_t>(type.storageBytes()));
  llvm::APInt bits(llvm::APFloat::getSizeInBits(semantics), code,
                   /*isSigned=*/false, /*implicitTrunc=*/true);
  llvm::APFloat value(semantics, bits);
  llvm::SmallString<64> text;
  if (value.isFinite()) {
    value.toString(text, /*FormatPrecision=*/6, /*FormatMaxPadding=*/0,
                   /*TruncateZero=*/false);
    if (llvm::APFloat(semantics, text).bitwiseIsEqual(value))
      return text.str().str();
    text.clear();
    value.toString(text);
    if (text.str().contains('.'))
      return text.str().str();
    text.clear();
  }
  bits.toString(text, 16, /*Signed=*/false, /*formatAsCLiteral=*/true);
  return text.str().str();
}

std::string printLiteral(ElementType type, const void *element) {
  if (type.isComplex()) {
    ElementType part = type.part();
    const auto *bytes = static_cast<const std::byte *>(element);
    return "(" + floatLiteral(part, bytes) + "," +
           floatLiteral(part, bytes + part.storageBytes()) + ")";
  }
  return type.isFloat() ? floatLiteral(type, element)
                        : printElement(type, element);
}

static llvm::Error badElement(ElementType type, llvm::StringRef text,
                              const char *expected) {
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' is not an element of type {1}: expected {2}", text,
                   toString(type), expected);
}

static llvm::Error parseInteger(ElementType type, llvm::StringRef text,
                                void *element) {
  llvm::APInt value;
  bool negative = false;
  llvm::StringRef digits = text;
  if (digits.consume_front("-"))
    negative = true;
  bool bad = digits.empty() || !llvm::isDigit(digits[0]) ||
             digits.getAsInteger(0, value) || value.getActiveBits() > 64;
  if (bad)
    return badElement(type, text, "an integer");
  uint64_t magnitude = value.zextOrTrunc(64).getZExtValue();
  uint64_t top =
      type.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << type.bits) - 1;
  uint64_t limit = !type.isSigned() ? (negative ? 0 : top)
                   : negative       ? top / 2 + 1
                                    : top / 2;
  if (magnitude > limit)
    return badElement(type, text, "a value in its range");
  uint64_t wrapped = negative ? uint64_t{0} - magnitude : magnitude;
  dispatch<IntegerTypes>(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    *static_cast<T *>(element) = static_cast<T>(wrapped);
  });
  return llvm::Error::success();
}

static llvm::Error parseFloat(ElementType type, llvm::StringRef text,
                              void *element) {
  const llvm::fltSemantics &semantics = semanticsOf(type.format);
  unsigned bits = llvm::APFloat::semanticsSizeInBits(semantics);
  llvm::StringRef digits = text;
  auto store = [&](const llvm::APInt &code) {
    std::memcpy(element, code.getRawData(),
                static_cast<size_t>(type.storageBytes()));
    return llvm::Error::success();
  };
  if (digits.consume_front("0x") && !digits.contains('p') &&
      !digits.contains('.')) {
    llvm::APInt code;
    if (digits.empty() || digits.getAsInteger(16, code) ||
        code.getActiveBits() > bits)
      return badElement(type, text, "bits in hexadecimal");
    return store(code.zextOrTrunc(bits));
  }
  digits = text;
  bool negative = digits.consume_front("-");
  if (!negative)
    digits.consume_front("+");
  if (digits.equals_insensitive("nan") || digits.equals_insensitive("inf") ||
      digits.equals_insensitive("infinity")) {
    double special = digits.starts_with_insensitive("n")
                         ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
    special = negative ? -special : special;
    convertArray(ElementType::floating(FloatFormat::F64), &special, type,
                 element, 1);
    return llvm::Error::success();
  }
  if (digits.empty() || !(llvm::isDigit(digits[0]) || digits[0] == '.'))
    return badElement(type, text, "a number");
  // Parse as f64 first, because APFloat does not overflow formats without
  // infinity in the way that conversion does.
  double near = 0;
  llvm::APFloat wide(llvm::APFloat::IEEEdouble());
  llvm::Expected<llvm::APFloat::opStatus> wideStatus =
      wide.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (!wideStatus) {
    llvm::consumeError(wideStatus.takeError());
    return badElement(type, text, "a number");
  }
  near = wide.convertToDouble();
  bool inRange = type.format == FloatFormat::F128 ||
                 std::fabs(near) < maxFinite(type.format);
  if (!inRange || near == 0 || type.format == FloatFormat::F8E8M0FNU) {
    convertArray(ElementType::floating(FloatFormat::F64), &near, type, element,
                 1);
    return llvm::Error::success();
  }
  llvm::APFloat number(semantics);
  llvm::cantFail(
      number.convertFromString(text, llvm::APFloat::rmNearestTiesToEven));
  return store(number.bitcastToAPInt());
}

llvm::Error parseElement(ElementType type, llvm::StringRef text,
                         void *element) {
  text = text.trim();
  switch (type.kind) {
  case Kind::Bool: {
    if (text != "true" && text != "false" && text != "1" && text != "0")
      return badElement(type, text, "true or false");
    *static_cast<uint8_t *>(element) = text == "true" || text == "1";
    return llvm::Error::success();
  }
  case Kind::Int:
  case Kind::UInt:
    return parseInteger(type, text, element);
  case Kind::Float:
    return parseFloat(type, text, element);
  case Kind::Complex:
    break;
  }
  ElementType part = type.part();
  llvm::StringRef inside = text;
  auto *bytes = static_cast<std::byte *>(element);
  double zero = 0;
  convertArray(ElementType::floating(FloatFormat::F64), &zero, part,
               bytes + part.storageBytes(), 1);
  if (!inside.consume_front("(") || !inside.consume_back(")"))
    return parseFloat(part, text, bytes);
  auto [re, im] = inside.split(',');
  if (llvm::Error error = parseFloat(part, re.trim(), bytes))
    return error;
  return parseFloat(part, im.trim(), bytes + part.storageBytes());
}

std::string printIndex(int64_t flatIndex, llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 6> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = shape[d] > 0 ? flatIndex % shape[d] : 0;
    flatIndex = shape[d] > 0 ? flatIndex / shape[d] : flatIndex;
  }
  std::string text = "[";
  for (size_t d = 0; d < index.size(); ++d)
    text += (d ? ", " : "") + std::to_string(index[d]);
  return text + "]";
}

} // namespace assay::numerics
