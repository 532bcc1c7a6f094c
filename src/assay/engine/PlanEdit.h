/// Tools for passes over a finished plan.
#pragma once

#include "assay/program/Plan.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay::engine {

/// The blocks that run as blocks, and whether each is a loop's condition:
/// bodies of functions, loops and branches. Bodies of region steps have lane
/// programs and are left as they are.
llvm::DenseMap<uint32_t, bool>
controlBlocks(const program::FunctionPlan &function);

/// Which steps read each slot of a block, which one makes it. Positions count
/// the block's steps; `steps.size()` stands for the block's returns. A nested
/// block's reads are those of the step that holds it.
struct BlockUses {
  BlockUses(const program::FunctionPlan &function,
            const program::BlockPlan &block);
  llvm::DenseMap<program::SlotId, size_t> producer;
  llvm::DenseMap<program::SlotId, llvm::SmallVector<size_t, 2>> readers;
};

/// Removes steps without effects whose results are not read.
void removeUnused(const program::FunctionPlan &function,
                  program::BlockPlan &block);

/// Orders steps so that each comes after what it reads; among those that could be
/// next, the earliest in the list. Steps with effects keep their order.
void sortSteps(const program::FunctionPlan &function,
               program::BlockPlan &block);

/// Recomputes last uses: what each step releases and may overwrite.
/// `keepArguments`: for a loop's condition, whose arguments the body reads too.
void findReleases(const program::FunctionPlan &function,
                  program::BlockPlan &block, bool keepArguments);

/// The type of a value that a step of the plan makes or reads: a tensor whose
/// shape is known.
program::TensorType typeOf(mlir::Value value);

/// True for an operation that may be moved, repeated or left out.
bool hasNoEffects(mlir::Operation *op);

} // namespace assay::engine
