/// How the library's functions answer: a code, and a text where the caller has
/// room for it.
#pragma once

#include "assay/support/Error.h"

namespace assay::embed {

/// The exit code that the error has in `assay`; its text in `message`.
int fail(llvm::Error error, char *message, size_t size);

} // namespace assay::embed
