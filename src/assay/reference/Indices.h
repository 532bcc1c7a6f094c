/// Index tensors of any integer type, read as int64. Unsigned values beyond
/// int64 saturate, which is harmless because they are out of range.
#pragma once

#include "assay/program/Step.h"
#include "assay/tensor/Tensor.h"

namespace assay::reference {

/// Element `i` of an integer tensor (splat or dense).
int64_t indexAt(const tensor::Tensor &tensor, int64_t i);

/// All elements.
llvm::SmallVector<int64_t, 8> indicesOf(const tensor::Tensor &tensor);

/// Checks that vectors of indices are sorted, as a program promises.
class SortedPromise {
public:
  explicit SortedPromise(bool made) : made_(made) {}
  /// Adds the next vector; vectors are compared from their first number on.
  void see(llvm::ArrayRef<int64_t> start);
  bool isBroken() const { return broken_; }

private:
  bool made_, broken_ = false;
  llvm::SmallVector<int64_t, 6> last_;
};

/// Adds a note that a promise of the operation (unique_indices,
/// indices_are_sorted) is broken, once per place in the program.
void noteBrokenPromise(program::StepContext &context, llvm::StringRef promise,
                       llvm::StringRef how);

} // namespace assay::reference
