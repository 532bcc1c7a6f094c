/// Values that a program declares equal on several devices although each device
/// may have its own: what a Python function returns in shard_map outside of jit,
/// and values computed from it. They get a leading dimension with a row for each
/// such device.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace assay::pjrt {

/// Marks an argument or result with such a dimension.
inline constexpr llvm::StringLiteral kOwnAttribute = "assay.own";

/// Gives it to the arguments that `own` names (empty: none), which a manual
/// computation then takes row by row, and to what comes out of one where `own`
/// names some, or where it calls a Python function. Anything else reads the
/// first device's value.
void keepOwnValues(mlir::func::FuncOp main, const std::vector<bool> &own);

} // namespace assay::pjrt
