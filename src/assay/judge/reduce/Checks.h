/// Tests that state their expectations inside.
#pragma once

#include "assay/judge/reduce/TestCase.h"

namespace assay::judge {

/// The program without the checks of function `entry`: it returns the values
/// that they checked. The program itself if it has none. Errors: those of
/// editedProgram.
llvm::Expected<std::shared_ptr<const program::Program>>
withoutChecks(const std::shared_ptr<const program::Program> &program,
              llvm::StringRef entry);

} // namespace assay::judge
