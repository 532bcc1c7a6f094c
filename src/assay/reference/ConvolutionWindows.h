/// The geometry of a convolution: which elements of the input each output
/// position sees. Shared by the reference's convolution and the native
/// engine's.
#pragma once

#include "assay/dialect/Stablehlo.h"
#include "assay/reference/Ops.h"

namespace assay::reference {

/// Operands as they are brought into order first: the input as [batch, spatial,
/// feature], the kernel as [output feature, spatial, input feature].
struct ConvolutionWindows {
  int64_t batch = 0, features = 0, outFeatures = 0; ///< of input and result
  int64_t featureGroups = 1, batchGroups = 1;
  Shape in, kernel, out; ///< spatial sizes
  Ints strides, low, lhsDilation, rhsDilation, reversal;
  Shape lhsOrder, rhsOrder; ///< dimensions of the operands in that order
  Shape outStrides; ///< of the result: batch, spatial, feature; in elements

  /// Decodes convolution or dynamic_conv (whose padding is `low` = 0 here).
  static ConvolutionWindows of(mlir::Operation *op,
                               stablehlo::ConvDimensionNumbersAttr dims,
                               const StepSpec &spec);

  int64_t groups() const { return std::max(featureGroups, batchGroups); }
  int64_t groupIn() const { return features / featureGroups; }
  int64_t groupOut() const { return outFeatures / groups(); }
  int64_t inPositions() const;
  int64_t positions() const;
  int64_t taps() const;
  /// True when each output position sees exactly the input's element at the
  /// same position.
  bool isPointwise() const;

  /// True when zeros lie between the input's elements.
  bool hasDilatedInput() const;

  /// One row [kernel positions, groupIn]: the window of output position `at` in
  /// batch entry `n`, features from `feature` on; zero outside the input.
  /// Units: `width` is the bytes of an element. Threads: re-entrant.
  void gather(const std::byte *input, int64_t n, llvm::ArrayRef<int64_t> at,
              int64_t feature, int64_t width, std::byte *row) const;
};

} // namespace assay::reference
