/// Calls of small functions as their operations in the caller.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace assay::program {

/// Small functions that call nothing are put in place of their calls, a few
/// levels deep. The functions stay.
void inlineSmallCalls(mlir::ModuleOp module);
/// The function that a call runs, looked up from `user`, where its operations can
/// replace the call: it is here and has one block. Else null.
mlir::func::FuncOp inlinableCallee(mlir::func::CallOp call,
                                   mlir::Operation *user);
/// Calls in an operation's regions as the operations of what they call, which is
/// looked up from `user`: for a copy that is in another module.
void inlineCallsWithin(mlir::Operation *op, mlir::Operation *user);
/// Private functions that nothing names any more are taken out.
void eraseUncalled(mlir::ModuleOp module);

} // namespace assay::program
