/// Python functions that programs call (jax.pure_callback and similar).
#pragma once

#include "assay/engine/assay_custom_call.h"
#include "assay/program/CustomFunctions.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace assay::pjrt {

/// The target of their custom calls; the attribute `id` identifies the
/// function.
inline constexpr llvm::StringLiteral kCallbackTarget = "assay_python_callback";

/// An attribute of calls whose function receives each device's shard. It
/// contains, as JSON, where the shards of the operands begin; it is empty until
/// that is known.
inline constexpr llvm::StringLiteral kPartsAttribute = "parts";

/// Passes the sharding of a value, in XLA's syntax, to the Python function of
/// `key`. Errors: exceptions of that function, as InvalidArgument.
llvm::Error showSharding(llvm::StringRef key, llvm::StringRef sharding);

/// The functions available to plans that are compiled after this call.
std::shared_ptr<const program::CustomFunctions> customFunctions();

} // namespace assay::pjrt

/// Registers the receiver of the calls; the Python package calls it once.
extern "C" __attribute__((visibility("default"))) void
assay_pjrt_set_callback(assay_custom_call_function_t function);
