/// The roles of a program's arguments, read from its operations, so that random
/// data can resemble a model's: weights that keep the size of the data,
/// variances above zero.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace assay::judge {

struct ArgumentRole {
  /// The largest number of its products that one sum adds up (the fan-in of a
  /// weight); 0: none. Where both factors are arguments, only the second has
  /// it.
  double fanIn = 0;
  /// It reaches a square root or logarithm through sums with constants,
  /// broadcasts and similar operations.
  bool isVariance = false;
  /// It is broadcast and multiplied in: the scale of a normalisation.
  bool isGain = false;
};

/// One role per argument of `function`. Follows data through movements,
/// conversions, loops and calls.
std::vector<ArgumentRole> rolesOfArguments(mlir::func::FuncOp function);

} // namespace assay::judge
