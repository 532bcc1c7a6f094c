/// `assay-opt --serialize`: a program as a portable artifact.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace assay {

/// Whether --serialize was among the flags.
bool wantsArtifact();

/// Reads a program in any form, runs the passes among the flags, and writes the
/// artifact. Returns the exit code: 2 after a message.
int writeArtifact(llvm::StringRef input, llvm::StringRef output,
                  mlir::DialectRegistry &registry);

} // namespace assay
