/// The table of custom_call targets: CustomCalls.def gives each its factory,
/// Lapack.def the LAPACK routines that JAX calls on the CPU.
#pragma once

#include "assay/reference/Ops.h"

namespace assay::reference {

#define ASSAY_CUSTOM_CALL(target, factory)                                     \
  llvm::Expected<std::unique_ptr<Step>> factory(const StepSpec &spec);
#include "assay/reference/custom/CustomCalls.def"
#undef ASSAY_CUSTOM_CALL

/// The step of a call by its target. Errors: Unsupported for a target that is
/// unknown, with those that are known.
llvm::Expected<std::unique_ptr<Step>> customCallStep(const StepSpec &spec,
                                                     llvm::StringRef target);

/// A call of a LAPACK routine (`lapack_spotrf_ffi`); null for another target.
llvm::Expected<std::unique_ptr<Step>> lapackCall(const StepSpec &spec,
                                                 llvm::StringRef target);

/// An entry of the call's configuration, from the dictionary mhlo.backend_config,
/// backend_config or mhlo.attributes; null if there is none.
mlir::Attribute configOf(mlir::Operation *op, llvm::StringRef name);
/// The same as a number (a letter is its code, true is 1).
int64_t configIntOf(mlir::Operation *op, llvm::StringRef name,
                    int64_t fallback);

/// Every result is the operand of the same number.
std::unique_ptr<Step> forwardOperands();

/// Whether the operation is a call that describes its operands and returns them
/// unchanged.
bool isAnnotation(mlir::Operation *op);

} // namespace assay::reference
