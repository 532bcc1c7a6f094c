/// The roles of an operation in a fused loop.
#pragma once

#include "assay/reference/Elementwise.h"
#include "assay/tensor/Tensor.h"

namespace assay::engine {

enum class FusionRole : uint8_t {
  None,
  Elementwise,
  Reduction, ///< of the trailing dimensions, ones aside
};

/// The role of an operation; observed ones have none.
FusionRole fusionRoleOf(mlir::Operation *op);

/// The function of an elementwise operation, if it has one for its types.
std::optional<reference::ElementwiseFunction>
elementwiseFunctionOf(mlir::Operation *op);

/// The type of a value that is a tensor of known shape, else nullopt.
std::optional<tensor::TensorType> knownTypeOf(mlir::Value value);

/// The dimensions that are not 1.
tensor::Shape withoutOnes(llvm::ArrayRef<int64_t> shape);

/// How many elements a tensor of this shape has.
int64_t elementsOf(llvm::ArrayRef<int64_t> shape);

} // namespace assay::engine
