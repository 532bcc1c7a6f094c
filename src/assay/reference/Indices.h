/// Index tensors: any integer type, read as int64 (unsigned values beyond int64
/// saturate: they are out of range anyway).
#pragma once

#include "assay/tensor/Tensor.h"

namespace assay::reference {

/// Element `i` of an integer tensor (splat or dense).
int64_t indexAt(const tensor::Tensor &tensor, int64_t i);

/// All elements.
llvm::SmallVector<int64_t, 8> indicesOf(const tensor::Tensor &tensor);

} // namespace assay::reference
