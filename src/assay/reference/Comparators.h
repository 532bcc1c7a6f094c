/// What the regions of sort and reduce say, where it is a simple order: by which
/// keys a comparator sorts, and whether a reducer of values and places looks for
/// the largest or the smallest value.
#pragma once

#include "assay/reference/KeyOrder.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace assay::reference {

/// A key is computed from the left elements (arguments 0, 2, 4, ...) as from the
/// right ones.
struct ComparedKey {
  mlir::Value left, right;
  KeyRule rule;
};

/// The keys of a comparator that is a lexicographic order, the most significant
/// one first: less(k0) or (equal(k0) and (less(k1) or ...)). Empty for any other
/// body.
llvm::SmallVector<ComparedKey, 2> comparedKeys(mlir::Region &region);

/// A reducer of (value, place) as argmax and argmin are written: the better
/// value, the second one where they are equal, and the smaller place of equal
/// ones.
struct ArgReducer {
  bool largest = true;
  bool keepsNan = false; ///< the first NaN is better than any number
};
std::optional<ArgReducer> argReducer(mlir::Region &region);

} // namespace assay::reference
