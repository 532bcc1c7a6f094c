/// The dimension numbers of a product, from any operation that has them.
#pragma once

#include "assay/tensor/Tensor.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace mlir {
class Operation;
}

namespace assay::reference {

/// The dimensions of a dot_general or dot.
struct DotDimensions {
  llvm::SmallVector<int64_t, 2> lhsBatch, rhsBatch, lhsContracted,
      rhsContracted;
};
/// nullopt when the operation is not a product. `lhs` is the left operand's type.
std::optional<DotDimensions> dotDimensions(mlir::Operation *op,
                                           const tensor::TensorType &lhs);

} // namespace assay::reference
