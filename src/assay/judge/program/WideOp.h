/// One operation of a program, evaluated in f64 on other data than the
/// program's: absolute values, error bounds, ones.
#pragma once

#include "assay/program/Plan.h"
#include "assay/support/ThreadPool.h"

namespace assay::judge {

class WideOp {
public:
  /// Makes a program that holds a copy of `op` with every float type widened to
  /// f64 (complex<f64>), regions too; the reference runs it. Errors:
  /// Unsupported when a region reads values from outside, or the copy is not a
  /// valid operation.
  static llvm::Expected<std::unique_ptr<WideOp>> make(mlir::Operation *op);

  /// Evaluates it. Float operands are f64 (complex<f64>), others have the
  /// operation's own types.
  llvm::Expected<std::vector<tensor::Tensor>>
  run(llvm::ArrayRef<tensor::Tensor> operands, ThreadPool &pool) const;

private:
  std::unique_ptr<program::Plan> plan_;
};

/// The operations of a program that were widened so far.
using WideOps = llvm::DenseMap<mlir::Operation *, std::unique_ptr<WideOp>>;

} // namespace assay::judge
