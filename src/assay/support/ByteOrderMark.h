/// Skips the U+FEFF with which an editor or a spreadsheet may begin a text.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace assay {

/// The text without the UTF-8 byte-order mark that it may begin with.
inline llvm::StringRef withoutByteOrderMark(llvm::StringRef text) {
  text.consume_front("\xef\xbb\xbf");
  return text;
}

} // namespace assay
