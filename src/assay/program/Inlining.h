/// Inlines calls.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace assay::program {

/// Inlines small functions that contain no calls, a few levels deep. The
/// functions themselves are kept.
void inlineSmallCalls(mlir::ModuleOp module);
/// The function that a call runs, looked up from `user`, if it can be inlined:
/// it has a body of one block. Else null.
mlir::func::FuncOp inlinableCallee(mlir::func::CallOp call,
                                   mlir::Operation *user);
/// Inlines the calls in the regions of an operation that was copied into
/// another module; callees are looked up from `user`.
void inlineCallsWithin(mlir::Operation *op, mlir::Operation *user);
/// Erases private functions that no symbol refers to any more.
void eraseUncalled(mlir::ModuleOp module);

} // namespace assay::program
