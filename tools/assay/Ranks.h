/// A rank of a launcher as two processes: one that waits, and one that works and
/// may die.
#pragma once

#include "assay/verify/RankBoard.h"

namespace assay::tools {

/// Starts the process that works, again when a signal ends it, and waits for
/// it. nullopt in the process that works; else the exit code. A launcher ends
/// all ranks when one of them is killed: the waiting one needs nothing that
/// could get it killed.
std::optional<int> superviseRank(const verify::RankIdentity &identity);

} // namespace assay::tools
