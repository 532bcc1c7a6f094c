// A .pt archive: PREFIX/data.pkl describes the value, PREFIX/data/KEY holds a
// storage, PREFIX/byteorder holds the byte order.
#include "assay/formats/PtFile.h"
#include "assay/formats/Stored.h"
#include "assay/tensor/MappedFile.h"

#include <cstring>

namespace assay::formats {

using Kind = PickleValue::Kind;

llvm::Expected<PtReader> PtReader::open(llvm::StringRef path) {
  return tensor::openMapped<PtReader>(path);
}

static std::string keyText(const PickleValue &key) {
  if (key.kind == Kind::Number)
    return llvm::formatv("{0}", static_cast<int64_t>(key.number)).str();
  return key.text;
}

// A value that contains itself would recurse without end, so depth is limited.
llvm::Error PtReader::collect(const PickleValue &value, const std::string &name,
                              int depth) {
  constexpr int kDeepest = 64;
  constexpr size_t kMostTensors = 1 << 20;
  if (depth > kDeepest || tensors_.size() > kMostTensors)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}': values nested more than {1} deep, or more than "
                     "{2} tensors",
                     path_, kDeepest, kMostTensors);
  if (value.kind == Kind::Tensor)
    tensors_.emplace_back(name, value.tensor);
  bool isMap = value.kind == Kind::Map;
  if (!isMap && value.kind != Kind::Sequence)
    return llvm::Error::success();
  for (size_t i = 0; i + isMap < value.items.size(); i += 1 + isMap) {
    std::string key = isMap ? keyText(*value.items[i]) : std::to_string(i);
    if (llvm::Error error =
            collect(*value.items[i + isMap],
                    name.empty() ? key : name + "." + key, depth + 1))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<PtReader>
PtReader::fromBytes(llvm::ArrayRef<uint8_t> bytes, llvm::StringRef name,
                    std::shared_ptr<const void> owner) {
  std::string what = "'" + name.str() + "'";
  if (bytes.size() >= 2 && bytes[0] == 0x80 && bytes[1] <= 5)
    return makeError(ErrorCode::Unsupported,
                     "{0} is a .pt file of PyTorch before 1.6; save it again "
                     "with a later one",
                     what);
  llvm::Expected<std::vector<ZipMember>> members =
      readZipDirectory(bytes, what);
  if (!members)
    return members.takeError();
  PtReader reader;
  reader.path_ = name.str();
  reader.bytes_ = bytes;
  reader.owner_ = std::move(owner);
  for (ZipMember &member : *members)
    if (llvm::StringRef(member.name).ends_with("/data.pkl"))
      reader.prefix_ = llvm::StringRef(member.name).drop_back(8).str();
  for (ZipMember &member : *members)
    if (llvm::StringRef key = member.name; key.consume_front(reader.prefix_))
      reader.members_[key] = std::move(member);
  auto pickle = reader.members_.find("data.pkl");
  if (reader.prefix_.empty() || pickle == reader.members_.end())
    return makeError(ErrorCode::InvalidArgument,
                     "{0} is an archive without data.pkl: no .pt file", what);
  std::shared_ptr<const void> unpacked;
  llvm::Expected<llvm::ArrayRef<uint8_t>> text =
      unpackMember(bytes, pickle->second, what, unpacked);
  if (!text)
    return text.takeError();
  llvm::Expected<PicklePtr> value = readPickle(*text, what);
  if (!value)
    return value.takeError();
  if (auto order = reader.members_.find("byteorder");
      order != reader.members_.end()) {
    if (llvm::Expected<llvm::ArrayRef<uint8_t>> said =
            unpackMember(bytes, order->second, what, unpacked))
      reader.swapBytes_ =
          llvm::StringRef(reinterpret_cast<const char *>(said->data()),
                          said->size()) == "big";
    else
      return said.takeError();
  }
  if (llvm::Error error = reader.collect(**value, "", 0))
    return error;
  return reader;
}

// Copies the elements of a strided view in row-major order. The caller has
// checked the bounds.
static void gather(const PickledTensor &t, const uint8_t *from, uint8_t *to) {
  int64_t width = t.element.storageBytes();
  std::vector<int64_t> index(t.shape.size(), 0);
  int64_t count = 1, position = t.offset;
  for (int64_t size : t.shape)
    count *= size;
  for (int64_t i = 0; i < count; ++i, to += width) {
    std::memcpy(to, from + position * width, static_cast<size_t>(width));
    for (size_t d = t.shape.size(); d-- > 0;) {
      position += t.strides[d];
      if (++index[d] < t.shape[d])
        break;
      position -= t.strides[d] * t.shape[d];
      index[d] = 0;
    }
  }
}

/// The position of the last element plus one; nullopt where it overflows.
static std::optional<int64_t> extentOf(const PickledTensor &t) {
  int64_t last = t.offset;
  for (size_t d = 0; d < t.shape.size(); ++d) {
    int64_t step = 0;
    if (t.shape[d] < 0 || t.strides[d] < 0)
      return std::nullopt;
    if (t.shape[d] == 0)
      return t.offset;
    if (__builtin_mul_overflow(t.shape[d] - 1, t.strides[d], &step) ||
        __builtin_add_overflow(last, step, &last))
      return std::nullopt;
  }
  return last + 1;
}

llvm::Expected<Tensor> PtReader::read(size_t index) const {
  const auto &[name, t] = tensors_[index];
  std::string what = "'" + path_ + "', tensor '" + name + "'";
  auto member = members_.find("data/" + t.storage);
  if (member == members_.end())
    return makeError(ErrorCode::DataLoss, "{0}: storage '{1}' is missing", what,
                     t.storage);
  std::shared_ptr<const void> owner;
  llvm::Expected<llvm::ArrayRef<uint8_t>> bytes =
      unpackMember(bytes_, member->second, what, owner);
  if (!bytes)
    return bytes.takeError();
  TensorType type{t.element, t.shape};
  llvm::Expected<int64_t> size = byteCount(type);
  if (!size)
    return size.takeError();
  std::optional<int64_t> extent = extentOf(t);
  int64_t held = static_cast<int64_t>(bytes->size()) / t.element.storageBytes();
  if (!extent || (*size > 0 && *extent > held))
    return makeError(ErrorCode::DataLoss,
                     "{0}: its storage of {1} elements is too short", what,
                     held);
  // With a stride of 0 elements repeat, so a few bytes could claim any size.
  constexpr int64_t kRepeated = 64, kAlwaysAllowed = int64_t{1} << 30;
  std::shared_ptr<Buffer> dense =
      *size / kRepeated > static_cast<int64_t>(bytes->size()) &&
              *size > kAlwaysAllowed
          ? nullptr
          : Buffer::allocate(*size);
  if (!dense)
    return makeError(ErrorCode::ResourceLimit, "{0}: no memory for {1} bytes",
                     what, *size);
  auto *out = reinterpret_cast<uint8_t *>(dense->mutableData());
  if (*size > 0)
    gather(t, bytes->data(), out);
  StoredTensor stored;
  stored.type = type;
  stored.swapBytes = swapBytes_;
  stored.bytes = llvm::ArrayRef<uint8_t>(out, static_cast<size_t>(*size));
  stored.owner = dense;
  return finishStored(stored, std::nullopt, what);
}

} // namespace assay::formats
