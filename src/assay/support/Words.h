/// Helpers for messages and for readers of text.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace assay {

/// "1 argument", "2 arguments".
inline std::string counted(uint64_t n, llvm::StringRef noun) {
  return std::to_string(n) + " " + noun.str() + (n == 1 ? "" : "s");
}

} // namespace assay
