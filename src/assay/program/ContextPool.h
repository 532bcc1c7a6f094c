/// Reuses the contexts of finished programs. Loading the dialects into a new
/// MLIRContext takes about a millisecond, more than a small problem takes to
/// run, and a batch builds thousands of programs.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace assay::program {

/// A context with every dialect registered: a returned one if there is any,
/// else a new one. For one thread at a time.
std::unique_ptr<mlir::MLIRContext> takeContext();

/// Returns the context of a module that is about to be destroyed. A context
/// frees its attributes, types and locations only when it is destroyed itself.
/// So each one serves a limited number of programs, and is not kept after a
/// program with large constants.
void giveBack(std::unique_ptr<mlir::MLIRContext> context,
              mlir::OwningOpRef<mlir::ModuleOp> module);

/// Frees the context after its current program instead of reusing it.
void retire(mlir::MLIRContext &context);
/// Whether a module leaves so much data in its context that the context is not
/// worth keeping.
bool hasLargeConstants(mlir::ModuleOp module);

} // namespace assay::program
