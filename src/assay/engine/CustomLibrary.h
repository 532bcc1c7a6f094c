/// Functions of a shared library for stablehlo.custom_call (assay_custom_call.h).
#pragma once

#include "assay/program/CustomFunctions.h"

namespace assay::engine {

/// Adds what `TARGET=LIBRARY.so:FUNCTION` says; without a function's name it is
/// the target's. Errors: InvalidArgument for text that says something else,
/// NotFound for a library or a function that is not there.
llvm::Error addCustomFunction(llvm::StringRef text,
                              program::CustomFunctions &functions);

/// The configuration of a custom_call as a JSON object.
std::string configurationOf(mlir::Operation *op);

} // namespace assay::engine
