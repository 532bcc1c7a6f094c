/// The native engine's passes over a program before it is planned: ordinary
/// MLIR passes, one file each, listed in ProgramPasses.def.
#pragma once

#include "assay/program/Program.h"
#include "mlir/Pass/Pass.h"

#include <functional>

namespace assay::engine {

/// What the passes may rely on.
struct ProgramPassOptions {
  bool argumentsStay = true; ///< the same tensors in every run
  bool foldsScales = true;   ///< FoldScales.h
};

/// Sees the program as it comes ("program") and after each pass.
using PassObserver =
    std::function<llvm::Error(llvm::StringRef pass, mlir::ModuleOp module)>;

/// The program after all passes: one copy, or the program itself where no pass
/// has anything to do and there is no observer. Arguments and results are as before.
/// Errors: those of `observer`; Internal where a pass makes it invalid.
llvm::Expected<std::shared_ptr<const program::Program>>
runProgramPasses(std::shared_ptr<const program::Program> program,
                 const PassObserver &observer = {},
                 const ProgramPassOptions &options = {});

/// For `assay-opt`: each pass as --assay-native-NAME, all of them, or those
/// that are named, as --assay-native[="NAME ..."].
void registerProgramPasses();

} // namespace assay::engine
