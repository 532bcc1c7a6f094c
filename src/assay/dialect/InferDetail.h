/// Checks of dimension lists, shared by the Infer*.cpp.
#pragma once

#include "assay/dialect/Infer.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace assay::stablehlo {

/// Whether every number is in [0, limit) and none is repeated.
inline bool isUniqueBelow(Shape dims, int64_t limit) {
  llvm::SmallBitVector seen(static_cast<unsigned>(limit));
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= limit || seen.test(static_cast<unsigned>(dim)))
      return false;
    seen.set(static_cast<unsigned>(dim));
  }
  return true;
}

/// Concatenates two lists.
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
