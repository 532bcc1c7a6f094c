/// Values that a program declares equal on several devices although each device
/// may have its own: results of Python functions in shard_map outside of jit,
/// and values computed from them. They get a leading dimension with one row for
/// each such device.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace assay::pjrt {

/// Marks an argument or result with such a dimension.
inline constexpr llvm::StringLiteral kOwnAttribute = "assay.own";

/// Adds the dimension to the arguments that are true in `own` (may be empty),
/// which a manual computation then reads row by row. Also adds it to results of
/// a manual computation if `own` has any argument or the computation calls a
/// Python function. All other readers use the first device's value.
void keepOwnValues(mlir::func::FuncOp main, const std::vector<bool> &own);

} // namespace assay::pjrt
