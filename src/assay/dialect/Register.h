/// Registers all dialects that a program may use, and parses program text.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace assay {

/// Adds stablehlo, chlo, check, interpreter, sdy, and MLIR's func, arith,
/// tensor, shape and quant.
void registerAllDialects(mlir::DialectRegistry &registry);

/// The maximum nesting of brackets and regions in a program's text.
inline constexpr unsigned kMaxNesting = 256;

/// The MLIR bytecode in a file: the whole file, or the module in a file of
/// jax.export. Empty if there is none.
llvm::StringRef bytecodeIn(llvm::StringRef file);

/// Parses and verifies a module: text, bytecode, or a portable artifact of any
/// version (vhlo/Vhlo.h).
/// Errors: InvalidArgument with the parser's messages, one per line, each
/// `file:line:column: text`; also for text nested deeper than kMaxNesting.
/// A damaged file may crash MLIR's bytecode reader.
/// Threads: one context per thread.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseProgramText(llvm::StringRef text, llvm::StringRef fileName,
                 mlir::MLIRContext &context);

} // namespace assay
