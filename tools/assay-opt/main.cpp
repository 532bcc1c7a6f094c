// assay-opt: MLIR's opt driver with the dialects of Assay and MLIR's own
// clean-up passes.
//
//   assay-opt program.mlir                      parse, verify, print
//   assay-opt --mlir-print-op-generic p.mlir    the same in generic form
//   assay-opt --vhlo-legalize-to-stablehlo a.mlirbc   a portable artifact as text
//   assay-opt --inline --canonicalize --cse --symbol-dce p.mlir
#include "assay/dialect/Register.h"
#include "assay/dialect/vhlo/Vhlo.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"

/// LLVM's back ends register hundreds of options in every program that links
/// them; `--help-hidden` still shows them.
static void hideOptionsOfBackEnds() {
  for (auto &entry : llvm::cl::getRegisteredOptions())
    if (!llvm::StringRef(entry.first).starts_with("help") &&
        entry.first != "version" && entry.first != "color")
      entry.second->setHiddenFlag(llvm::cl::Hidden);
}

int main(int argc, char **argv) {
  hideOptionsOfBackEnds();
  mlir::DialectRegistry registry;
  assay::registerAllDialects(registry);
  mlir::registerTransformsPasses();
  assay::vhlo::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Assay optimizer driver\n", registry));
}
