/// Data of arguments whose binding says more than the kind of the fill does.
#pragma once

#include "assay/tensor/Tensor.h"
#include "assay/verify/Driver.h"

namespace assay::verify {

/// Puts what the binding asks for in place of what the fill drew: magnitudes
/// (of scales that vary: powers of two), one value, small integers, a softmax. Leaves Any and Previous as they are.
/// Errors: ResourceLimit.
llvm::Error applyBinding(const Binding &binding, tensor::Tensor &input);

/// Whether a NaN must come out of the program wherever its arithmetic takes it:
/// there are copies, sums, products, quotients and roots alone. What functions
/// and choices (exponentials, maxima, comparisons) make of NaN is up to an
/// engine; --fill=special asks for that.
bool carriesNan(const BoundProgram &bound);
/// Makes one element of an argument of floats NaN, unless its binding says what
/// it holds. Errors: ResourceLimit.
llvm::Error plantNan(const Binding &binding, uint64_t seed,
                     tensor::Tensor &input);

} // namespace assay::verify
