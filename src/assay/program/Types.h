/// Converts MLIR's types and constants to Assay's, and back.
#pragma once

#include "assay/tensor/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace assay::program {

/// The element type for an MLIR type, or nullopt where Assay has none (index,
/// opaque, quantised by blocks).
std::optional<numerics::ElementType> elementTypeOf(mlir::Type type);

/// A ranked tensor type with static shape; Unsupported with the reason
/// otherwise.
llvm::Expected<tensor::TensorType> tensorTypeOf(mlir::Type type);

/// The type of the shadow: f64 for floats of 32 bits or fewer, binary128 for
/// f64, complex<f64> for complex<f32>; nullopt for types that have no shadow.
std::optional<numerics::ElementType> shadowTypeOf(numerics::ElementType type);

/// A constant's elements: a splat stays a splat; other data is a view into the
/// attribute, which `owner` keeps alive.
llvm::Expected<tensor::Tensor> tensorOf(mlir::ElementsAttr attribute,
                                        std::shared_ptr<const void> owner);

/// The reverse: a constant with the tensor's bits, a splat where all elements
/// are equal. Errors: ResourceLimit.
llvm::Expected<mlir::DenseElementsAttr>
attributeOf(mlir::MLIRContext *context, const tensor::Tensor &tensor);

/// The MLIR type for Assay's type.
mlir::Type mlirTypeOf(mlir::MLIRContext *context,
                      const tensor::TensorType &type);

} // namespace assay::program
