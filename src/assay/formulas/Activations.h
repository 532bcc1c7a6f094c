/// Smooth activations and their slopes that drivers and PyTorch's operators share.
#pragma once

#include "assay/formulas/Arithmetic.h"

namespace assay::formulas {

/// Formula:  log(1 + e^x) = max(x, 0) + log1p(exp(-|x|)), which does not overflow
Value softPlus(Arithmetic &a, Value x);

/// Formula:  x tanh(softPlus(x))
Value mish(Arithmetic &a, Value x);
/// Formula:  t + x logistic(x) (1 - t^2), t = tanh(softPlus(x))
Value mishSlope(Arithmetic &a, Value x);

/// PReLU, and a leaky ReLU.
/// Formula:  x where x > 0, else x slope
Value leaky(Arithmetic &a, Value x, Value slope);

/// SiLU, swish and the GELU by a sigmoid, by what the gate is of.
/// Formula:  x logistic(inner)
Value gated(Arithmetic &a, Value x, Value inner);
/// The slope in x where inner = c x.
/// Formula:  s (1 + inner (1 - s)), s = logistic(inner)
Value gatedSlope(Arithmetic &a, Value inner);

/// Formula:  tanh(sqrt(2 / pi) (x + 0.044715 x^3))
Value tanhOfCube(Arithmetic &a, Value x);
/// Formula:  x / 2 (1 + tanhOfCube(x))
Value geluByTanh(Arithmetic &a, Value x);

} // namespace assay::formulas
