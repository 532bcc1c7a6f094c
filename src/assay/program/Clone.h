/// A copy of a program for passes to rewrite.
#pragma once

#include "assay/program/Program.h"

namespace assay::program {

/// The program's operations once more, in its own context, so that no constant
/// is copied. The clone keeps the program alive. Threads: that of the program.
std::shared_ptr<const Program> cloneOf(std::shared_ptr<const Program> program);

} // namespace assay::program
