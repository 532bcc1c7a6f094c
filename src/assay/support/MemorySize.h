/// How much memory there is, and sizes as users write them.
#pragma once

#include "assay/support/Error.h"

namespace assay {

/// The memory of the machine.
int64_t machineMemoryBytes();
/// The memory that programs can use now, including caches of files that can be
/// dropped.
int64_t availableMemoryBytes();
/// The limit where --max-memory is not given: 80 % of the machine's memory.
int64_t defaultMemoryBytes();
/// "500M", "1.5g", "8GiB", "4096": bytes; K, M, G and T are powers of 1024.
/// Errors: InvalidArgument
llvm::Expected<int64_t> parseSize(llvm::StringRef text);

} // namespace assay
