/// A tensor's elements between Assay's own memory, row-major with a byte or
/// more for each, and the memory that engines see: with strides, and 2- and
/// 4-bit elements sharing bytes (numerics/SubByte.h).
#pragma once

#include "assay/support/ThreadPool.h"
#include "assay/tensor/Tensor.h"

namespace assay::reference {

/// elements[i] = physical[i . strides] for every index i of the type's shape.
void loadPhysical(const tensor::TensorType &type, const void *physical,
                  llvm::ArrayRef<int64_t> strides, void *elements,
                  ThreadPool *threads = nullptr);

/// The reverse; the gaps between the elements stay as they are.
void storePhysical(const tensor::TensorType &type, const void *elements,
                   void *physical, llvm::ArrayRef<int64_t> strides,
                   ThreadPool *threads = nullptr);

} // namespace assay::reference
