/// Hexadecimal literals of i1: MLIR 22 reads one bit per element, but other
/// programs write one byte.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace assay {

/// Rewrites `dense<"0x0100..."> : tensor<Nxi1>` with one byte, 00 or 01, per
/// element to one bit per element, lowest bit first. Other text is copied.
/// Returns an empty string if there is nothing to rewrite.
std::string packBoolLiterals(llvm::StringRef text);

} // namespace assay
