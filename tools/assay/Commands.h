/// The interface of a sub-command: one function that receives the arguments
/// after the command's name, prints, and returns the exit code. Parsing, one
/// library call, printing: nothing else belongs in tools/.
#pragma once

#include "assay/support/ExitCode.h"
#include "llvm/ADT/ArrayRef.h"

namespace assay::tools {

/// arguments[0] is "assay NAME", the name in usage texts.
using CommandFunction = ExitCode (*)(llvm::ArrayRef<const char *> arguments);

#define ASSAY_COMMAND(name, function, description)                             \
  ExitCode function(llvm::ArrayRef<const char *> arguments);
#include "Commands.def"
#undef ASSAY_COMMAND

/// The hidden command for a process that runs an engine.
ExitCode workerCommand(llvm::ArrayRef<const char *> arguments);

/// Prints "assay: error: ..." to standard error and returns the exit code of
/// the error.
ExitCode reportError(llvm::Error error);

} // namespace assay::tools
