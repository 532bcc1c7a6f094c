/// Functions of a shared library for stablehlo.custom_call (assay_custom_call.h).
#pragma once

#include "assay/engine/assay_custom_call.h"
#include "assay/program/CustomFunctions.h"

namespace assay::engine {

/// Adds the function of `TARGET=LIBRARY.so:FUNCTION`; without FUNCTION its name
/// is that of the target. Errors: InvalidArgument for text of another form,
/// NotFound for a missing library or function.
llvm::Error addCustomFunction(llvm::StringRef text,
                              program::CustomFunctions &functions);

/// A function of the interface in the form that the executor calls: tensors are
/// views, and a result other than 0 becomes an error (Mismatch) with the
/// function's message.
program::CustomFunction customFunction(assay_custom_call_function_t function,
                                       llvm::StringRef target);

/// The configuration of a custom_call as a JSON object.
std::string configurationOf(mlir::Operation *op);

} // namespace assay::engine
