/// JSON from files. LLVM's parser is recursive, so a text with a hundred
/// thousand levels of nesting would overflow the stack.
#pragma once

#include "llvm/Support/JSON.h"

namespace assay {

/// The value that `text` holds. Errors: those of llvm::json::parse, with line and column;
/// InvalidArgument where it nests more than `deepest` levels.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text,
                                            int deepest = 256);

} // namespace assay
