// Escapes control characters. U+0080 to U+009F, which terminals also obey, are
// the bytes C2 80 to C2 9F in UTF-8, so two bytes are examined together.
#include "assay/support/Printable.h"
#include "llvm/ADT/StringExtras.h"

namespace assay {

static bool isC1(llvm::StringRef text, size_t at) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  return at + 1 < text.size() && byte(at) == 0xC2 && byte(at + 1) >= 0x80 &&
         byte(at + 1) <= 0x9F;
}

static void escape(std::string &out, uint8_t byte) {
  out += "\\x";
  out += llvm::hexdigit(byte >> 4, true);
  out += llvm::hexdigit(byte & 15, true);
}

std::string printable(llvm::StringRef text, bool linesKept) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<uint8_t>(text[i]);
    bool kept = linesKept && (byte == '\n' || byte == '\t');
    if (isC1(text, i))
      escape(out, static_cast<uint8_t>(text[++i]));
    else if ((byte < 0x20 || byte == 0x7F) && !kept)
      escape(out, byte);
    else
      out += text[i];
  }
  return out;
}

void PrintableStream::write_impl(const char *text, size_t size) {
  out_ << printable(llvm::StringRef(text, size), true);
}

} // namespace assay
