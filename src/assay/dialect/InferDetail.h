/// Checks of dimension lists that the Infer*.cpp share.
#pragma once

#include "assay/dialect/Infer.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace assay::stablehlo {

/// Every number within [0, limit), none twice.
inline bool isUniqueBelow(Shape dims, int64_t limit) {
  llvm::SmallBitVector seen(static_cast<unsigned>(limit));
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= limit || seen.test(static_cast<unsigned>(dim)))
      return false;
    seen.set(static_cast<unsigned>(dim));
  }
  return true;
}

/// One list after the other.
inline Dims concatLists(Shape first, Shape second) {
  Dims all(first);
  all.append(second.begin(), second.end());
  return all;
}

inline bool dimsAgree(int64_t a, int64_t b) {
  return a == b || mlir::ShapedType::isDynamic(a) ||
         mlir::ShapedType::isDynamic(b);
}

} // namespace assay::stablehlo
