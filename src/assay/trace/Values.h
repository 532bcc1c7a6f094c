/// A tensor's elements as doubles, and figures as text.
#pragma once

#include "assay/tensor/Tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace assay::trace {

/// The elements of a dense tensor that is not complex.
std::vector<double> doublesOf(const tensor::Tensor &tensor);

/// Whether both have one type and equal bytes.
bool sameBytes(const tensor::Tensor &a, const tensor::Tensor &b);

/// The tensor in another type; nullopt: it cannot be read or made.
std::optional<tensor::Tensor> convertedTo(numerics::ElementType type,
                                          const tensor::Tensor &tensor);
/// A call under autocast, as it ran: its operands in the narrowest type among them
/// and the result, which then was widened. False: the result is not exact in that type,
/// or all have it.
bool castToNarrowest(llvm::ArrayRef<tensor::Tensor *> operands,
                     tensor::Tensor &result);

/// L2 of the difference over L2 of the finite elements of `exact`; equal values and
/// two NaN do not differ. HUGE_VAL: it is not finite, or `exact` is 0.
double relativeDistance(llvm::ArrayRef<double> got,
                        llvm::ArrayRef<double> exact);
/// The same for two tensors; HUGE_VAL too where their shapes differ.
double relativeDistance(const tensor::Tensor &got, const tensor::Tensor &exact);

/// The value with this many significant digits: "0.00123".
std::string figure(double value, int digits = 3);

} // namespace assay::trace
