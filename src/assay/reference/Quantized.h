/// Implements all operations on quantised tensors at once: the specification's
/// dequantize_op_quantize and hybrid_dequantize_then_op. The operation itself
/// is compiled for the expressed types. Operations that only move elements or
/// evaluate a region work on the stored integers and need no conversion.
#pragma once

#include "assay/reference/Ops.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay::reference {

/// Whether a type of the operation is quantised and the operation computes with
/// the values (it does not only move them).
bool computesOnQuantized(const StepSpec &spec);

/// Dequantises the quantised operands, runs the operation that `compile` makes
/// for the expressed types, and quantises the results whose type is quantised.
/// Errors: those of `compile`.
llvm::Expected<std::unique_ptr<Step>> makeQuantizedStep(
    const StepSpec &spec,
    llvm::function_ref<llvm::Expected<std::unique_ptr<Step>>(const StepSpec &)>
        compile);

} // namespace assay::reference
