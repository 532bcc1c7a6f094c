/// Tools for passes over a finished plan.
#pragma once

#include "assay/engine/native/NativeCompiler.h"
#include "llvm/ADT/DenseMap.h"

namespace assay::engine {

/// Which steps read each slot of a block, which one makes it. Positions count
/// the block's steps; `steps.size()` stands for the block's returns. A nested
/// block's reads are those of the step that holds it.
struct BlockUses {
  BlockUses(const program::FunctionPlan &function,
            const program::BlockPlan &block);
  llvm::DenseMap<program::SlotId, size_t> producer;
  llvm::DenseMap<program::SlotId, llvm::SmallVector<size_t, 2>> readers;
};

/// Puts the steps of small functions without control flow where they are
/// called. Errors: those of the compiler.
llvm::Error inlineCalls(program::Plan &plan, const NativeCompiler &compiler,
                        const program::PlanOptions &options);

/// Computes elementwise operations and moves of constants once.
llvm::Error foldConstants(program::BlockPlan &block);

/// Removes steps without effects whose results nobody reads.
void removeUnused(const program::FunctionPlan &function,
                  program::BlockPlan &block);

/// Orders steps so that each comes after what it reads; of those that could be
/// next, the earliest in the list. Steps with effects keep their order.
void sortSteps(const program::FunctionPlan &function,
               program::BlockPlan &block);

/// Finds last uses anew: what each step releases and may overwrite.
/// `keepArguments`: of a loop's condition, whose arguments the body reads too.
void findReleases(const program::FunctionPlan &function,
                  program::BlockPlan &block, bool keepArguments);

/// The type of a value that a step of the plan makes or reads: a tensor whose
/// shape is known.
program::TensorType typeOf(mlir::Value value);

/// True for an operation that may be moved, repeated or left out.
bool hasNoEffects(mlir::Operation *op);

} // namespace assay::engine
