/// The size of a tensor's elements in memory and in files.
#pragma once

#include "assay/tensor/Tensor.h"

namespace assay::tensor {

/// Checked elementCount * storageBytes. Errors: ResourceLimit.
llvm::Expected<int64_t> byteCount(const TensorType &type);

} // namespace assay::tensor
