/// Operations on constants, evaluated by the interpreter and replaced by their
/// results.
#pragma once

#include "assay/support/Error.h"
#include "mlir/IR/BuiltinOps.h"

namespace assay::reference {

struct FoldLimits {
  int64_t maxElements = 65536; ///< of all results of one operation
  double maxSeconds = 10;      ///< of the whole module; 0: none
  /// The operations that may be folded; null: all.
  bool (*folds)(mlir::Operation *) = nullptr;
  int threads = 0; ///< 0: all cores
};

struct FoldReport {
  int64_t folded = 0, tooLarge = 0, failed = 0;
  bool outOfTime = false;
};

/// Folds in place: the constant has the bits that a run gives and the location
/// of what it replaces. What has side effects, draws random numbers, talks to
/// other processes or calls a function stays; so does what is too large or
/// fails, the latter with a remark. Only the last result of a chain becomes a
/// constant of the program.
FoldReport foldConstants(mlir::ModuleOp module, const FoldLimits &limits);

} // namespace assay::reference
