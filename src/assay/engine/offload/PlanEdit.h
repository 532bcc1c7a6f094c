/// Tools for putting steps that cover several operations into a finished plan.
#pragma once

#include "assay/program/Plan.h"
#include "llvm/ADT/DenseMap.h"

namespace assay::engine {

/// The blocks that run as blocks, and whether each is a loop's condition:
/// bodies of functions, loops and branches. Bodies of region steps have lane
/// programs and are left as they are.
llvm::DenseMap<uint32_t, bool>
controlBlocks(const program::FunctionPlan &function);

/// Removes steps without effects whose results are not read.
void removeUnused(const program::FunctionPlan &function,
                  program::BlockPlan &block);

/// Recomputes last uses: what each step releases and may overwrite.
/// `keepArguments`: for a loop's condition, whose arguments the body reads too.
void findReleases(const program::FunctionPlan &function,
                  program::BlockPlan &block, bool keepArguments);

} // namespace assay::engine
