/// Positions that an operator returns with its values: where elements are
/// equal, the position of any of them is right.
#pragma once

#include "assay/tensor/Tensor.h"

namespace assay::trace {

/// The recorded positions, replaced by those of `expected` wherever the record
/// names another element of the same value in `x`, each element once in its
/// line: sort, topk, kthvalue and extremes along a dimension choose freely
/// among equal elements. `values`: the elements of `x` that `expected` names.
/// The record itself where these are not positions in `x`.
tensor::Tensor withPlacesOfTies(const tensor::Tensor &x,
                                const tensor::Tensor &values,
                                const tensor::Tensor &expected,
                                const tensor::Tensor &recorded);

} // namespace assay::trace
