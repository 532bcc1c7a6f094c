/// A program: a parsed and verified StableHLO module, with the functions that
/// can be run.
#pragma once

#include "assay/tensor/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>
#include <vector>

namespace assay::program {

class Program {
public:
  /// Parses and verifies MLIR text. `name` is shown in locations. Errors:
  /// InvalidArgument with file:line:col.
  static llvm::Expected<std::shared_ptr<const Program>>
  parse(llvm::StringRef text, llvm::StringRef name);
  /// Reads a file; with split, one program for each part between `// -----`
  /// lines.
  static llvm::Expected<std::shared_ptr<const Program>>
  load(llvm::StringRef path);
  /// Verifies a module that was built as IR and takes it with its context.
  /// Errors: InvalidArgument with the verifier's messages.
  static llvm::Expected<std::shared_ptr<const Program>>
  adopt(std::unique_ptr<mlir::MLIRContext> context,
        mlir::OwningOpRef<mlir::ModuleOp> module, llvm::StringRef name);
  /// Reads what toBytecode() wrote. Errors: InvalidArgument.
  static llvm::Expected<std::shared_ptr<const Program>>
  fromBytecode(llvm::StringRef bytes, llvm::StringRef name);

  /// A copy of a module, in a context of its own. Errors: as fromBytecode.
  static llvm::Expected<std::shared_ptr<const Program>>
  copyOf(mlir::ModuleOp module, llvm::StringRef name);

  mlir::ModuleOp module() const { return module_.get(); }
  const std::string &name() const { return name_; }
  /// MLIR's bytecode, for another process of the same build.
  std::string toBytecode() const;
  /// The function to run: the named one; without a name `main`, or the only
  /// public function. NotFound lists them.
  llvm::Expected<mlir::func::FuncOp> function(llvm::StringRef name = {}) const;

private:
  Program() = default;
  std::string name_;
  std::unique_ptr<mlir::MLIRContext> context_;
  mutable mlir::OwningOpRef<mlir::ModuleOp>
      module_; // mutable: MLIR's handles know no const
};

/// A context that knows every dialect of a program, for one thread.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Reads a whole file. Errors: NotFound, DataLoss.
llvm::Expected<std::string> readFile(llvm::StringRef path);

/// The parts of a text between lines that are `// -----`, each padded with
/// blank lines so that line numbers stay.
std::vector<std::string> splitInput(llvm::StringRef text);

/// "file:line:col" of an operation, with its name where it has one:
/// `file.mlir:12:5 ("layer1/dot")`.
std::string describeLocation(mlir::Location location);

} // namespace assay::program
