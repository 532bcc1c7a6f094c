// safetensors, read from a mapping. Every offset of the JSON header is checked
// against the file and against the size that type and shape require, so a
// malicious header is an error like any other. Source: the format's description
// in its repository.
#include "assay/formats/Safetensors.h"
#include "assay/support/Json.h"
#include "assay/tensor/MappedFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

#include <algorithm>

namespace assay::formats {

using numerics::FloatFormat;
namespace json = llvm::json;

static constexpr uint64_t kMaxHeader = 100'000'000; // the format's own limit

namespace {
struct DtypeRow {
  const char *name;
  ElementType type;
};
} // namespace

static llvm::ArrayRef<DtypeRow> dtypes() {
  static const DtypeRow rows[] = {
      {"BOOL", ElementType::boolean()},
      {"U8", ElementType::unsignedInteger(8)},
      {"I8", ElementType::integer(8)},
      {"U16", ElementType::unsignedInteger(16)},
      {"I16", ElementType::integer(16)},
      {"U32", ElementType::unsignedInteger(32)},
      {"I32", ElementType::integer(32)},
      {"U64", ElementType::unsignedInteger(64)},
      {"I64", ElementType::integer(64)},
      {"F4", ElementType::floating(FloatFormat::F4E2M1FN)},
      {"F6_E2M3", ElementType::floating(FloatFormat::F6E2M3FN)},
      {"F6_E3M2", ElementType::floating(FloatFormat::F6E3M2FN)},
      {"F8_E4M3", ElementType::floating(FloatFormat::F8E4M3FN)},
      {"F8_E5M2", ElementType::floating(FloatFormat::F8E5M2)},
      {"F8_E8M0", ElementType::floating(FloatFormat::F8E8M0FNU)},
      {"F8_E4M3FNUZ", ElementType::floating(FloatFormat::F8E4M3FNUZ)},
      {"F8_E5M2FNUZ", ElementType::floating(FloatFormat::F8E5M2FNUZ)},
      {"F16", ElementType::floating(FloatFormat::F16)},
      {"BF16", ElementType::floating(FloatFormat::BF16)},
      {"F32", ElementType::floating(FloatFormat::F32)},
      {"F64", ElementType::floating(FloatFormat::F64)},
      {"C64", ElementType::complex(FloatFormat::F32)},
  };
  return rows;
}

llvm::Expected<SafetensorsReader> SafetensorsReader::open(llvm::StringRef path) {
  return tensor::openMapped<SafetensorsReader>(path);
}

static llvm::Error damagedFile(llvm::StringRef name, const llvm::Twine &why) {
  return makeError(ErrorCode::DataLoss,
                   "'{0}' is not a safetensors file or is damaged: {1}", name,
                   why.str());
}

/// Parses the header. `length` receives its size in bytes; the data begin 8
/// bytes after that.
static llvm::Expected<json::Object> headerOf(llvm::ArrayRef<uint8_t> bytes,
                                             llvm::StringRef name,
                                             uint64_t &length) {
  auto damaged = [&](const llvm::Twine &why) { return damagedFile(name, why); };
  if (bytes.size() < 8)
    return damaged("it is shorter than its header");
  length = llvm::support::endian::read64le(bytes.data());
  if (length > kMaxHeader || length > bytes.size() - 8)
    return damaged("its header claims " + llvm::Twine(length) + " bytes");
  llvm::StringRef text(reinterpret_cast<const char *>(bytes.data()) + 8,
                       length);
  llvm::Expected<json::Value> header = parseJson(text, 4);
  if (!header)
    return damaged("its header is not JSON: " +
                   llvm::toString(header.takeError()));
  json::Object *object = header->getAsObject();
  if (!object)
    return damaged("its header is not an object");
  return std::move(*object);
}

llvm::Expected<SafetensorsReader>
SafetensorsReader::fromBytes(llvm::ArrayRef<uint8_t> bytes,
                             llvm::StringRef name,
                             std::shared_ptr<const void> owner) {
  auto damaged = [&](const llvm::Twine &why) { return damagedFile(name, why); };
  uint64_t length = 0;
  llvm::Expected<json::Object> header = headerOf(bytes, name, length);
  if (!header)
    return header.takeError();
  SafetensorsReader result;
  result.path_ = name.str();
  result.buffer_ = bytes.drop_front(8 + length);
  result.owner_ = std::move(owner);
  for (const auto &[key, value] : *header) {
    const json::Object *fields = value.getAsObject();
    if (key == "__metadata__") {
      for (const auto &[metaKey, metaValue] : fields ? *fields : json::Object())
        if (std::optional<llvm::StringRef> metaText = metaValue.getAsString())
          result.metadata_.emplace_back(metaKey.str(), metaText->str());
      continue;
    }
    const json::Array *shape = fields ? fields->getArray("shape") : nullptr;
    const json::Array *offsets =
        fields ? fields->getArray("data_offsets") : nullptr;
    std::optional<llvm::StringRef> dtype =
        fields ? fields->getString("dtype") : std::nullopt;
    if (!shape || !dtype || !offsets || offsets->size() != 2)
      return damaged("tensor '" + llvm::Twine(key.str()) +
                     "' lacks dtype, shape or data_offsets");
    Entry entry;
    entry.dtype = dtype->str();
    bool ok = true;
    for (const json::Value &size : *shape) {
      ok &= size.getAsInteger().value_or(-1) >= 0;
      entry.shape.push_back(size.getAsInteger().value_or(0));
    }
    entry.begin = (*offsets)[0].getAsInteger().value_or(-1);
    entry.end = (*offsets)[1].getAsInteger().value_or(-1);
    if (!ok || entry.begin < 0 || entry.end < entry.begin ||
        entry.end > static_cast<int64_t>(result.buffer_.size()))
      return damaged("the data of tensor '" + llvm::Twine(key.str()) +
                     "' lie outside of the file");
    result.names_.push_back(key.str());
    result.entries_[key.str()] = std::move(entry);
  }
  std::stable_sort(result.names_.begin(), result.names_.end(),
                   [&](const std::string &a, const std::string &b) {
                     return result.entries_.find(a)->second.begin <
                            result.entries_.find(b)->second.begin;
                   });
  return result;
}

/// Unpacks elements of 4 or 6 bits, packed with the least significant bits
/// first.
static std::shared_ptr<Buffer> unpackBits(llvm::ArrayRef<uint8_t> packed,
                                          int64_t count, int bits) {
  std::shared_ptr<Buffer> buffer = Buffer::allocate(count);
  if (!buffer)
    return nullptr;
  std::byte *out = buffer->mutableData();
  for (int64_t i = 0; i < count; ++i) {
    auto bit = static_cast<size_t>(i) * static_cast<size_t>(bits);
    unsigned window =
        packed[bit / 8] |
        (bit / 8 + 1 < packed.size() ? packed[bit / 8 + 1] << 8 : 0);
    out[i] = static_cast<std::byte>((window >> (bit % 8)) & ((1u << bits) - 1));
  }
  return buffer;
}

llvm::Expected<Tensor>
SafetensorsReader::read(llvm::StringRef name,
                        const std::optional<TensorType> &expected) const {
  auto it = entries_.find(name);
  if (it == entries_.end())
    return noTensor(path_, name, names_);
  const Entry &entry = it->second;
  std::string what = "'" + path_ + ":" + name.str() + "'";
  const auto *row = llvm::find_if(dtypes(), [&](const DtypeRow &candidate) {
    return candidate.name == entry.dtype;
  });
  if (row == dtypes().end())
    return makeError(ErrorCode::Unsupported, "{0} has the unknown dtype '{1}'",
                     what, entry.dtype);
  StoredTensor stored;
  stored.type = {row->type, entry.shape};
  stored.bytes = buffer_.slice(static_cast<size_t>(entry.begin),
                               static_cast<size_t>(entry.end - entry.begin));
  stored.owner = owner_;
  llvm::Expected<int64_t> count = elementCount(entry.shape);
  llvm::Expected<int64_t> bytes = byteCount(stored.type);
  if (!count || !bytes) {
    llvm::consumeError(bytes.takeError());
    return addContext(count.takeError(), what);
  }
  int bits = row->type.bits;
  bool packed = bits == 4 || bits == 6;
  int64_t want =
      packed ? (*count / 8 * bits + (*count % 8 * bits + 7) / 8) : *bytes;
  if (static_cast<int64_t>(stored.bytes.size()) != want)
    return makeError(ErrorCode::DataLoss,
                     "{0} is damaged: {1} needs {2} bytes of data, got {3}",
                     what, toString(stored.type), want, stored.bytes.size());
  if (packed && *count > 0) {
    std::shared_ptr<Buffer> unpacked = unpackBits(stored.bytes, *count, bits);
    if (!unpacked)
      return makeError(ErrorCode::ResourceLimit, "{0}: no memory for {1} bytes",
                       what, *count);
    stored.bytes = {reinterpret_cast<const uint8_t *>(unpacked->data()),
                    static_cast<size_t>(*count)};
    stored.owner = unpacked;
    return finishStored(stored, expected, what);
  }
  return finishStored(stored, expected, what);
}

} // namespace assay::formats
