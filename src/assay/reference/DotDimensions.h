/// The dimension numbers of any operation that is a product.
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
/// nullopt for an operation that is not a product. `lhs` is the left operand's
/// type.
std::optional<DotDimensions> dotDimensions(mlir::Operation *op,
                                           const tensor::TensorType &lhs);

} // namespace assay::reference
