/// Copies tensors between Assay's own memory, which is row-major with at least
/// one byte per element, and the memory that engines see, which has strides and
/// 2- and 4-bit elements that share bytes (numerics/SubByte.h).
#pragma once

#include "assay/support/ThreadPool.h"
#include "assay/tensor/Tensor.h"

namespace assay::reference {

/// elements[i] = physical[i . strides] for every index i of the type's shape.
void loadPhysical(const tensor::TensorType &type, const void *physical,
                  llvm::ArrayRef<int64_t> strides, void *elements,
                  ThreadPool *threads = nullptr);

/// The reverse; gaps between the elements are not changed.
void storePhysical(const tensor::TensorType &type, const void *elements,
                   void *physical, llvm::ArrayRef<int64_t> strides,
                   ThreadPool *threads = nullptr);

} // namespace assay::reference
