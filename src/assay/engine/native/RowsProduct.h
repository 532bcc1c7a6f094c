/// A product whose rows are computed a block at a time, all with one B.
#pragma once

#include "assay/engine/native/Steps.h"
#include "assay/kernels/PackedProduct.h"

namespace assay::engine {

/// Immutable; any thread may use it.
class RowsProduct {
public:
  /// Divides the problem into blocks of `rows` rows; the last one has the rest.
  RowsProduct(const kernels::GemmProblem &problem, int64_t rows,
              NativeContext &native);
  /// The bytes of memory that blocks read instead of B; 0: they read B itself.
  int64_t arrangedBytes() const { return arrangedBytes_; }
  /// Brings B into the order that blocks read. `to` begins on a 64-byte line.
  void arrange(const void *b, void *to, ThreadPool &threads) const;
  /// Computes a block of this many rows. `pointers.b`: the memory that
  /// arrange() wrote, or B if arrangedBytes() is 0. Errors: those of
  /// kernels::gemm.
  llvm::Error run(int64_t rows, const kernels::GemmPointers &pointers,
                  NativeContext &native, ThreadPool &threads) const;

private:
  void pack(int64_t rows, NativeContext &native);

  kernels::GemmProblem problem_; ///< of all rows and an arranged B
  kernels::Strides source_;      ///< of the original B
  /// With B in panels: the products for a whole block and for the last one.
  llvm::SmallVector<std::shared_ptr<const kernels::PackedProduct>, 2> packed_;
  int64_t arrangedBytes_ = 0;
};

} // namespace assay::engine
