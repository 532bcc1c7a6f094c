/// Contexts of finished programs, reused for the next ones. Loading the dialects
/// into a new MLIRContext takes about a millisecond, which is more than a small
/// problem takes to run, and a batch builds thousands of them.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace assay::program {

/// A context with every dialect registered: one that was returned, else a
/// new one. For one thread at a time.
std::unique_ptr<mlir::MLIRContext> takeContext();

/// Returns the context of a module that is about to go. It is kept unless
/// it has grown: a context frees its attributes, types and locations only when
/// it dies itself, so it serves a limited number of programs, and none with
/// large constants.
void giveBack(std::unique_ptr<mlir::MLIRContext> context,
              mlir::OwningOpRef<mlir::ModuleOp> module);

/// The context of a program that still lives serves no other after it.
void retire(mlir::MLIRContext &context);
/// Whether a module leaves so much in its context that the context is not kept.
bool hasLargeConstants(mlir::ModuleOp module);

} // namespace assay::program
