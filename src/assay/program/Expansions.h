/// Replaces operations by simpler ones.
#pragma once

#include "assay/program/Shardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace assay::program {

/// Rewrites every operation of Expansions.def as other operations, and puts the
/// content of native dialect groups in place of the groups. Values keep their
/// types. The last operation keeps the location; isInExpansion() recognises the
/// location of the intermediate ones. A scan with run-time shapes is not
/// rewritten.
void expandOperations(mlir::ModuleOp module);

/// Gives arguments and results of a function that are still to be summed over
/// mesh axes (`unreduced`) a leading dimension, sharded over these axes, and
/// the mark kSumAttribute. An argument is summed along it. A result is split
/// into terms: along the axes that shard it according to `partsOfResult`, each
/// place has its part with zeros around it; along other axes the first place
/// has the value and the rest have zeros.
void spreadSums(mlir::func::FuncOp function,
                llvm::function_ref<Sharding(unsigned)> partsOfResult);
inline constexpr llvm::StringLiteral kSumAttribute = "assay.sum";

/// Whether an operation is an intermediate one of an expansion, so that the
/// program text does not contain it.
bool isInExpansion(mlir::Location location);

} // namespace assay::program
