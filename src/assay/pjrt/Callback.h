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

/// An attribute of calls whose function takes each device's shard. It says, as
/// JSON, where the shards of the operands begin; it is empty until that is known.
inline constexpr llvm::StringLiteral kPartsAttribute = "parts";

/// Tells the Python function of `key` its value's sharding, in XLA's syntax.
/// Errors: what that function raises.
llvm::Error showSharding(llvm::StringRef key, llvm::StringRef sharding);

/// The functions that plans compiled after this call may use.
std::shared_ptr<const program::CustomFunctions> customFunctions();

} // namespace assay::pjrt

/// Sets the receiver of the calls; the Python package does, once.
extern "C" __attribute__((visibility("default"))) void
assay_pjrt_set_callback(assay_custom_call_function_t function);
