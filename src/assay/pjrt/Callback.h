/// Python functions that programs call (jax.pure_callback and its like).
#pragma once

#include "assay/engine/assay_custom_call.h"
#include "assay/program/CustomFunctions.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace assay::pjrt {

/// The target of their custom calls; the attribute `id` says which function.
inline constexpr llvm::StringLiteral kCallbackTarget = "assay_python_callback";

/// An attribute of such a call whose function wants each device's part: where
/// the parts of the operands begin, as JSON; so far empty.
inline constexpr llvm::StringLiteral kPartsAttribute = "parts";

/// Tells the Python function behind `key` how its value lies, in XLA's words.
/// Errors: what it raises.
llvm::Error showSharding(llvm::StringRef key, llvm::StringRef sharding);

/// The functions that plans made from now on may call.
std::shared_ptr<const program::CustomFunctions> customFunctions();

} // namespace assay::pjrt

/// Sets the receiver of the calls; the Python package does, once.
extern "C" __attribute__((visibility("default"))) void
assay_pjrt_set_callback(assay_custom_call_function_t function);
