/// From a chain of operations to a group, and from the group to the program of a
/// fused loop.
#pragma once

#include "assay/engine/native/Fused.h"
#include "assay/engine/native/FusionChains.h"
#include "assay/engine/native/Groups.h"

namespace assay::engine {

/// nullopt where a member reads a result of the chain in another order, or where no
/// result of the chain is read.
std::optional<GroupParts> groupOf(const ChainFinder &ops, const Chain &chain);

/// The loop of a group that groupOf() says; its operands are the group's.
std::optional<FusedProgram> programOf(native::FusedOp group);

} // namespace assay::engine
