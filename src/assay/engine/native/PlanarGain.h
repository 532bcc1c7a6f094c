/// Whether one convolution of planar images is worth two transposes.
#pragma once

#include "assay/dialect/Stablehlo.h"

namespace assay::engine {

/// True where a convolution of planar images (NCHW) of known shapes takes less time
/// with channels last, its image and its result transposed. Source: the layers of
/// `./dev bench conv` in both layouts on one thread, Zen 4, 23 November 2026
/// (docs/native.md).
bool gainsFromChannelsLast(stablehlo::ConvolutionOp op);

} // namespace assay::engine
