/// What FilterGradient.cpp hands to the kernels of groups.
#pragma once

#include "assay/engine/native/Steps.h"
#include "assay/reference/ConvolutionWindows.h"

namespace assay::engine {

/// The gradient of a filter in groups of a few channels, image, gradient and
/// filter channels last, all of `type`; `forward`: the windows of the forward
/// convolution. Null where groups are wide, where there is one, or for another
/// type than f32 and f64.
std::unique_ptr<Step>
makeGroupedFilterGradient(std::shared_ptr<NativeContext> context,
                          const reference::ConvolutionWindows &forward,
                          kernels::DataType type);

} // namespace assay::engine
