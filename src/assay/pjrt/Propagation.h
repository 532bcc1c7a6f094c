/// Shardings of results for which a program gives none. They are propagated
/// from the arguments, as a partitioner would do for operations that preserve
/// dimensions. This only affects where results are, never their values.
#pragma once

#include "assay/program/Shardings.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>

namespace assay::pjrt {

/// A value's sharding; if the mesh is null, every device has the whole value.
struct Cut {
  std::shared_ptr<const program::Mesh> mesh;
  program::Sharding dimensions;
};

/// Calls that ask for the shardings of their operands
/// (jax.debug.inspect_array_sharding, Python functions that receive each
/// device's part), with these shardings.
using Inspected = llvm::MapVector<mlir::Operation *, std::vector<Cut>>;
inline constexpr llvm::StringLiteral kInspectTarget = "InspectSharding";

/// The cut of each result of the function; only dimensions that the axes divide
/// evenly are cut.
std::vector<Cut> propagateToResults(mlir::func::FuncOp function,
                                    Inspected &inspected);

} // namespace assay::pjrt
