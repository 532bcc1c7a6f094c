// Softmax by the largest element of each line, so that no exponential overflows.
// Sources: oneDNN's developer guide, "Softmax"; PyTorch's documentation of
// torch.nn.functional.softmax and log_softmax.
#include "assay/formulas/Softmax.h"

#include <cmath>

namespace assay::formulas {

using program::Builder;
using program::Dims;

Value Arithmetic::along(Value perLine, Value x, int64_t axis) {
  Dims kept, shape(Builder::typeOf(x).shape);
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    if (d != axis)
      kept.push_back(d);
  return builder_.broadcast(perLine, shape, kept);
}

Value softmaxForward(Arithmetic &a, Value x, int64_t axis, SoftmaxForm form) {
  Value largest = a.reduce("maximum", x, axis), isEmpty;
  Builder &b = a.builder();
  tensor::TensorType line = Builder::typeOf(largest);
  if (form == SoftmaxForm::InfAsZero) {
    isEmpty = b.compare("EQ", largest, b.constant(-INFINITY, line));
    largest = b.select(isEmpty, b.constant(0, line), largest);
  }
  Value shifted = a.sub(x, a.along(largest, x, axis));
  Value powers = a.unary("exponential", shifted);
  Value sum = a.reduce("add", powers, axis);
  if (form == SoftmaxForm::Logarithm)
    return a.sub(shifted, a.along(a.unary("log", sum), x, axis));
  if (isEmpty)
    sum = b.select(isEmpty, b.constant(1, line), sum);
  return a.div(powers, a.along(sum, x, axis));
}

Value softmaxBackward(Arithmetic &a, Value dst, Value diffDst, int64_t axis,
                      SoftmaxForm form) {
  bool logarithm = form == SoftmaxForm::Logarithm;
  Value terms = logarithm ? diffDst : a.mul(dst, diffDst);
  Value sum = a.along(a.reduce("add", terms, axis), dst, axis);
  if (!logarithm)
    return a.mul(dst, a.sub(diffDst, sum));
  return a.sub(diffDst, a.mul(a.unary("exponential", dst), sum));
}

} // namespace assay::formulas
