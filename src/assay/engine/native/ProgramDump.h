/// `--dump-passes DIR`: writes the program after each pass, for a reader and
/// for `assay passes DIR`.
#pragma once

#include "assay/engine/native/ProgramPasses.h"

namespace assay::engine {

/// Writes "00_program.mlir", "01_sink-transposes.mlir", ... into the folder,
/// which it creates. The second program of this process is written to its
/// subfolder "2", and so on. Null for an empty path: there is no observer.
/// Errors: InvalidArgument, here and when a file cannot be written.
llvm::Expected<PassObserver> dumpInto(const std::string &folder);

} // namespace assay::engine
