/// Finds the elementwise function that operations of a program compute: the
/// reverse of formulas/Eltwise.h.
#pragma once

#include "assay/formulas/Eltwise.h"

namespace assay::verify {

struct EltwiseMatch {
  formulas::EltwiseFunction function;
  /// Its operand: src, or dst of "_dst"; null where the result does
  /// not depend on it.
  mlir::Value data;
  mlir::Value diffDst; ///< backward: the gradient; null otherwise
};

/// Every function whose operations, as accurateEltwise or accurateEltwiseGradient write
/// them, end in `result`; those without "_dst" first. Constants stand for
/// alpha and beta; numbers that the function does not use come back as 0.
/// Threads: any
llvm::SmallVector<EltwiseMatch, 2> matchEltwise(mlir::Value result,
                                                bool backward);

/// The one value of a float constant's elements; nullopt for other operations.
std::optional<double> splatOf(mlir::Operation *op);

} // namespace assay::verify
