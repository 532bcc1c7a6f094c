/// The roles of an operation in a fused loop.
#pragma once

#include "assay/program/Plan.h"
#include "assay/reference/Elementwise.h"

#include <functional>

namespace assay::engine {

enum class FusionRole : uint8_t {
  None,
  Elementwise,
  Reduction, ///< of the trailing dimensions, ones aside
};

/// The role of a step. `wanted` (may be empty) names operations whose results
/// must be there: they have none.
FusionRole fusionRoleOf(const program::StepNode &node,
                        const std::function<bool(mlir::Operation *)> &wanted);

/// The function of an elementwise operation, if it has one for its types.
std::optional<reference::ElementwiseFunction>
elementwiseFunctionOf(mlir::Operation *op);

/// The type of a value that is a tensor of known shape, else nullopt.
std::optional<program::TensorType> knownTypeOf(mlir::Value value);

/// The dimensions that are not 1.
tensor::Shape withoutOnes(llvm::ArrayRef<int64_t> shape);

/// How many elements a tensor of this shape has.
int64_t elementsOf(llvm::ArrayRef<int64_t> shape);

} // namespace assay::engine
