/// Calls of small functions as their operations in the caller.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace assay::program {

/// Whether there is a call that inlineSmallCalls() takes.
bool hasSmallCalls(mlir::ModuleOp module);
/// Small functions that call nothing are put in the place of their calls, a few
/// levels deep. The functions stay.
void inlineSmallCalls(mlir::ModuleOp module);
/// Calls in an operation's regions as the operations of what they call, which is
/// looked up from `user`: for a copy that stands in another module.
void inlineCallsWithin(mlir::Operation *op, mlir::Operation *user);
/// Private functions that nothing names any more are taken out.
void eraseUncalled(mlir::ModuleOp module);

} // namespace assay::program
