/// How a register tile is stored to C: scaled, added, rounded, whole or its
/// first columns.
#pragma once

#include "assay/kernels/jit/Emitter.h"

namespace assay::kernels {

/// Which lanes of a vector of columns are among the first `n` columns of the tile.
llvm::Value *columnMask(Emitter &emitter, llvm::Value *n, int vector);

/// Stores a tile's sums [rows][vectors of columns], of which the first `n`
/// columns belong to C, and returns from the kernel.
void storeTile(Emitter &emitter, llvm::Value *n,
               llvm::ArrayRef<llvm::Value *> sums);

} // namespace assay::kernels
