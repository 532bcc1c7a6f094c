// assay-opt: MLIR's opt driver with the dialects of Assay and MLIR's own
// clean-up passes.
//
//   assay-opt program.mlir                      parse, verify, print
//   assay-opt --mlir-print-op-generic p.mlir    the same in generic form
//   assay-opt --vhlo-legalize-to-stablehlo a.mlirbc   a portable artifact as text
//   assay-opt --serialize p.mlir -o a.mlirbc    a portable artifact
//   assay-opt --assay-fold p.mlir               operations on constants evaluated
//   assay-opt --assay-native=channels-last p.mlir   a pass of the native engine
//   assay-opt --inline --canonicalize --cse --symbol-dce p.mlir
#include "FoldPass.h"
#include "Serialize.h"
#include "assay/dialect/OlderProperties.h"
#include "assay/dialect/Register.h"
#include "assay/dialect/vhlo/Vhlo.h"
#include "assay/engine/native/ProgramPasses.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"

/// Hides the hundreds of options that LLVM's back ends register in every
/// program that links them; `--help-hidden` still shows them.
static void hideOptionsOfBackEnds() {
  for (auto &entry : llvm::cl::getRegisteredOptions())
    if (!llvm::StringRef(entry.first).starts_with("help") &&
        entry.first != "version" && entry.first != "color")
      entry.second->setHiddenFlag(llvm::cl::Hidden);
}

/// Moves our options before the hundreds of MLIR's own.
static void showOwnPasses(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef word(argv[i]);
    if (!word.consume_front("-") || (word.consume_front("-"), word != "help"))
      continue;
    llvm::outs()
        << "Assay's passes:\n"
           "  --assay-fold                    operations on constants become "
           "their results, as the interpreter computes them\n"
           "      =max-elements=N max-seconds=S   (65536, 10)\n"
           "  --assay-native                  the native engine's passes over "
           "a program, in their order\n"
           "      =NAME or =\"NAME NAME\"       those alone: inline, "
           "sink-transposes, channels-last, few-channels, fold, dead-code\n"
           "  --vhlo-legalize-to-stablehlo    a portable artifact as text\n"
           "  --serialize                     a portable artifact is written, "
           "after the passes\n"
           "      --target=VERSION            1.9.0, current or minimum; else "
           "the oldest from 1.0.0 on that has all operations\n"
           "examples:\n"
           "  assay-opt program.mlir                             parse, "
           "verify, "
           "print\n"
           "  assay-opt --assay-fold --symbol-dce program.mlir\n"
           "  assay-opt --assay-native=channels-last program.mlir\n"
           "  assay-opt --vhlo-legalize-to-stablehlo a.mlirbc\n"
           "  assay-opt --emit-bytecode program.mlir -o program.mlirbc\n"
           "  assay-opt --serialize --target=1.9.0 program.mlir -o "
           "program.mlirbc\n\n";
    llvm::outs().flush();
    return;
  }
}

/// MLIR's driver reads files itself, so its options are determined before it
/// runs.
static bool needsOlderProperties(llvm::StringRef input,
                                 const mlir::DialectRegistry &registry) {
  if (input == "-")
    return false;
  auto file = llvm::MemoryBuffer::getFile(input);
  if (!file)
    return false;
  mlir::MLIRContext context(registry);
  return assay::hasOlderProperties((*file)->getBuffer(), context);
}

int main(int argc, char **argv) {
  hideOptionsOfBackEnds();
  showOwnPasses(argc, argv);
  mlir::DialectRegistry registry;
  assay::registerAllDialects(registry);
  mlir::registerTransformsPasses();
  assay::vhlo::registerPasses();
  assay::registerFoldPass();
  assay::engine::registerProgramPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Assay optimizer driver\n", registry);
  if (assay::wantsArtifact())
    return assay::writeArtifact(input, output, registry);
  std::optional<assay::OlderProperties> older;
  if (needsOlderProperties(input, registry))
    older.emplace();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
