// Activations over an Arithmetic: the order of operations is that of the formulas in
// the header, so that the matcher of drivers (verify/EltwiseMatch.h) finds them again.
// Sources: oneDNN's developer guide, "Eltwise"; PyTorch's documentation of torch.nn.
#include "assay/formulas/Activations.h"

#include <cmath>

namespace assay::formulas {

Value softPlus(Arithmetic &a, Value x) {
  Value small =
      a.unary("exponential", a.unary("negate", a.unary("abs", x)));
  return a.add(a.binary("maximum", x, a.number(0, x)),
               a.unary("log_plus_one", small));
}

Value mish(Arithmetic &a, Value x) {
  return a.mul(x, a.unary("tanh", softPlus(a, x)));
}

Value mishSlope(Arithmetic &a, Value x) {
  Value t = a.unary("tanh", softPlus(a, x));
  Value rest = a.mul(x, a.unary("logistic", x));
  return a.add(t, a.mul(rest, a.sub(a.number(1, x), a.mul(t, t))));
}

Value leaky(Arithmetic &a, Value x, Value slope) {
  return a.select(a.compare("GT", x, a.number(0, x)), x, a.mul(x, slope));
}

Value gated(Arithmetic &a, Value x, Value inner) {
  return a.mul(x, a.unary("logistic", inner));
}

Value gatedSlope(Arithmetic &a, Value inner) {
  Value one = a.number(1, inner), s = a.unary("logistic", inner);
  return a.mul(s, a.add(one, a.mul(inner, a.sub(one, s))));
}

Value tanhOfCube(Arithmetic &a, Value x) {
  Value cube = a.mul(x, a.mul(x, x));
  return a.unary("tanh",
                 a.mul(a.number(std::sqrt(2 / M_PI), x),
                       a.add(x, a.mul(a.number(0.044715, x), cube))));
}

Value geluByTanh(Arithmetic &a, Value x) {
  return a.mul(a.mul(a.number(0.5, x), x),
               a.add(a.number(1, x), tanhOfCube(a, x)));
}

} // namespace assay::formulas
