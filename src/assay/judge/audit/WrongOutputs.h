/// Outputs that are wrong, made from a right one: what faulty kernels leave
/// behind. An acceptance that lets one of them pass misses that fault.
#pragma once

#include "assay/tensor/Tensor.h"

#include <string>
#include <vector>

namespace assay::judge {

/// A wrong result, and the expected one that a test would compare it with.
struct WrongOutput {
  std::string name;
  tensor::Tensor got;
  tensor::Tensor expected; ///< the right one, unless the fault needs another
};

/// zeros, constant, input_copied (where an input has the type), sign_flipped,
/// scaled_1.01, scaled_1.05, one_element, one_row, one_column, one_tile, tail,
/// block_transposed, neighbours_swapped, previous_row, stale (`other`: the
/// result on other data), nan_element, nan_swallowed, saturated. Those that
/// change nothing in this tensor are left out.
/// Errors: ResourceLimit.
llvm::Expected<std::vector<WrongOutput>>
wrongOutputs(const tensor::Tensor &expected,
             llvm::ArrayRef<tensor::Tensor> inputs,
             const tensor::Tensor &other);

/// The tensor with the element of ordinary size moved by `share` of the rms of
/// all (complex: its real part); integers by at least one.
llvm::Expected<tensor::Tensor> withOneElementOff(const tensor::Tensor &expected,
                                                 double share);

} // namespace assay::judge
