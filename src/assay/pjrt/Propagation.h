/// Shardings of results for which a program gives none: propagated from the
/// arguments, as a partitioner does it for operations that keep dimensions. It
/// changes where results are, never their values.
#pragma once

#include "assay/program/Shardings.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>

namespace assay::pjrt {

/// A value's sharding; no mesh: every device has it whole.
struct Cut {
  std::shared_ptr<const program::Mesh> mesh;
  program::Sharding dimensions;
};

/// Calls that ask for their operands' shardings (jax.debug.inspect_array_sharding,
/// Python functions that want each device's part).
using Inspected = llvm::MapVector<mlir::Operation *, std::vector<Cut>>;
inline constexpr llvm::StringLiteral kInspectTarget = "InspectSharding";

/// One for each result of the function; only for dimensions that the axes divide.
std::vector<Cut> propagateToResults(mlir::func::FuncOp function,
                                    Inspected &inspected);

} // namespace assay::pjrt
