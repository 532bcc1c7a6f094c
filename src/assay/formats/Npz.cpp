// .npz archives: a ZIP directory (Zip.h) whose members are .npy images (Npy.h).
// Stored members are used in place when the file is mapped; deflated ones are
// unpacked into one buffer that the tensor then shares.
#include "assay/formats/Npz.h"
#include "assay/formats/Npy.h"
#include "assay/tensor/MappedFile.h"
#include "llvm/ADT/StringExtras.h"

namespace assay::formats {

/// Begins the comment of a member whose .npy type stands in for another type.
static constexpr llvm::StringLiteral kTypeComment = "assay type ";

llvm::Expected<NpzReader> NpzReader::open(llvm::StringRef path) {
  return tensor::openMapped<NpzReader>(path);
}

llvm::Expected<NpzReader>
NpzReader::fromBytes(llvm::ArrayRef<uint8_t> bytes, llvm::StringRef name,
                     std::shared_ptr<const void> owner) {
  llvm::Expected<std::vector<ZipMember>> members =
      readZipDirectory(bytes, "'" + name.str() + "'");
  if (!members)
    return members.takeError();
  NpzReader result;
  result.path_ = name.str();
  result.bytes_ = bytes;
  result.owner_ = std::move(owner);
  for (ZipMember &member : *members) {
    llvm::StringRef memberName = member.name;
    if (!memberName.consume_back(".npy"))
      continue;
    std::string key = memberName.str();
    if (!result.members_.contains(key))
      result.names_.push_back(key);
    result.members_[key] = std::move(member);
  }
  return result;
}

llvm::Expected<StoredTensor> NpzReader::stored(llvm::StringRef name,
                                               std::string &what) const {
  what = "'" + path_ + ":" + name.str() + "'";
  auto it = members_.find(name);
  if (it == members_.end())
    return noTensor(path_, name, names_);
  std::shared_ptr<const void> owner = owner_;
  llvm::Expected<llvm::ArrayRef<uint8_t>> bytes =
      unpackMember(bytes_, it->second, what, owner);
  if (!bytes)
    return bytes.takeError();
  if (llvm::Error error = checkCrc(*bytes, it->second, what))
    return error;
  llvm::Expected<StoredTensor> result = parseNpy(*bytes, what);
  if (!result)
    return result.takeError();
  result->owner = std::move(owner);
  llvm::StringRef comment = it->second.comment;
  if (comment.consume_front(kTypeComment))
    if (std::optional<ElementType> type = numerics::parseElementType(comment))
      if (type->storageBytes() == result->type.element.storageBytes()) {
        result->type.element = *type;
        result->opaque = false;
      }
  return result;
}

llvm::Expected<Tensor>
NpzReader::read(llvm::StringRef name,
                const std::optional<TensorType> &expected) const {
  std::string what;
  llvm::Expected<StoredTensor> tensor = stored(name, what);
  if (!tensor)
    return tensor.takeError();
  return finishStored(*tensor, expected, what);
}

llvm::Expected<TensorType> NpzReader::typeOf(llvm::StringRef name) const {
  std::string what;
  llvm::Expected<StoredTensor> tensor = stored(name, what);
  if (!tensor)
    return tensor.takeError();
  return tensor->type;
}

llvm::Expected<NpzWriter> NpzWriter::create(llvm::StringRef path,
                                            bool compress) {
  llvm::Expected<std::unique_ptr<ZipWriter>> zip = ZipWriter::create(path);
  if (!zip)
    return zip.takeError();
  NpzWriter result;
  result.zip_ = std::move(*zip);
  result.compress_ = compress;
  return result;
}

llvm::Error NpzWriter::add(llvm::StringRef name, const Tensor &tensor) {
  llvm::Expected<Tensor> dense = tensor.dense();
  if (!dense)
    return dense.takeError();
  ElementType type = tensor.elementType();
  bool standIn = (type.isFloat() && type.bits < 32 &&
                  type.format != numerics::FloatFormat::F16) ||
                 (type.isInteger() && type.bits < 8);
  std::string comment =
      standIn ? (kTypeComment + numerics::toString(type)).str() : std::string();
  llvm::ArrayRef<uint8_t> body(
      reinterpret_cast<const uint8_t *>(dense->bytes()),
      static_cast<size_t>(dense->denseBytes()));
  return zip_->add(name.str() + ".npy", npyHeader(tensor.type()), body,
                   compress_, comment);
}

bool isNumbered(llvm::StringRef name, llvm::StringRef prefix) {
  if (!name.consume_front(prefix))
    return false;
  llvm::SmallVector<llvm::StringRef> parts;
  name.split(parts, '.');
  return llvm::all_of(parts, [](llvm::StringRef part) {
    return !part.empty() && llvm::all_of(part, llvm::isDigit);
  });
}

llvm::Error refuseSurplusMembers(llvm::StringRef path, llvm::StringRef prefix,
                                 size_t count, llvm::StringRef because) {
  llvm::Expected<NpzReader> file = NpzReader::open(path);
  if (!file)
    return file.takeError();
  for (const std::string &name : file->names()) {
    uint64_t number = 0;
    if (isNumbered(name, prefix) &&
        !llvm::StringRef(name)
             .drop_front(prefix.size())
             .getAsInteger(10, number) &&
        number >= count)
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' has '{1}', but {2}: take the member out, or give "
                       "--input {0}:NAME for each argument",
                       path, name, because);
  }
  return llvm::Error::success();
}

} // namespace assay::formats
