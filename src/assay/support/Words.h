/// Small things that messages and readers of text share.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace assay {

/// "1 argument", "2 arguments".
inline std::string counted(uint64_t n, llvm::StringRef noun) {
  return std::to_string(n) + " " + noun.str() + (n == 1 ? "" : "s");
}

/// The text behind UTF-8's byte-order mark, which some editors write.
inline llvm::StringRef withoutByteOrderMark(llvm::StringRef text) {
  text.consume_front("\xEF\xBB\xBF");
  return text;
}

} // namespace assay
