/// How the library's functions return errors: a code, and a text if the caller
/// provides a buffer.
#pragma once

#include "assay/support/Error.h"

namespace assay::embed {

/// Returns the exit code that `assay` would have for the error, and writes its
/// text to `message`.
int fail(llvm::Error error, char *message, size_t size);

} // namespace assay::embed
