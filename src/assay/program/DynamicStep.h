/// Operations whose types have `?` dimensions: the step is compiled when it
/// runs, for the shapes of its operands, and kept for the next run with
/// the same shapes.
#pragma once

#include "assay/program/PlanBuilder.h"

namespace assay::program {

/// A ranked tensor type with its `?` dimensions as ShapedType::kDynamic.
/// Errors: those of tensorTypeOf except for the shape.
llvm::Expected<TensorType> dynamicTypeOf(mlir::Type type);
bool isDynamic(const TensorType &type);

/// Whether `actual` is one of the types that `pattern`, with `?`, stands for.
bool fits(const TensorType &pattern, const TensorType &actual);

/// Errors: InvalidArgument for a size beyond the type's #stablehlo.bounds.
llvm::Error checkBounds(mlir::Type type, llvm::ArrayRef<int64_t> shape);

/// The step of an operation with a dynamic type. At run time its result shapes
/// are inferred, the operation is verified with them as if the program had been
/// written in that form, and `compiler` makes the step. Errors then: InvalidArgument with
/// the verifier's words; those of the compiler.
std::unique_ptr<Step>
makeDynamicStep(const StepSpec &spec,
                std::shared_ptr<const StepCompiler> compiler);

} // namespace assay::program
