/// A copy of a program for passes to rewrite.
#pragma once

#include "assay/program/Program.h"
#include "mlir/IR/IRMapping.h"

namespace assay::program {

/// The program's operations once more, in its own context, so that no constant
/// is copied. The clone keeps the program alive. `copies` (may be null) gets the
/// clone of each operation and value. Threads: that of the program.
std::shared_ptr<const Program> cloneOf(std::shared_ptr<const Program> program,
                                       mlir::IRMapping *copies = nullptr);

} // namespace assay::program
