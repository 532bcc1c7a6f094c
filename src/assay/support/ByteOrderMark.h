/// Text that an editor or a spreadsheet wrote may begin with U+FEFF.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace assay {

/// The text after a byte-order mark of UTF-8, or all of it.
inline llvm::StringRef withoutByteOrderMark(llvm::StringRef text) {
  text.consume_front("\xef\xbb\xbf");
  return text;
}

} // namespace assay
