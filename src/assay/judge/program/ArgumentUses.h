/// The uses of an argument in a program: the dimensions that are folded, the
/// functions, the narrower types. EdgeData.h derives from it the data on which
/// implementations go wrong.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <vector>

namespace assay::judge {

struct ArgumentUse {
  /// A bit per dimension that is summed, maximised, contracted or sorted over.
  uint32_t folded = 0;
  /// Those of the first operation that folds it, for example the rows of a loss
  /// that is their mean.
  uint32_t foldedFirst = 0;
  /// A bit per dimension of one image where weights depend on the position: an
  /// interpolation. Which weights are 0, and which neighbour has the weight, is
  /// open.
  uint32_t weighed = 0;
  bool isCurved = false;   ///< exp, tanh or a similar function reads it
  bool isCurvedItself = false; ///< and not only in a sum of products of two
                               ///< arguments
  bool isDelicate = false; ///< it meets a function that is tested only near
                           ///< zero: asin, lgamma
  bool isPeriodic = false; ///< a sine, cosine or tangent reads it
  bool hasPoles = false;   ///< it meets lgamma or a similar function with poles
                           ///< at 0
  bool isSignal = false;   ///< a real one that is Fourier transformed: where a
                           ///< NaN ends up depends on the algorithm
  bool meetsFunction = false; ///< a complex one that meets more than arithmetic
  bool isFactor = false;   ///< a factor of products that are summed
  bool isMultiplied = false; ///< multiplied by another argument, element by
                             ///< element
  bool isCounted = false;  ///< an integer that becomes a float at once
  bool becomesFloat = false; ///< an integer that is converted to float anywhere
  bool isSteering = false; ///< an integer that is an index, a count or a choice
  bool isDividend = false, isDivisor = false; ///< in a quotient of integers
  bool isCentred = false;  ///< its mean is subtracted from it, and may be a
                           ///< result
  bool isBlended = false;  ///< a term of a weighted mean, whose forms overflow
                           ///< and make NaN at different places
  bool isPower = false;    ///< it meets a power
  bool isBits = false;     ///< its bits are read as another type's
  bool isWindowed = false; ///< padded or folded in windows, where minus
                           ///< infinity may equal the padding
  bool hidesNan = false; ///< it is ordered in a way that leaves the place of NaN open
  bool isTotallyOrdered = false; ///< where its NaN are placed depends on their sign
  bool isImage = false;    ///< a convolution runs over it
  bool isFilter = false;   ///< it is a convolution's weights
  bool isChained = false;  ///< a factor of a product that is a factor itself
  /// The value that the program tests a line for, where any or all of its
  /// elements must be it: a constant, or true for truth values.
  std::optional<double> asked;
  bool isWidened = false;  ///< it is repeated along other dimensions
  /// Digits of the narrowest float type that it is rounded to; 0: none.
  int digits = 0;
  /// Largest number of the narrowest integer type that it is rounded to; 0:
  /// none.
  double integerLimit = 0;
  bool isRounded = false;  ///< it is rounded to whole numbers
  /// By the constants that it is multiplied by and divided by before, one of its
  /// units becomes the distance of two whole numbers.
  double roundedUnit = 1;
};

/// One use per argument of `function`. Follows data through all operations,
/// loops and calls.
std::vector<ArgumentUse> usesOfArguments(mlir::func::FuncOp function);

} // namespace assay::judge
