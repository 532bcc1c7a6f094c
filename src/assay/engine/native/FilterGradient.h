/// Gradients of filters: the layout of their dimensions, and what FilterGradient.cpp hands to
/// the kernels of groups.
#pragma once

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/Steps.h"
#include "assay/reference/Windows.h"

namespace assay::engine {

/// True when dimensions follow each other in memory: `first`, the spatial ones,
/// `last`.
bool areInOrder(int64_t first, llvm::ArrayRef<int64_t> spatial, int64_t last);

/// The gradient of a filter with channels last: image [c, positions, n] as the
/// operation names it, gradient [n, positions, o], result [taps, c, o].
bool isGradientOfChannelsLast(stablehlo::ConvDimensionNumbersAttr dims);

/// The gradient of a filter in groups of a few channels, image, gradient and
/// filter channels last, the first two of `type`; `forward`: the windows of the forward
/// convolution; the result is of the type of the sums. Null where groups are wide,
/// where there is only one, for bytes, and where a line of windows is beyond memory.
std::unique_ptr<Step>
makeGroupedFilterGradient(std::shared_ptr<NativeContext> context,
                          const geometry::Convolution &forward,
                          kernels::DataType type);

} // namespace assay::engine
