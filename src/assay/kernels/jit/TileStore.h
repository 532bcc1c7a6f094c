/// How a register tile reaches C: scaled, added, rounded, whole or its first columns.
#pragma once

#include "assay/kernels/jit/Emitter.h"

namespace assay::kernels {

/// Which lanes of a vector of columns are among the first `n` columns of the tile.
llvm::Value *columnMask(Emitter &emitter, llvm::Value *n, int vector);

/// Stores a tile's sums [rows][vectors of columns], of whose columns the first `n` are
/// C's, and returns from the kernel.
void storeTile(Emitter &emitter, llvm::Value *n,
               llvm::ArrayRef<llvm::Value *> sums);

} // namespace assay::kernels
