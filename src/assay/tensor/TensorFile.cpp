// From a specification to a tensor: the extension picks the format, the part
// behind the colon the member.
#include "assay/tensor/TensorFile.h"
#include "assay/tensor/Npy.h"
#include "assay/tensor/Npz.h"
#include "llvm/ADT/StringExtras.h"

namespace assay::tensor {

static constexpr llvm::StringLiteral kContainers[] = {".npz", ".safetensors",
                                                      ".h5", ".hdf5"};

TensorSpec parseTensorSpec(llvm::StringRef spec) {
  for (llvm::StringRef extension : kContainers) {
    std::string mark = extension.str() + ":";
    size_t at = spec.rfind_insensitive(mark);
    if (at != llvm::StringRef::npos)
      return {spec.take_front(at + extension.size()).str(),
              spec.drop_front(at + mark.size()).str()};
  }
  return {spec.str(), ""};
}

static llvm::Expected<Tensor>
readNpz(const TensorSpec &spec, const std::optional<TensorType> &expected) {
  llvm::Expected<NpzReader> reader = NpzReader::open(spec.path);
  if (!reader)
    return reader.takeError();
  if (!spec.member.empty())
    return reader->read(spec.member, expected);
  if (reader->names().size() == 1)
    return reader->read(reader->names()[0], expected);
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' holds {1} tensors; name one as '{0}:NAME'", spec.path,
                   reader->names().size());
}

llvm::Expected<Tensor> readTensor(llvm::StringRef spec,
                                  const std::optional<TensorType> &expected) {
  TensorSpec parts = parseTensorSpec(spec);
  llvm::StringRef path = parts.path;
  if (path.ends_with_insensitive(".npy"))
    return readNpy(path, expected);
  if (path.ends_with_insensitive(".npz"))
    return readNpz(parts, expected);
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' is no tensor file; known are x.npy, a.npz:name, "
                   "d.h5:/1/key and w.safetensors:name",
                   spec);
}

} // namespace assay::tensor
