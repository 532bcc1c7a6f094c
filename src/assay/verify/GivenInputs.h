/// Tensors of a problem from the user's files (--input=ROLE=FILE), instead
/// of drawn ones.
#pragma once

#include "assay/tensor/Tensor.h"
#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <string>
#include <vector>

namespace assay::verify {

/// The tensor in `file` (x.npy, a.npz:name, w.safetensors:name, d.h5:/key), which
/// must have the type and the sizes of the problem's tensor `role`. Errors:
/// those of formats::readTensor.
llvm::Expected<tensor::Tensor> readGiven(llvm::StringRef role,
                                         llvm::StringRef file,
                                         const tensor::TensorType &type);

/// The same as floats in logical row-major order. Errors: also InvalidArgument
/// where a value is not a float.
llvm::Expected<std::vector<float>>
readGivenFloats(llvm::StringRef role, llvm::StringRef file,
                const tensor::TensorType &type);

/// Errors: InvalidArgument for a role that the problem does not have, naming
/// the roles that it has.
llvm::Error checkRoles(const std::map<std::string, std::string> &inputs,
                       llvm::ArrayRef<std::string> roles);

} // namespace assay::verify
