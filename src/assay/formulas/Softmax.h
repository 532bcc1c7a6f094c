/// Softmax and its logarithm along one axis, forward and backward.
#pragma once

#include "assay/formulas/Arithmetic.h"

namespace assay::formulas {

/// InfAsZero: a line of minus infinities gives zeros, not NaN.
enum class SoftmaxForm : uint8_t { Plain, Logarithm, InfAsZero };

/// Along `axis`, with m the maximum.
/// Formula:  exp(x - m) / sum(exp(x - m));
///           Logarithm: x - m - log(sum(exp(x - m)))
Value softmaxForward(Arithmetic &a, Value x, int64_t axis,
                     SoftmaxForm form = SoftmaxForm::Plain);
/// From the result of the forward pass.
/// Formula:  dst * (diffDst - sum(dst * diffDst));
///           Logarithm: diffDst - exp(dst) * sum(diffDst)
Value softmaxBackward(Arithmetic &a, Value dst, Value diffDst, int64_t axis,
                      SoftmaxForm form = SoftmaxForm::Plain);

} // namespace assay::formulas
