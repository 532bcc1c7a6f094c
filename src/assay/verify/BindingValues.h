/// Data of arguments whose binding demands more than a kind of fill.
#pragma once

#include "assay/tensor/Tensor.h"
#include "assay/verify/Driver.h"

namespace assay::verify {

/// Replaces the drawn values by those that the binding requires: magnitudes
/// (powers of two for scales that vary), one value, small integers, a softmax.
/// Leaves Any and Previous unchanged.
/// Errors: ResourceLimit.
llvm::Error applyBinding(const Binding &binding, tensor::Tensor &input);

/// Copies the NaN, infinities and zeros of special data into `input`, for
/// bindings whose results stay defined with them: divisors, factors.
/// Errors: ResourceLimit.
llvm::Error keepSpecial(const Binding &binding, const tensor::Tensor &special,
                        tensor::Tensor &input);

} // namespace assay::verify
