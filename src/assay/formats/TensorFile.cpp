// From a specification to a tensor: the extension picks the format, the part
// after the colon the member.
#include "assay/formats/TensorFile.h"
#include "assay/formats/Hdf5Reader.h"
#include "assay/formats/Npy.h"
#include "assay/formats/Npz.h"
#include "assay/formats/Safetensors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace assay::formats {

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

static llvm::Error severalTensors(llvm::StringRef path, size_t count) {
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' holds {1} tensors; name one as '{0}:NAME'", path,
                   count);
}

/// .npz and .safetensors: the named member, or the only one.
template <typename Reader>
static llvm::Expected<Tensor>
readMember(const TensorSpec &spec, const std::optional<TensorType> &expected) {
  llvm::Expected<Reader> reader = Reader::open(spec.path);
  if (!reader)
    return reader.takeError();
  if (!spec.member.empty())
    return reader->read(spec.member, expected);
  if (reader->names().size() == 1)
    return reader->read(reader->names()[0], expected);
  return severalTensors(spec.path, reader->names().size());
}

static llvm::Expected<Tensor>
readHdf5(const TensorSpec &spec, const std::optional<TensorType> &expected) {
  llvm::Expected<std::unique_ptr<Hdf5Reader>> reader =
      Hdf5Reader::open(spec.path);
  if (!reader)
    return reader.takeError();
  const std::vector<Hdf5Dataset> &datasets = (*reader)->datasets();
  if (spec.member.empty() && datasets.size() != 1)
    return severalTensors(spec.path, datasets.size());
  const Hdf5Dataset *dataset =
      spec.member.empty() ? &datasets[0] : (*reader)->find(spec.member);
  if (!dataset)
    return makeError(ErrorCode::NotFound,
                     "'{0}' has no dataset '{1}'; `assay summary {0}` lists "
                     "the {2} that it has",
                     spec.path, spec.member, datasets.size());
  return (*reader)->readTensor(*dataset, expected);
}

/// A file that numpy.save() wrote under a name without extension.
static bool beginsAsNpy(llvm::StringRef path) {
  constexpr llvm::StringLiteral kMagic("\x93NUMPY");
  auto head = llvm::MemoryBuffer::getFileSlice(path, kMagic.size(), 0);
  return head && (*head)->getBuffer() == kMagic;
}

llvm::Expected<Tensor> readTensor(llvm::StringRef spec,
                                  const std::optional<TensorType> &expected) {
  TensorSpec parts = parseTensorSpec(spec);
  llvm::StringRef path = parts.path;
  if (path.ends_with_insensitive(".npy"))
    return readNpy(path, expected);
  if (path.ends_with_insensitive(".npz"))
    return readMember<NpzReader>(parts, expected);
  if (path.ends_with_insensitive(".safetensors"))
    return readMember<SafetensorsReader>(parts, expected);
  if (path.ends_with_insensitive(".h5") || path.ends_with_insensitive(".hdf5"))
    return readHdf5(parts, expected);
  if (beginsAsNpy(path))
    return readNpy(path, expected);
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' is not a tensor file; known are x.npy, a.npz:name, "
                   "d.h5:/1/key and w.safetensors:name",
                   spec);
}

} // namespace assay::formats
