/// Where this project's program and modules are: beside this code, which is in
/// the program itself, in Python's extension module or in a library that is
/// embedded elsewhere.
#pragma once

#include "llvm/Support/Error.h"

#include <string>

namespace assay::engine {

/// The program of a worker process: this program, or the `assay` that belongs
/// to the library that contains this code. Errors: NotFound.
llvm::Expected<std::string> ownProgram();

/// The path of a module of the project, "libassay_onednn.so". Errors: NotFound.
llvm::Expected<std::string> ownModule(llvm::StringRef name);

} // namespace assay::engine
