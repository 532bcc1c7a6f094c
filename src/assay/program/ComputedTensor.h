/// Tensors computed from a formula, such as fills and random arguments.
#pragma once

#include "assay/numerics/Convert.h"
#include "assay/support/ThreadPool.h"
#include "assay/tensor/Tensor.h"

namespace assay::program {

/// A dense tensor whose elements are `make(i)` for i from 0. They are computed
/// in the wide type `from`, whose values are Wide (`perElement` values for each
/// element: 2 for complex numbers), and converted to the tensor's type. Large
/// tensors are computed on all cores, so `make` must depend on nothing but i.
/// Extra memory: one block per thread. Errors: those of Tensor::allocate.
template <typename Wide, typename Make>
llvm::Expected<tensor::Tensor> computedTensor(const tensor::TensorType &type,
                                              numerics::ElementType from,
                                              int64_t perElement, Make make) {
  llvm::Expected<tensor::Tensor> result = tensor::Tensor::allocate(type);
  if (!result)
    return result;
  constexpr int64_t kBlock = 4096;
  std::byte *out = result->mutableBytes();
  auto compute = [&](int64_t begin, int64_t end) {
    std::vector<Wide> values(static_cast<size_t>(kBlock * perElement));
    for (int64_t first = begin; first < end; first += kBlock) {
      int64_t count = std::min(kBlock, end - first);
      for (int64_t i = 0; i < count * perElement; ++i)
        values[static_cast<size_t>(i)] =
            make(static_cast<uint64_t>(first * perElement + i));
      numerics::convertArray(from, values.data(), type.element,
                             out + first * type.element.storageBytes(), count);
    }
  };
  constexpr int64_t kWorthThreads = 1 << 16;
  if (result->size() < kWorthThreads)
    compute(0, result->size());
  else
    ThreadPool().parallelFor(result->size(), kBlock, compute);
  return result;
}

} // namespace assay::program
