/// Evaluates operations on constants with the interpreter and replaces them by
/// their results.
#pragma once

#include "assay/support/Error.h"
#include "mlir/IR/BuiltinOps.h"

namespace assay::reference {

struct FoldLimits {
  int64_t maxElements = 65536; ///< in all results of one operation
  double maxSeconds = 10;      ///< for the whole module; 0: no limit
  /// The operations that may be folded; null: all.
  bool (*folds)(mlir::Operation *) = nullptr;
  int threads = 0; ///< 0: all cores
};

struct FoldReport {
  int64_t folded = 0, tooLarge = 0, failed = 0;
  bool outOfTime = false;
};

/// Folds in place. Each constant has the bits that a run would compute and the
/// location of the operation that it replaces. Not folded are operations that
/// have side effects, draw random numbers, communicate with other processes,
/// call a function, are too large, or fail (with a remark). Only the last
/// result of a chain becomes a constant in the program.
FoldReport foldConstants(mlir::ModuleOp module, const FoldLimits &limits);

} // namespace assay::reference
