/// The operands of a depthwise convolution in the order that its kernels read.
#pragma once

#include "assay/engine/native/DepthwiseGeometry.h"
#include "assay/engine/native/Steps.h"

namespace assay::engine {

/// The image with channels last: the operand itself, or a copy where they lie otherwise.
llvm::Expected<Tensor> depthwiseImage(StepContext &context,
                                      const DepthwiseGeometry &geometry);

/// `filter` as [feature, taps, input, channel], in its own type: itself where it lies so.
llvm::Expected<Tensor> depthwiseFilter(StepContext &context,
                                       const DepthwiseGeometry &geometry,
                                       const Tensor &filter);

/// Asks for lines in the order of memory, into the second-level cache: the kernels come
/// back to each pixel for each block of channels, strides that no processor fetches ahead.
inline void askForLines(const std::byte *begin, int64_t bytes) {
  for (int64_t line = 0; line < bytes; line += 64)
    __builtin_prefetch(begin + line, 0, 2);
}

} // namespace assay::engine
