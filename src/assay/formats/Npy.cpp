// The .npy format: magic, version, a Python dictionary literal with descr,
// fortran_order and shape, then raw data. The parser accepts a literal with
// just these three keys, so a malicious header is an error like any other.
// Source: NumPy's format specification (numpy.lib.format).
#include "assay/formats/Npy.h"
#include "assay/support/AtomicFile.h"
#include "assay/tensor/MappedFile.h"

#include <cctype>

namespace assay::formats {

using numerics::FloatFormat;
using numerics::Kind;

static constexpr size_t kMaxHeader = 1 << 20;
static constexpr size_t kMaxRank = 64; // NumPy's own limit

namespace {
/// The three values of the dictionary.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  Shape shape;
};

/// Reads the dictionary literal from left to right; `failed` is set at the
/// first unexpected token.
class HeaderParser {
public:
  explicit HeaderParser(llvm::StringRef text) : rest_(text) {}

  bool parse(Header &header) {
    bool descr = false, order = false, shape = false;
    if (!take('{'))
      return false;
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':'))
        return false;
      bool known = key == "descr" ? (descr = descriptor(header.descr))
                   : key == "fortran_order"
                       ? (order = boolean(header.fortranOrder))
                   : key == "shape" ? (shape = tuple(header.shape))
                                    : false;
      if (!known)
        return false;
      take(',');
    }
    skip();
    return rest_.empty() && descr && order && shape;
  }

private:
  void skip() { rest_ = rest_.ltrim(" \n\t\r\0"); }
  bool take(char c) {
    skip();
    return rest_.consume_front(llvm::StringRef(&c, 1));
  }
  bool string(std::string &out) {
    skip();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"'))
      return false;
    size_t end = rest_.find(rest_[0], 1);
    if (end == llvm::StringRef::npos)
      return false;
    out = rest_.slice(1, end).str();
    rest_ = rest_.drop_front(end + 1);
    return true;
  }
  /// A record type is a list, which is kept as text for the error message.
  bool descriptor(std::string &out) {
    skip();
    if (!rest_.starts_with("["))
      return string(out);
    size_t end = rest_.find(']');
    if (end == llvm::StringRef::npos)
      return false;
    out = rest_.take_front(end + 1).str();
    rest_ = rest_.drop_front(end + 1);
    return true;
  }
  bool boolean(bool &out) {
    skip();
    out = rest_.consume_front("True");
    return out || rest_.consume_front("False");
  }
  bool tuple(Shape &out) {
    if (!take('('))
      return false;
    while (!take(')')) {
      skip();
      int64_t size;
      if (rest_.consumeInteger(10, size) || out.size() > kMaxRank)
        return false;
      rest_.consume_front("L"); // suffix of Python 2's long integers
      out.push_back(size);
      if (!take(',') && !rest_.ltrim().starts_with(")"))
        return false;
    }
    return true;
  }
  llvm::StringRef rest_;
};
} // namespace

/// NumPy's type string: order, kind, bytes.
static llvm::Error parseDescr(llvm::StringRef descr, StoredTensor &out,
                              llvm::StringRef what) {
  llvm::StringRef text = descr;
  char order = !text.empty() && llvm::StringRef("<>|=").contains(text[0])
                   ? text[0]
                   : '=';
  text = text.ltrim("<>|=");
  char kind = text.empty() ? 0 : text[0];
  int bytes = 0;
  if (kind == '?')
    bytes = 1;
  else if (kind && text.drop_front().getAsInteger(10, bytes))
    bytes = kind == 'O' ? 8 : 0;
  out.swapBytes = order == '>';
  ElementType &type = out.type.element;
  auto power = [&](int low, int high) {
    return bytes >= low && bytes <= high && (bytes & (bytes - 1)) == 0;
  };
  if ((kind == 'b' || kind == '?') && bytes == 1)
    type = ElementType::boolean();
  else if ((kind == 'i' || kind == 'u') && power(1, 8))
    type = kind == 'i' ? ElementType::integer(8 * bytes)
                       : ElementType::unsignedInteger(8 * bytes);
  else if (kind == 'f' && power(1, 8))
    type = ElementType::floating(bytes == 1   ? FloatFormat::F8E5M2
                                 : bytes == 2 ? FloatFormat::F16
                                 : bytes == 4 ? FloatFormat::F32
                                              : FloatFormat::F64);
  else if (kind == 'c' && power(8, 16))
    type =
        ElementType::complex(bytes == 8 ? FloatFormat::F32 : FloatFormat::F64);
  else if (kind == 'V' && power(1, 2)) {
    type = ElementType::unsignedInteger(8 * bytes);
    out.opaque = true;
  } else if (kind == 'O')
    return makeError(ErrorCode::Unsupported,
                     "{0} holds Python objects; save it as an array of numbers",
                     what);
  else
    return makeError(ErrorCode::Unsupported,
                     "{0} has NumPy type '{1}'; Assay reads bool, integers, "
                     "floats and complex",
                     what, descr.take_front(60));
  return llvm::Error::success();
}

