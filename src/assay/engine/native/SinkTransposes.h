/// Elementwise operations on transposed tensors, done before the transposes.
#pragma once

#include "assay/program/Program.h"

namespace assay::engine {

/// A copy of the program in which elementwise operations whose operands are
/// transposed alike (constants and broadcasts aside) compute in the order in
/// which these lie, and the transpose comes behind them: where products read what
/// they make, which they can in place, or where images are brought from channels
/// last to a planar program. The program itself where there is none of them.
llvm::Expected<std::shared_ptr<const program::Program>>
withTransposesLast(std::shared_ptr<const program::Program> program);

} // namespace assay::engine
