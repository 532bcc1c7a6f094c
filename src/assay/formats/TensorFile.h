/// Reads tensors by the specifications that every command's --input accepts
/// (docs/cli.md, "Tensors in files").
#pragma once

#include "assay/formats/Types.h"

#include <optional>

namespace assay::formats {

/// The file and the member of "a.npz:name", "d.h5:/1/key", "w.safetensors:name"
/// or "x.npy" (no member).
struct TensorSpec {
  std::string path, member;
};
TensorSpec parseTensorSpec(llvm::StringRef spec);

/// Reads the tensor that `spec` names: x.npy, a.npz:name, d.h5:/1/key,
/// w.safetensors:name. The member may be omitted when the file has just one.
/// With `expected`, integers of the same width stand for types that the file
/// format lacks (see finishStored). Errors: each names file and member.
llvm::Expected<Tensor>
readTensor(llvm::StringRef spec,
           const std::optional<TensorType> &expected = std::nullopt);

} // namespace assay::formats
