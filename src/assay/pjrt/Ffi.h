/// C functions that programs call: jax.ffi.register_ffi_target.
#pragma once

#include "assay/program/CustomFunctions.h"

namespace assay::pjrt {

/// Adds the registered functions.
void addForeignFunctions(program::CustomFunctions &functions);

} // namespace assay::pjrt

/// Registers a handler under a target's name, for the stages instantiate,
/// prepare, initialize, execute; the last is required. Returns null, or the
/// reason why it cannot be called (the text is valid until the thread's next
/// call).
extern "C" __attribute__((visibility("default"))) const char *
assay_pjrt_register_ffi(const char *target, void *const stages[4]);
