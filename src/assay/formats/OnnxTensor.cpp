// A TensorProto is a list of numbered fields. The elements are either raw bytes
// (little-endian) or a list of numbers in the field for their type; a list is
// packed in one field or has one field per number.
#include "assay/formats/OnnxTensor.h"
#include "assay/formats/Stored.h"
#include "assay/numerics/FloatFormats.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

#include <cstring>
#include <vector>

namespace assay::formats {

using numerics::FloatFormat;

namespace {
enum Field {
  Dims = 1,
  DataType = 2,
  Segment = 3,
  FloatData = 4,
  Int32Data = 5,
  StringData = 6,
  Int64Data = 7,
  Name = 8,
  RawData = 9,
  DoubleData = 10,
  Uint64Data = 11,
  ExternalData = 13
};

/// Iterates over the fields of a message.
class Message {
public:
  explicit Message(llvm::ArrayRef<uint8_t> bytes) : rest_(bytes) {}
  /// Advances; false at the end and after damage.
  bool next();
  bool damaged() const { return damaged_; }
  int field = 0, wire = 0;
  uint64_t number = 0;           ///< value of wire type 0
  llvm::ArrayRef<uint8_t> bytes; ///< content of the other types

  static bool varint(llvm::ArrayRef<uint8_t> &rest, uint64_t &value);

private:
  bool take(uint64_t count);
  llvm::ArrayRef<uint8_t> rest_;
  bool damaged_ = false;
};

/// The element type of a tensor, and the field that holds its numbers when
/// there are no raw bytes.
struct OnnxType {
  int code;
  ElementType type;
  Field list;
};
} // namespace

bool Message::varint(llvm::ArrayRef<uint8_t> &rest, uint64_t &value) {
  value = 0;
  for (int shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    uint8_t byte = rest.front();
    rest = rest.drop_front();
    value |= uint64_t(byte & 127) << shift;
    if (byte < 128)
      return true;
  }
  return false;
}

bool Message::take(uint64_t count) {
  if (count > rest_.size())
    return false;
  bytes = rest_.take_front(count);
  rest_ = rest_.drop_front(count);
  return true;
}

bool Message::next() {
  if (rest_.empty() || damaged_)
    return false;
  uint64_t key = 0, length = 0;
  damaged_ = !varint(rest_, key) || key >> 3 == 0 || key >> 32 != 0;
  field = static_cast<int>(key >> 3);
  wire = static_cast<int>(key & 7);
  if (damaged_)
    return false;
  switch (wire) {
  case 0:
    damaged_ = !varint(rest_, number);
    break;
  case 1:
    damaged_ = !take(8);
    break;
  case 2:
    damaged_ = !varint(rest_, length) || !take(length);
    break;
  case 5:
    damaged_ = !take(4);
    break;
  default:
    damaged_ = true;
  }
  return !damaged_;
}

static std::optional<OnnxType> typeOf(uint64_t code) {
  auto real = [](FloatFormat format) { return ElementType::floating(format); };
  const OnnxType known[] = {
      {1, real(FloatFormat::F32), FloatData},
      {2, ElementType::unsignedInteger(8), Int32Data},
      {3, ElementType::integer(8), Int32Data},
      {4, ElementType::unsignedInteger(16), Int32Data},
      {5, ElementType::integer(16), Int32Data},
      {6, ElementType::integer(32), Int32Data},
      {7, ElementType::integer(64), Int64Data},
      {9, ElementType::boolean(), Int32Data},
      {10, real(FloatFormat::F16), Int32Data},
      {11, real(FloatFormat::F64), DoubleData},
      {12, ElementType::unsignedInteger(32), Uint64Data},
      {13, ElementType::unsignedInteger(64), Uint64Data},
      {14, ElementType::complex(FloatFormat::F32), FloatData},
      {15, ElementType::complex(FloatFormat::F64), DoubleData},
      {16, real(FloatFormat::BF16), Int32Data},
      {17, real(FloatFormat::F8E4M3FN), Int32Data},
      {18, real(FloatFormat::F8E4M3FNUZ), Int32Data},
      {19, real(FloatFormat::F8E5M2), Int32Data},
      {20, real(FloatFormat::F8E5M2FNUZ), Int32Data}};
  for (const OnnxType &type : known)
    if (static_cast<uint64_t>(type.code) == code)
      return type;
  return std::nullopt;
}

/// Appends the numbers of a list field as bytes of `width` each.
static bool appendNumbers(const Message &message, int64_t width,
                          std::vector<uint8_t> &out) {
  auto append = [&](uint64_t value) {
    for (int64_t i = 0; i < width; ++i)
      out.push_back(static_cast<uint8_t>(value >> (8 * i)));
  };
  bool fixed = message.field == FloatData || message.field == DoubleData;
  if (fixed) { // packed or one per field: the bytes are the same
    out.insert(out.end(), message.bytes.begin(), message.bytes.end());
    return message.wire != 0;
  }
  if (message.wire == 0) {
    append(message.number);
    return true;
  }
  llvm::ArrayRef<uint8_t> rest = message.bytes;
  for (uint64_t value = 0; !rest.empty();) {
    if (!Message::varint(rest, value))
      return false;
    append(value);
  }
  return message.wire == 2;
}

namespace {
/// The decoded fields of a TensorProto.
struct Contents {
  OnnxTensor result;
  Shape shape;
  std::optional<OnnxType> type;
  std::vector<uint8_t> numbers;
  std::optional<llvm::ArrayRef<uint8_t>> raw;
};
} // namespace

static llvm::Error readShape(const Message &message, Shape &shape) {
  auto add = [&](uint64_t size) -> llvm::Error {
    if (size > uint64_t(INT64_MAX) || shape.size() == 64)
      return makeError(ErrorCode::InvalidArgument, "it has no proper shape");
    shape.push_back(static_cast<int64_t>(size));
    return llvm::Error::success();
  };
  if (message.wire == 0)
    return add(message.number);
  llvm::ArrayRef<uint8_t> rest = message.bytes;
  for (uint64_t size = 0; !rest.empty();) {
    if (!Message::varint(rest, size))
      return makeError(ErrorCode::InvalidArgument, "it has no proper shape");
    if (llvm::Error error = add(size))
      return error;
  }
  return llvm::Error::success();
}

/// Reads all fields but the lists of numbers, whose width depends on the type.
static llvm::Expected<Contents> readFields(llvm::ArrayRef<uint8_t> bytes) {
  Contents contents;
  Message message(bytes);
  while (message.next())
    switch (message.field) {
    case Dims:
      if (llvm::Error error = readShape(message, contents.shape))
        return error;
      break;
    case DataType:
      contents.type = typeOf(message.number);
      if (!contents.type)
        return makeError(ErrorCode::Unsupported,
                         "elements of ONNX's type {0} are not read",
                         message.number);
      break;
    case Name:
      contents.result.name = llvm::toStringRef(message.bytes).str();
      break;
    case RawData:
      contents.raw = message.bytes;
      break;
    case Segment:
    case StringData:
    case ExternalData:
      return makeError(ErrorCode::Unsupported,
                       "its data are segments, text or in another file");
    default:
      break;
    }
  if (message.damaged() || !contents.type)
    return makeError(ErrorCode::InvalidArgument, "it is not a TensorProto");
  return contents;
}

llvm::Expected<OnnxTensor> parseOnnxTensor(llvm::ArrayRef<uint8_t> bytes,
                                           llvm::StringRef what) {
  auto fail = [&](llvm::Error error) {
    return addContext(std::move(error), "'" + what + "'");
  };
  llvm::Expected<Contents> contents = readFields(bytes);
  if (!contents)
    return fail(contents.takeError());
  StoredTensor stored;
  stored.type = {contents->type->type, contents->shape};
  llvm::Expected<int64_t> size = byteCount(stored.type);
  if (!size)
    return fail(size.takeError());
  Message message(bytes);
  if (!contents->raw)
    while (message.next())
      if (message.field == contents->type->list &&
          !appendNumbers(message, stored.type.element.storageBytes(),
                         contents->numbers))
        return fail(
            makeError(ErrorCode::InvalidArgument, "it is not a TensorProto"));
  stored.bytes = contents->raw ? *contents->raw
                               : llvm::ArrayRef<uint8_t>(contents->numbers);
  if (static_cast<int64_t>(stored.bytes.size()) != *size)
    return fail(makeError(ErrorCode::DataLoss,
                          "its data have {0} bytes, expected {1} for {2}",
                          stored.bytes.size(), *size, toString(stored.type)));
  llvm::Expected<Tensor> tensor = finishStored(stored, std::nullopt, what);
  if (!tensor)
    return tensor.takeError();
  contents->result.tensor = std::move(*tensor);
  return std::move(contents->result);
}

} // namespace assay::formats
