/// Recognises simple orders in the regions of sort and reduce: the keys by
/// which a comparator sorts, and reducers of (value, place) that find the
/// largest or smallest value.
#pragma once

#include "assay/reference/KeyOrder.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace assay::reference {

/// A key is computed from the left elements (arguments 0, 2, 4, ...) in the
/// same way as from the right ones.
struct ComparedKey {
  mlir::Value left, right;
  KeyRule rule;
};

/// The keys of a comparator that is a lexicographic order, the most significant
/// one first: less(k0) or (equal(k0) and (less(k1) or ...)). Empty for any
/// other body.
llvm::SmallVector<ComparedKey, 2> comparedKeys(mlir::Region &region);

/// A reducer of (value, place) in the form of argmax and argmin: it keeps the
/// better value, or the second one where they are equal, and the smaller place
/// of equal values.
struct ArgReducer {
  bool largest = true;
  bool keepsNan = false; ///< a NaN is better than any number; the first one
                         ///< wins
};
std::optional<ArgReducer> argReducer(mlir::Region &region);

} // namespace assay::reference
