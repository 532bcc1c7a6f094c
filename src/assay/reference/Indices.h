/// Index tensors: any integer type, read as int64 (unsigned values beyond int64
/// saturate: they are out of range anyway).
#pragma once

#include "assay/program/Step.h"
#include "assay/tensor/Tensor.h"

namespace assay::reference {

/// Element `i` of an integer tensor (splat or dense).
int64_t indexAt(const tensor::Tensor &tensor, int64_t i);

/// All elements.
llvm::SmallVector<int64_t, 8> indicesOf(const tensor::Tensor &tensor);

/// Vectors of indices that a program promises to be sorted.
class SortedPromise {
public:
  explicit SortedPromise(bool made) : made_(made) {}
  /// The next one; vectors are compared from their first number on.
  void see(llvm::ArrayRef<int64_t> start);
  bool isBroken() const { return broken_; }

private:
  bool made_, broken_ = false;
  llvm::SmallVector<int64_t, 6> last_;
};

/// Notes that a promise of the operation (unique_indices, indices_are_sorted)
/// is not kept, once a place.
void noteBrokenPromise(program::StepContext &context, llvm::StringRef promise,
                       llvm::StringRef how);

} // namespace assay::reference
