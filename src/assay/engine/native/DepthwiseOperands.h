/// The operands of a depthwise convolution in the order in which its kernels
/// read them.
#pragma once

#include "assay/engine/native/DepthwiseGeometry.h"
#include "assay/engine/native/Steps.h"

namespace assay::engine {

/// The image with channels last: the operand itself, or a copy if its layout is
/// another.
llvm::Expected<Tensor> depthwiseImage(StepContext &context,
                                      const DepthwiseGeometry &geometry);

/// `filter` as [feature, taps, input, channel], in its own type; `filter`
/// itself if it has that layout.
llvm::Expected<Tensor> depthwiseFilter(StepContext &context,
                                       const DepthwiseGeometry &geometry,
                                       const Tensor &filter);

/// The same numbers in another type; `tensor` itself if it has that type
/// already.
llvm::Expected<Tensor> convertedTo(numerics::ElementType type, StepContext &context,
                                   const Tensor &tensor);

} // namespace assay::engine
