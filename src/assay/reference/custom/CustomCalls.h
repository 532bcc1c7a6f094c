/// The table of custom_call targets: CustomCalls.def maps each one to its
/// factory, Lapack.def has the LAPACK routines that JAX calls on the CPU.
#pragma once

#include "assay/reference/Ops.h"

namespace assay::reference {

#define ASSAY_CUSTOM_CALL(target, factory)                                     \
  llvm::Expected<std::unique_ptr<Step>> factory(const StepSpec &spec);
#include "assay/reference/custom/CustomCalls.def"
#undef ASSAY_CUSTOM_CALL

/// The step of a call, looked up by target. Errors: Unsupported for an unknown
/// target; the message lists the known ones.
llvm::Expected<std::unique_ptr<Step>> customCallStep(const StepSpec &spec,
                                                     llvm::StringRef target);

/// The step of a LAPACK call (`lapack_spotrf_ffi`); null for other targets.
llvm::Expected<std::unique_ptr<Step>> lapackCall(const StepSpec &spec,
                                                 llvm::StringRef target);

/// An entry of the call's configuration, from the dictionary mhlo.backend_config,
/// backend_config or mhlo.attributes; null if there is none.
mlir::Attribute configOf(mlir::Operation *op, llvm::StringRef name);
/// The entry as a number (a letter becomes its code, true becomes 1).
int64_t configIntOf(mlir::Operation *op, llvm::StringRef name,
                    int64_t fallback);

/// A step that returns each operand as the result of the same number.
std::unique_ptr<Step> forwardOperands();

/// Whether the operation is a call that only annotates its operands and returns
/// them unchanged.
bool isAnnotation(mlir::Operation *op);

} // namespace assay::reference
