/// Sums that a program writes as several additions (a + b + c, a recurrence, a
/// polynomial) may be added in another order, as those of one operation may: each
/// addition may then round by as much as the sum of all terms.
#pragma once

#include "assay/judge/program/ErrorTracker.h"

namespace assay::judge {

class OtherOrders {
public:
  /// The errors of a result, with what another order of its terms adds. Called
  /// for every operation in order.
  Errors add(mlir::Operation *op, llvm::ArrayRef<program::Value *> operands,
             const program::Value &result, Errors errors);

private:
  using Sizes = std::shared_ptr<const std::vector<double>>;
  /// The sum of the magnitudes of the terms of a value; null where it is not a sum.
  Sizes sizesOf(mlir::Value value) const { return sizes_.lookup(value); }

  llvm::DenseMap<mlir::Value, Sizes> sizes_;
};

/// Whether a result is used in more arithmetic: another form need not compute
/// this number, so its place in its binade does not matter.
bool isOnItsWay(mlir::Operation *op);

} // namespace assay::judge
