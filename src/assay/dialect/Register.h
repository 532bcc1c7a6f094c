/// All dialects that a program may use, and the parser of
/// program text.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace assay {

/// Adds stablehlo, chlo, check, interpreter, sdy and, of MLIR's own, func,
/// arith, tensor, shape and quant.
void registerAllDialects(mlir::DialectRegistry &registry);

/// How deep brackets and regions may nest in a program's text.
inline constexpr unsigned kMaxNesting = 256;

/// The MLIR bytecode in a file: the whole of it, or the module in a file of
/// jax.export. Empty if there is none.
llvm::StringRef bytecodeIn(llvm::StringRef file);

/// Parses and verifies a module: text, bytecode, or a portable artifact of any
/// version (vhlo/Vhlo.h).
/// Errors: InvalidArgument with the parser's messages, one per line, each
/// `file:line:column: text`; also for text nested deeper than kMaxNesting.
///         MLIR's reader of bytecode may die of a damaged file.
/// Threads: one context per thread.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseProgramText(llvm::StringRef text, llvm::StringRef fileName,
                 mlir::MLIRContext &context);

} // namespace assay
