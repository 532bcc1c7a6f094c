/// A copy of a program that passes may rewrite.
#pragma once

#include "assay/program/Program.h"
#include "mlir/IR/IRMapping.h"

namespace assay::program {

/// Clones the program's operations in its own context, so that no constant is
/// copied. The clone keeps the program alive. `copies` (may be null) maps each
/// operation and value to its clone. Threads: call on the program's thread.
std::shared_ptr<const Program> cloneOf(std::shared_ptr<const Program> program,
                                       mlir::IRMapping *copies = nullptr);

} // namespace assay::program
