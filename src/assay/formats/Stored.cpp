// The last step of every reader turns bytes as stored into a native row-major
// tensor of the requested type. Where the file format lacks a type, the
// program's type decides (docs/cli.md, "Tensors in files"): integers of the
// same width stand for bf16, float8 and the sub-byte types.
#include "assay/formats/Stored.h"
#include "assay/numerics/Quantization.h"
#include "assay/tensor/MappedFile.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

namespace assay::formats {

using numerics::FloatFormat;
using numerics::Kind;

llvm::Error noTensor(llvm::StringRef path, llvm::StringRef name,
                     llvm::ArrayRef<std::string> names) {
  return makeError(ErrorCode::NotFound,
                   "'{0}' has no tensor '{1}'; it holds {2}{3}", path, name,
                   names.empty() ? "none"
                                 : llvm::join(names.take_front(8), ", "),
                   names.size() > 8 ? ", ..." : "");
}

static void swapBytes(std::byte *data, int64_t sizeBytes, int64_t width) {
  for (int64_t at = 0; at < sizeBytes; at += width)
    std::reverse(data + at, data + at + width);
}

/// Copies a column-major array to row-major order: walks the output and steps
/// through the input with an odometer.
static void transposeFortran(const uint8_t *in, std::byte *out,
                             llvm::ArrayRef<int64_t> shape, int64_t width) {
  size_t rank = shape.size();
  Shape strides(rank, width), index(rank, 0);
  int64_t count = 1;
  for (size_t i = 0; i < rank; ++i) {
    strides[i] = count * width;
    count *= shape[i];
  }
  int64_t offset = 0;
  for (int64_t element = 0; element < count; ++element, out += width) {
    std::memcpy(out, in + offset, static_cast<size_t>(width));
    for (size_t i = rank; i-- > 0;) {
      offset += strides[i];
      if (++index[i] < shape[i])
        break;
      offset -= strides[i] * shape[i];
      index[i] = 0;
    }
  }
}

static llvm::Expected<ElementType>
chooseElement(const StoredTensor &stored,
              const std::optional<TensorType> &expected, llvm::StringRef what) {
  ElementType got = stored.type.element;
  if (!expected) {
    if (!stored.opaque)
      return got;
    if (got.bits == 16)
      return ElementType::floating(FloatFormat::BF16);
    return makeError(ErrorCode::Unsupported,
                     "{0} has raw {1}-byte elements of unknown type; give the "
                     "type with a program",
                     what, got.storageBytes());
  }
  ElementType want = expected->element;
  // Files hold a quantised type as integers of its storage type.
  bool storage = want.quantization && got == numerics::storageOf(want);
  bool standsIn = stored.opaque || storage ||
                  (got.isInteger() &&
                   (want.bits < 8 || (want.isFloat() && want.bits <= 16)));
  if (got == want || (standsIn && got.storageBytes() == want.storageBytes()))
    return want;
  return makeError(ErrorCode::InvalidArgument,
                   "{0} has element type {1}, expected {2}", what,
                   stored.opaque
                       ? llvm::formatv("raw {0}-byte", got.storageBytes()).str()
                       : numerics::toString(got),
                   numerics::toString(want));
}

/// Checks that each value is in the range of a narrow type, because its bytes
/// are used as table indices and as C++ bool.
static llvm::Error checkNarrow(std::byte *data, int64_t count,
                               ElementType stored, ElementType type,
                               llvm::StringRef what) {
  int64_t limit = int64_t{1} << type.bits;
  for (int64_t i = 0; i < count; ++i) {
    auto raw = static_cast<uint8_t>(data[i]);
    if (type.isBool()) {
      data[i] = std::byte{raw != 0};
      continue;
    }
    int value = type.kind == Kind::Int ? static_cast<int8_t>(raw) : raw;
    int64_t low = type.kind == Kind::Int ? -limit / 2 : 0,
            high = type.kind == Kind::Int ? limit / 2 : limit;
    bool nibble =
        type.kind == Kind::Int && stored.kind != Kind::Int && raw < limit;
    if (nibble) // raw bits of a signed sub-byte integer in an unsigned or
                // opaque byte: extend the sign
      data[i] = static_cast<std::byte>(
          static_cast<uint8_t>(raw >= limit / 2 ? raw - limit : raw));
    else if (value < low || value >= high)
      return makeError(ErrorCode::InvalidArgument,
                       "{0}: element {1} is {2}, outside of {3} ({4} to {5})",
                       what, i, value, numerics::toString(type), low, high - 1);
  }
  return llvm::Error::success();
}

/// A negative size in `want` matches any size.
static bool fitsShape(llvm::ArrayRef<int64_t> want,
                      llvm::ArrayRef<int64_t> got) {
  return want.size() == got.size() &&
         llvm::all_of(llvm::zip(want, got), [](auto pair) {
           auto [wanted, size] = pair;
           return wanted < 0 || wanted == size;
         });
}

llvm::Expected<Tensor> finishStored(const StoredTensor &stored,
                                    const std::optional<TensorType> &expected,
                                    llvm::StringRef what) {
  llvm::Expected<ElementType> element = chooseElement(stored, expected, what);
  if (!element)
    return element.takeError();
  TensorType type{*element, stored.type.shape};
  if (expected && !fitsShape(expected->shape, type.shape))
    return makeError(ErrorCode::InvalidArgument,
                     "{0} has shape {1}, expected {2}", what, toString(type),
                     toString(*expected));
  int64_t width = type.element.storageBytes();
  int64_t swapWidth = type.element.isComplex() ? width / 2 : width;
  bool swap = stored.swapBytes && swapWidth > 1;
  bool transpose = stored.fortranOrder && type.shape.size() > 1;
  bool narrow = type.element.bits < 8;
  llvm::Expected<std::shared_ptr<Buffer>> buffer = tensor::viewOrCopy(
      stored.bytes, swap || transpose || narrow ? nullptr : stored.owner);
  if (!buffer)
    return addContext(buffer.takeError(), what);
  if (!swap && !transpose && !narrow)
    return Tensor::fromBuffer(std::move(type), std::move(*buffer));
  std::byte *data = (*buffer)->mutableData();
  auto sizeBytes = static_cast<int64_t>(stored.bytes.size());
  if (transpose && sizeBytes > 0)
    transposeFortran(stored.bytes.data(), data, type.shape, width);
  if (swap)
    swapBytes(data, sizeBytes, swapWidth);
  if (narrow)
    if (llvm::Error error = checkNarrow(data, sizeBytes, stored.type.element,
                                        type.element, what))
      return error;
  return Tensor::fromBuffer(std::move(type), std::move(*buffer));
}

} // namespace assay::formats
