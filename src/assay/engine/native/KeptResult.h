/// A result computed from operands that are the same tensors in each run,
/// cached together with them.
#pragma once

#include "assay/tensor/Tensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <mutex>
#include <optional>

namespace assay::engine {

/// Tensors are recognised by their buffers: a tensor is immutable while anyone
/// else holds it, and this object holds them. Threads: any; one thread makes
/// the result, the others wait.
template <typename T> class KeptResult {
public:
  /// The last call's result if `operands` are the same and `fits(kept)`;
  /// otherwise the result of `make()`, an llvm::Expected<T>. A failure is not
  /// cached.
  template <typename Make, typename Fits>
  llvm::Expected<T> get(llvm::ArrayRef<tensor::Tensor> operands, Make make,
                        Fits fits) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (kept_ && isOf(operands) && fits(*kept_))
      return *kept_;
    kept_.reset();
    operands_.clear();
    llvm::Expected<T> made = make();
    if (!made)
      return made;
    operands_.append(operands.begin(), operands.end());
    kept_ = *made;
    return made;
  }
  template <typename Make>
  llvm::Expected<T> get(llvm::ArrayRef<tensor::Tensor> operands, Make make) {
    return get(operands, std::move(make), [](const T &) { return true; });
  }

private:
  bool isOf(llvm::ArrayRef<tensor::Tensor> operands) const {
    return llvm::equal(operands, operands_,
                       [](const tensor::Tensor &a, const tensor::Tensor &b) {
                         return a.buffer() == b.buffer();
                       });
  }

  std::mutex mutex_; // guards the members below
  llvm::SmallVector<tensor::Tensor, 3> operands_;
  std::optional<T> kept_;
};

} // namespace assay::engine
