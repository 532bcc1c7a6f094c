// Registers the conversion as an MLIR pass under the name that upstream uses.
#include "assay/dialect/vhlo/Vhlo.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

namespace {
struct FromVhlo
    : mlir::PassWrapper<FromVhlo, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FromVhlo)
  llvm::StringRef getArgument() const override {
    return "vhlo-legalize-to-stablehlo";
  }
  llvm::StringRef getDescription() const override {
    return "portable artifacts of any version as StableHLO";
  }
  void runOnOperation() override {
    if (failed(assay::vhlo::legalizeVhlo(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void assay::vhlo::registerPasses() { mlir::PassRegistration<FromVhlo>(); }
