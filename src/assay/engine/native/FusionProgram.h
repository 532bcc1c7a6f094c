/// From a chain of steps to the program of a fused loop.
#pragma once

#include "assay/engine/native/Fused.h"
#include "assay/engine/native/FusionChains.h"

namespace assay::engine {

/// The computation of a chain, with the slots around it.
struct ChainProgram {
  FusedProgram program;
  llvm::SmallVector<program::SlotId, 8> operands, results;
  std::vector<program::TensorType> resultTypes;
};

/// nullopt where a member reads a result of the chain in another order, or where no
/// result of the chain is read.
std::optional<ChainProgram> programOf(const ChainFinder &steps,
                                      const Chain &chain);

} // namespace assay::engine
