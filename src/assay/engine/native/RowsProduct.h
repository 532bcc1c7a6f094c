/// A product whose rows are computed a block at a time, all with one B.
#pragma once

#include "assay/engine/native/Steps.h"
#include "assay/kernels/PackedProduct.h"

namespace assay::engine {

/// Immutable; any thread may use it.
class RowsProduct {
public:
  /// Blocks of `rows` rows of the problem; the last one has the rest.
  RowsProduct(const kernels::GemmProblem &problem, int64_t rows,
              NativeContext &native);
  /// Memory that blocks read instead of B; 0: they read B itself.
  int64_t arrangedBytes() const { return arrangedBytes_; }
  /// Brings B into the order that blocks read. `to` begins on a 64-byte line.
  void arrange(const void *b, void *to, ThreadPool &threads) const;
  /// A block of this many rows; `pointers.b`: what arrange() wrote, or B where that
  /// is nothing. Errors: those of kernels::gemm.
  llvm::Error run(int64_t rows, const kernels::GemmPointers &pointers,
                  NativeContext &native, ThreadPool &threads) const;

private:
  void pack(int64_t rows, NativeContext &native);

  kernels::GemmProblem problem_; ///< of all rows and an arranged B
  kernels::Strides source_;      ///< of B before that
  /// With B in panels: for a whole block and for the last one.
  llvm::SmallVector<std::shared_ptr<const kernels::PackedProduct>, 2> packed_;
  int64_t arrangedBytes_ = 0;
};

} // namespace assay::engine
