/// Results of which a program does not say how they are cut: found from the
/// arguments on, as a partitioner finds it for what keeps its dimensions. It
/// changes where results lie, never what they are.
#pragma once

#include "assay/program/Shardings.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>

namespace assay::pjrt {

/// How a value is cut; no mesh: every device has it whole.
struct Cut {
  std::shared_ptr<const program::Mesh> mesh;
  program::Sharding dimensions;
};

/// Calls that ask how their operands are cut (jax.debug.inspect_array_sharding,
/// Python functions that want each device's part).
using Inspected = llvm::MapVector<mlir::Operation *, std::vector<Cut>>;
inline constexpr llvm::StringLiteral kInspectTarget = "InspectSharding";

/// One for each result of the function; of dimensions that the axes divide.
std::vector<Cut> propagateToResults(mlir::func::FuncOp function,
                                    Inspected &inspected);

} // namespace assay::pjrt
