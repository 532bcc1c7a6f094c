/// Pieces of work that need memory of their own.
#pragma once

#include "assay/engine/native/Steps.h"

namespace assay::engine {

/// Calls body(piece, memory) for pieces [0, count) on all threads; each call has
/// `bytes` that begin on a 64-byte line, with undefined content, to itself.
/// Errors: those of the allocation, and of every piece.
llvm::Error forEachPiece(
    StepContext &context, int64_t count, int64_t bytes,
    llvm::function_ref<llvm::Error(int64_t piece, std::byte *memory)> body);

/// The same for long pieces: a thread takes one at a time, so that the last ones
/// are shared out too.
llvm::Error forEachLongPiece(
    StepContext &context, int64_t count, int64_t bytes,
    llvm::function_ref<llvm::Error(int64_t piece, std::byte *memory)> body);

/// How many of `rows` rows of a product, `rowBytes` each, go through the
/// following steps together: the second-level cache holds them, each thread has some, and
/// they are enough to justify reading the other operand.
int64_t rowsOfAPiece(int64_t rows, int64_t rowBytes, int threads,
                     const kernels::Caches &caches);

} // namespace assay::engine
