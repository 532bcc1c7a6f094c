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
  /// Reads a file. With `split`, each part between `// -----` lines becomes a
  /// program.
  static llvm::Expected<std::shared_ptr<const Program>>
  load(llvm::StringRef path);
  /// Verifies a module that was built as IR, and takes ownership of it and its
  /// context. Errors: InvalidArgument with the verifier's messages.
  static llvm::Expected<std::shared_ptr<const Program>>
  adopt(std::unique_ptr<mlir::MLIRContext> context,
        mlir::OwningOpRef<mlir::ModuleOp> module, llvm::StringRef name);
  /// Reads what toBytecode() wrote. Errors: InvalidArgument.
  static llvm::Expected<std::shared_ptr<const Program>>
  fromBytecode(llvm::StringRef bytes, llvm::StringRef name);

  /// A copy of a module in a separate context. Errors: those of fromBytecode.
  static llvm::Expected<std::shared_ptr<const Program>>
  copyOf(mlir::ModuleOp module, llvm::StringRef name);

  mlir::ModuleOp module() const { return module_.get(); }
  const std::string &name() const { return name_; }
  /// MLIR's bytecode, for another process of the same build.
  std::string toBytecode() const;
  /// The function to run: the named one; without a name, `main` or the only
  /// public function. Errors: NotFound, which lists the functions.
  llvm::Expected<mlir::func::FuncOp> function(llvm::StringRef name = {}) const;

private:
  Program() = default;
  std::string name_;
  std::unique_ptr<mlir::MLIRContext> context_;
  mutable mlir::OwningOpRef<mlir::ModuleOp>
      module_; // mutable: MLIR's handles are not const-correct
};

/// A context that knows every dialect of a program, for one thread.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Reads a whole file. Errors: NotFound, DataLoss.
llvm::Expected<std::string> readFile(llvm::StringRef path);

/// Splits a text at lines that are `// -----`; each part is padded with blank
/// lines, so that line numbers stay the same.
std::vector<std::string> splitInput(llvm::StringRef text);

/// "file:line:col" of an operation, with its name where it has one:
/// `file.mlir:12:5 ("layer1/dot")`.
std::string describeLocation(mlir::Location location);

} // namespace assay::program
