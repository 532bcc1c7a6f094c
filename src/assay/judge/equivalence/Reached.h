/// Which operations read the program's arguments, in whatever way: through
/// operands, loops, calls, or a predicate that chooses.
#pragma once

#include "assay/program/Plan.h"
#include "llvm/ADT/DenseSet.h"

namespace assay::judge {

using OperationSet = llvm::DenseSet<mlir::Operation *>;

/// Operations of all functions of a plan that an argument of its entry reaches.
/// A loop is taken as a whole: if it starts from an argument, all that its body
/// carries is reached.
OperationSet reachedByArguments(const program::Plan &plan);

} // namespace assay::judge
