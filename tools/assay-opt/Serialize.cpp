// Reads the flags, calls the library once, writes the file.
#include "Serialize.h"

#include "assay/dialect/Register.h"
#include "assay/dialect/vhlo/Vhlo.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

namespace assay {

static llvm::cl::opt<bool>
    serializeFlag("serialize", llvm::cl::desc("write a portable artifact"));
static llvm::cl::opt<std::string> targetFlag(
    "target",
    llvm::cl::desc("with --serialize: its version, current or minimum"));

bool wantsArtifact() { return serializeFlag; }

static int fail(const llvm::Twine &text) {
  llvm::errs() << "assay-opt: error: " << text << "\n";
  return 2;
}

/// Reads the flag for the target version; nullopt: the version that the program
/// needs. False after a message.
static bool readTarget(std::optional<vhlo::Version> &target) {
  llvm::StringRef text = targetFlag;
  if (text.empty())
    return true;
  target = text == "current"   ? vhlo::kNewest
           : text == "minimum" ? vhlo::kOldest
                               : vhlo::Version::parse(text);
  if (target && *target >= vhlo::kOldest && *target <= vhlo::kNewest)
    return true;
  fail("--target '" + text + "' is not a version from " + vhlo::kOldest.text() +
       " to " + vhlo::kNewest.text() + ", nor current or minimum");
  return false;
}

int writeArtifact(llvm::StringRef input, llvm::StringRef output,
                  mlir::DialectRegistry &registry) {
  std::optional<vhlo::Version> target;
  if (!readTarget(target))
    return 2;
  std::string message;
  auto file = mlir::openInputFile(input, &message);
  if (!file)
    return fail(message);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  auto module = parseProgramText(file->getBuffer(), input, context);
  if (!module)
    return fail(llvm::toString(module.takeError()));
  mlir::PassManager passes(&context);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (mlir::failed(config.setupPassPipeline(passes)) ||
      mlir::failed(passes.run(**module)))
    return 2;
  auto out = mlir::openOutputFile(output, &message);
  if (!out)
    return fail(message);
  if (mlir::failed(vhlo::serialize(**module, target, out->os())))
    return 2;
  out->keep();
  return 0;
}

} // namespace assay
