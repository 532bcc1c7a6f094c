/// Pieces of work that need their own memory.
#pragma once

#include "assay/engine/native/Steps.h"

namespace assay::engine {

/// Calls body(piece, memory) for pieces [0, count) on all threads. Each call
/// has its own `bytes` bytes, which begin on a 64-byte line and have undefined
/// content.
/// Errors: those of the allocation, and of every piece.
llvm::Error forEachPiece(
    StepContext &context, int64_t count, int64_t bytes,
    llvm::function_ref<llvm::Error(int64_t piece, std::byte *memory)> body);

/// The same for long pieces: a thread takes one at a time, so that the last
/// ones are also divided among the threads.
llvm::Error forEachLongPiece(
    StepContext &context, int64_t count, int64_t bytes,
    llvm::function_ref<llvm::Error(int64_t piece, std::byte *memory)> body);

/// How many of the `rows` rows of a product, of `rowBytes` bytes each, pass
/// through the following steps together: the second-level cache holds them,
/// each thread gets some, and they are enough to justify reading the other
/// operand.
int64_t rowsOfAPiece(int64_t rows, int64_t rowBytes, int threads,
                     const kernels::Caches &caches);

} // namespace assay::engine
