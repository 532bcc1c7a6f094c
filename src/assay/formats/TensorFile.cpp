// From a specification to a tensor: the file's extension selects the format (a
// row of kFormats), the text after the colon the member.
#include "assay/formats/TensorFile.h"
#include "assay/formats/Hdf5Reader.h"
#include "assay/formats/Npy.h"
#include "assay/formats/Npz.h"
#include "assay/formats/Safetensors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace assay::formats {

static llvm::Error severalTensors(llvm::StringRef path, size_t count) {
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' holds {1} tensors; name one as '{0}:NAME'", path,
                   count);
}

/// Reads the named member of an .npz or .safetensors file, or its only one.
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

/// For formats whose files hold one unnamed tensor.
template <auto Read>
static llvm::Expected<Tensor>
readOnly(const TensorSpec &spec, const std::optional<TensorType> &expected) {
  return Read(spec.path, expected);
}

namespace {
/// How tensors are read from files with a given extension.
struct Format {
  llvm::StringLiteral ending;
  bool hasMembers;          ///< members are named as FILE:NAME
  llvm::StringLiteral like; ///< an example, for a message; may be empty
  llvm::Expected<Tensor> (*read)(const TensorSpec &,
                                 const std::optional<TensorType> &);
};
} // namespace

static constexpr Format kFormats[] = {
    {".npy", false, "x.npy", readOnly<readNpy>},
    {".npz", true, "a.npz:name", readMember<NpzReader>},
    {".safetensors", true, "w.safetensors:name", readMember<SafetensorsReader>},
    {".h5", true, "d.h5:/1/key", readHdf5},
    {".hdf5", true, "", readHdf5},
};

TensorSpec parseTensorSpec(llvm::StringRef spec) {
  for (const Format &format : kFormats) {
    std::string mark = format.ending.str() + ":";
    size_t at = spec.rfind_insensitive(mark);
    if (format.hasMembers && at != llvm::StringRef::npos)
      return {spec.take_front(at + format.ending.size()).str(),
              spec.drop_front(at + mark.size()).str()};
  }
  return {spec.str(), ""};
}

/// Whether a file without extension was written by numpy.save().
static bool beginsAsNpy(llvm::StringRef path) {
  constexpr llvm::StringLiteral kMagic("\x93NUMPY");
  auto head = llvm::MemoryBuffer::getFileSlice(path, kMagic.size(), 0);
  return head && (*head)->getBuffer() == kMagic;
}

llvm::Expected<Tensor> readTensor(llvm::StringRef spec,
                                  const std::optional<TensorType> &expected) {
  TensorSpec parts = parseTensorSpec(spec);
  llvm::StringRef path = parts.path;
  for (const Format &format : kFormats)
    if (path.ends_with_insensitive(format.ending))
      return format.read(parts, expected);
  if (beginsAsNpy(path))
    return readNpy(path, expected);
  std::string known;
  for (const Format &format : kFormats)
    known += (known.empty() || format.like.empty() ? "" : ", ") +
             format.like.str();
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' is not a tensor file; expected {1}", spec, known);
}

} // namespace assay::formats