static llvm::Expected<llvm::StringRef> headerText(llvm::ArrayRef<uint8_t> bytes,
                                                  size_t &dataOffset,
                                                  llvm::StringRef what) {
  llvm::StringRef text(reinterpret_cast<const char *>(bytes.data()),
                       bytes.size());
  if (!text.starts_with("\x93NUMPY"))
    return makeError(ErrorCode::InvalidArgument,
                     "{0} is not a .npy file (its magic is missing)", what);
  if (bytes.size() < 12)
    return makeError(ErrorCode::DataLoss, "{0} is truncated within its header",
                     what);
  unsigned version = bytes[6];
  if (version < 1 || version > 3)
    return makeError(ErrorCode::Unsupported,
                     "{0} has .npy version {1}; versions 1 to 3 are known",
                     what, version);
  size_t length = bytes[8] | bytes[9] << 8;
  size_t start = 10;
  if (version >= 2) {
    length |= size_t{bytes[10]} << 16 | size_t{bytes[11]} << 24;
    start = 12;
  }
  if (length > kMaxHeader)
    return makeError(
        ErrorCode::InvalidArgument,
        "{0} has a .npy header of {1} bytes, more than any array needs", what,
        length);
  if (bytes.size() - start < length)
    return makeError(ErrorCode::DataLoss, "{0} is truncated within its header",
                     what);
  dataOffset = start + length;
  return text.substr(start, length);
}

llvm::Expected<StoredTensor> parseNpy(llvm::ArrayRef<uint8_t> bytes,
                                      llvm::StringRef what) {
  size_t dataOffset = 0;
  llvm::Expected<llvm::StringRef> text = headerText(bytes, dataOffset, what);
  if (!text)
    return text.takeError();
  Header header;
  if (!HeaderParser(*text).parse(header))
    return makeError(ErrorCode::InvalidArgument,
                     "{0} has a damaged .npy header: '{1}'", what,
                     text->take_front(80).rtrim());
  StoredTensor result;
  if (llvm::Error error = parseDescr(header.descr, result, what))
    return error;
  result.type.shape = header.shape;
  result.fortranOrder = header.fortranOrder;
  llvm::Expected<int64_t> size = byteCount(result.type);
  if (!size)
    return addContext(size.takeError(), what);
  auto available = static_cast<int64_t>(bytes.size() - dataOffset);
  if (available < *size)
    return makeError(ErrorCode::DataLoss,
                     "{0} is truncated: {1} needs {2} bytes of data, got {3}",
                     what, toString(result.type), *size, available);
  result.bytes = bytes.slice(dataOffset, static_cast<size_t>(*size));
  return result;
}

static std::string descrOf(ElementType type) {
  int64_t bytes = type.storageBytes();
  char kind = 'u';
  if (type.isBool())
    kind = 'b';
  else if (type.kind == Kind::Int)
    kind = 'i';
  else if (type.isComplex())
    kind = 'c';
  else if (type.isFloat() &&
           (type.format == FloatFormat::F16 || type.bits > 16))
    kind = 'f';
  return (bytes == 1 ? "|" : "<") + std::string(1, kind) +
         std::to_string(bytes);
}

std::string npyHeader(const TensorType &type) {
  std::string shape;
  for (int64_t size : type.shape)
    shape += (shape.empty() ? "" : ", ") + std::to_string(size);
  if (type.shape.size() == 1)
    shape += ",";
  std::string text = "{'descr': '" + descrOf(type.element) +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  size_t prefix =
      10; // a shape of 64 dimensions stays below the 65535 bytes of version 1
  text.append((64 - (prefix + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string result = "\x93NUMPY";
  result += {'\1', '\0', static_cast<char>(text.size() & 0xff),
             static_cast<char>(text.size() >> 8)};
  return result + text;
}

llvm::Expected<Tensor> readNpy(llvm::StringRef path,
                               const std::optional<TensorType> &expected) {
  llvm::Expected<std::shared_ptr<const tensor::MappedFile>> file =
      tensor::MappedFile::open(path);
  if (!file)
    return file.takeError();
  std::string what = "'" + path.str() + "'";
  llvm::Expected<StoredTensor> stored = parseNpy((*file)->bytes(), what);
  if (!stored)
    return stored.takeError();
  stored->owner = *file;
  return finishStored(*stored, expected, what);
}

llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor) {
  llvm::Expected<Tensor> dense = tensor.dense();
  if (!dense)
    return dense.takeError();
  llvm::Expected<std::unique_ptr<AtomicFile>> file = AtomicFile::create(path);
  if (!file)
    return file.takeError();
  std::string header = npyHeader(tensor.type());
  if (llvm::Error error = (*file)->write(header.data(), header.size()))
    return error;
  if (llvm::Error error = (*file)->write(
          dense->bytes(), static_cast<size_t>(dense->denseBytes())))
    return error;
  return (*file)->commit();
}

} // namespace assay::formats
