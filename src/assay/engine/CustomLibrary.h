/// Functions of a shared library for stablehlo.custom_call (assay_custom_call.h).
#pragma once

#include "assay/engine/assay_custom_call.h"
#include "assay/program/CustomFunctions.h"

namespace assay::engine {

/// Adds what `TARGET=LIBRARY.so:FUNCTION` says; without a function's name it is
/// the target's. Errors: InvalidArgument for text that says something else,
/// NotFound for a library or a function that is not there.
llvm::Error addCustomFunction(llvm::StringRef text,
                              program::CustomFunctions &functions);

/// A function of the interface as the executor calls it: tensors are views, an
/// answer other than 0 is an error (Mismatch) with its words.
program::CustomFunction customFunction(assay_custom_call_function_t function,
                                       llvm::StringRef target);

/// The configuration of a custom_call as a JSON object.
std::string configurationOf(mlir::Operation *op);

} // namespace assay::engine
