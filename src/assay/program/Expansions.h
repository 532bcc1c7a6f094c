/// Operations replaced by simpler ones.
#pragma once

#include "assay/program/Shardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace assay::program {

/// Rewrites every operation of Expansions.def in others, and puts the regions of
/// the native dialect in their place. Values keep their
/// types, the last operations their location; those in between have one that
/// isInExpansion() knows. A scan of run-time shapes stays as it is.
void expandOperations(mlir::ModuleOp module);

/// Arguments and results of a function that are still to be summed over axes of
/// a mesh (`unreduced`) get a leading dimension that these axes cut, and the
/// mark kSumAttribute. An argument is summed along it. For a result, each place
/// has a part, zeros around it, along the axes that `partsOfResult` says cut it;
/// along others the first place has it and the rest zeros.
void spreadSums(mlir::func::FuncOp function,
                llvm::function_ref<Sharding(unsigned)> partsOfResult);
inline constexpr llvm::StringLiteral kSumAttribute = "assay.sum";

/// Whether an operation computes something on the way to the results of the
/// one that the program has at this place.
bool isInExpansion(mlir::Location location);

} // namespace assay::program
