/// Operations whose types have `?` dimensions: the step is compiled at run time
/// for the actual operand shapes, and kept for later runs with the same shapes.
#pragma once

#include "assay/program/PlanBuilder.h"

namespace assay::program {

/// A ranked tensor type with its `?` dimensions as ShapedType::kDynamic.
/// Errors: those of tensorTypeOf except for the shape.
llvm::Expected<TensorType> dynamicTypeOf(mlir::Type type);
bool isDynamic(const TensorType &type);

/// Whether `actual` matches `pattern`, in which `?` stands for any size.
bool fits(const TensorType &pattern, const TensorType &actual);

/// Errors: InvalidArgument for a size beyond the type's #stablehlo.bounds.
llvm::Error checkBounds(mlir::Type type, llvm::ArrayRef<int64_t> shape);

/// The step of an operation with a dynamic type. At run time its result shapes
/// are inferred, the operation is verified as if it had been written with those
/// shapes, and `compiler` makes the step. Errors at run time: InvalidArgument
/// with the verifier's message; those of the compiler.
std::unique_ptr<Step>
makeDynamicStep(const StepSpec &spec,
                std::shared_ptr<const StepCompiler> compiler);

} // namespace assay::program
