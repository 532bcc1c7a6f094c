/// Data of arguments whose binding demands more than a kind of fill.
#pragma once

#include "assay/tensor/Tensor.h"
#include "assay/verify/Driver.h"

namespace assay::verify {

/// Replaces what the fill drew by what the binding asks for: magnitudes
/// (of scales that vary: powers of two), one value, small integers, a softmax. Leaves Any and Previous as they are.
/// Errors: ResourceLimit.
llvm::Error applyBinding(const Binding &binding, tensor::Tensor &input);

/// Puts the NaN, infinities and zeros of special data where they stand, for
/// bindings that leave them defined: divisors, factors. Errors: ResourceLimit.
llvm::Error keepSpecial(const Binding &binding, const tensor::Tensor &special,
                        tensor::Tensor &input);

} // namespace assay::verify
