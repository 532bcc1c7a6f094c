/// The native engine's passes over a program before it is planned: ordinary
/// MLIR passes, one file each, listed in ProgramPasses.def.
#pragma once

#include "assay/program/Program.h"
#include "mlir/Pass/Pass.h"

#include <functional>

namespace assay::engine {

class Lowering;

/// What the passes may rely on.
struct ProgramPassOptions {
  bool argumentsStay = true; ///< the same tensors in every run
  bool foldsScales = true;   ///< FoldScales.h
  std::string entry = "main";
  /// Operations may be marked kObserved (Groups.h): only groups are made.
  bool isObserved = false;
  /// Knows the steps of operations; null: one for this machine.
  std::shared_ptr<Lowering> lowering;
};

/// Sees the program as it comes ("program") and after each pass.
using PassObserver =
    std::function<llvm::Error(llvm::StringRef pass, mlir::ModuleOp module)>;

/// Runs all passes on the module. Arguments and results are as before. Errors: those of
/// `observer`; Internal where a pass makes it invalid.
llvm::Error runProgramPasses(mlir::ModuleOp module,
                             const PassObserver &observer = {},
                             const ProgramPassOptions &options = {});

/// For `assay-opt`: each pass as --assay-native-NAME, all of them, or those
/// that are named, as --assay-native[="NAME ..."].
void registerProgramPasses();

} // namespace assay::engine
