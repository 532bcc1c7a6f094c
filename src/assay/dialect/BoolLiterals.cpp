// Hexadecimal literals of i1.
//
// The number of digits tells the form: N elements have 2*N digits as bytes and
// 2*ceil(N/8) as bits, which differ for every N but 1. A text with another
// number of digits is left to the parser, which reports the error.
#include "assay/dialect/BoolLiterals.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

namespace assay {

/// The number of elements of `> : tensor<2x3xi1>` at the front of `text`;
/// nullopt if there is no such type.
static std::optional<uint64_t> countOfBoolTensor(llvm::StringRef text) {
  text = text.ltrim();
  if (!text.consume_front(">") || !(text = text.ltrim()).consume_front(":") ||
      !(text = text.ltrim()).consume_front("tensor<"))
    return std::nullopt;
  uint64_t count = 1, size = 0;
  while (!text.consume_front("i1>"))
    if (text.consumeInteger(10, size) || !text.consume_front("x") ||
        __builtin_mul_overflow(count, size, &count))
      return std::nullopt;
  return count;
}

/// Packs digits with a byte per element into one bit per element; nullopt if a
/// byte is neither 0 nor 1.
static std::optional<std::string> pack(llvm::StringRef digits) {
  llvm::SmallVector<uint8_t> bytes((digits.size() / 2 + 7) / 8, 0);
  for (size_t i = 0; i < digits.size() / 2; ++i) {
    if (digits[2 * i] != '0' ||
        (digits[2 * i + 1] != '0' && digits[2 * i + 1] != '1'))
      return std::nullopt;
    bytes[i / 8] |= (digits[2 * i + 1] - '0') << (i % 8);
  }
  return llvm::toHex(bytes);
}

std::string packBoolLiterals(llvm::StringRef text) {
  constexpr llvm::StringRef kOpening = "dense<\"0x";
  std::string packed;
  size_t copied = 0;
  for (size_t at = text.find(kOpening); at != llvm::StringRef::npos;
       at = text.find(kOpening, at + 1)) {
    size_t begin = at + kOpening.size(), end = text.find('"', begin);
    if (end == llvm::StringRef::npos)
      break;
    llvm::StringRef digits = text.slice(begin, end);
    std::optional<uint64_t> count = countOfBoolTensor(text.substr(end + 1));
    if (!count || *count < 2 || digits.size() % 2 != 0 ||
        digits.size() / 2 != *count)
      continue;
    if (std::optional<std::string> bits = pack(digits)) {
      packed += text.slice(copied, begin);
      packed += *bits;
      copied = end;
    }
  }
  return copied == 0 ? std::string() : packed + text.substr(copied).str();
}

} // namespace assay
