// Numbers are eight bytes in this machine's order; a text is preceded by its
// length; a tensor is its element type, its shape, whether it is a splat, and
// its elements.
#include "assay/program/ValueBytes.h"

#include <cstring>

namespace assay::program {

namespace {
enum Tag : int64_t { Nothing, OfTensor, OfToken, OfTuple };
} // namespace

void writeNumber(std::string &bytes, int64_t number) {
  bytes.append(reinterpret_cast<const char *>(&number), sizeof number);
}

void writeText(std::string &bytes, llvm::StringRef text) {
  writeNumber(bytes, static_cast<int64_t>(text.size()));
  bytes.append(text.data(), text.size());
}

static void writeTensor(std::string &bytes, const Tensor &tensor) {
  numerics::ElementType element = tensor.elementType();
  for (int64_t part :
       {static_cast<int64_t>(element.kind), static_cast<int64_t>(element.bits),
        static_cast<int64_t>(element.format), int64_t(tensor.isSplat()),
        tensor.rank()})
    writeNumber(bytes, part);
  for (int64_t size : tensor.shape())
    writeNumber(bytes, size);
  int64_t count =
      tensor.isSplat() ? element.storageBytes() : tensor.denseBytes();
  writeText(bytes, {reinterpret_cast<const char *>(tensor.bytes()),
                    static_cast<size_t>(count)});
}

bool canBeWritten(llvm::ArrayRef<Value> values) {
  for (const Value &value : values)
    if ((value.isTensor() && value.tensor().elementType().quantization) ||
        (value.isTuple() && !canBeWritten(value.tuple())))
      return false;
  return true;
}

void writeValues(std::string &bytes, llvm::ArrayRef<Value> values) {
  writeNumber(bytes, static_cast<int64_t>(values.size()));
  for (const Value &value : values) {
    if (value.isTensor()) {
      writeNumber(bytes, OfTensor);
      writeTensor(bytes, value.tensor());
      writeNumber(bytes, value.shadow().valid());
      if (value.shadow().valid())
        writeTensor(bytes, value.shadow());
    } else if (value.isTuple()) {
      writeNumber(bytes, OfTuple);
      writeValues(bytes, value.tuple());
    } else {
      writeNumber(bytes, value.empty() ? Nothing : OfToken);
    }
  }
}

static llvm::Error cutShort() {
  return makeError(ErrorCode::DataLoss,
                   "a message between processes ends early");
}

llvm::Expected<int64_t> readNumber(llvm::StringRef &bytes) {
  int64_t number;
  if (bytes.size() < sizeof number)
    return cutShort();
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes = bytes.drop_front(sizeof number);
  return number;
}

static llvm::Expected<llvm::StringRef> takeText(llvm::StringRef &bytes) {
  llvm::Expected<int64_t> size = readNumber(bytes);
  if (!size)
    return size.takeError();
  if (*size < 0 || static_cast<uint64_t>(*size) > bytes.size())
    return cutShort();
  llvm::StringRef text = bytes.take_front(static_cast<size_t>(*size));
  bytes = bytes.drop_front(text.size());
  return text;
}

llvm::Expected<std::string> readText(llvm::StringRef &bytes) {
  llvm::Expected<llvm::StringRef> text = takeText(bytes);
  if (!text)
    return text.takeError();
  return text->str();
}

static llvm::Expected<Tensor> readTensor(llvm::StringRef &bytes,
                                         RunContext &run) {
  int64_t parts[5];
  for (int64_t &part : parts)
    if (llvm::Error error = readNumber(bytes).moveInto(part))
      return error;
  TensorType type;
  type.element.kind = static_cast<numerics::Kind>(parts[0]);
  type.element.bits = static_cast<uint16_t>(parts[1]);
  type.element.format = static_cast<numerics::FloatFormat>(parts[2]);
  for (int64_t d = 0; d < parts[4]; ++d)
    if (llvm::Error error =
            readNumber(bytes).moveInto(type.shape.emplace_back()))
      return error;
  llvm::Expected<llvm::StringRef> elements = takeText(bytes);
  if (!elements)
    return elements.takeError();
  if (parts[3])
    return Tensor::splat(type, elements->data());
  llvm::Expected<Tensor> tensor = Tensor::allocate(type, run.budget);
  if (!tensor)
    return tensor;
  if (static_cast<int64_t>(elements->size()) != tensor->denseBytes())
    return cutShort();
  std::memcpy(tensor->mutableBytes(), elements->data(), elements->size());
  return tensor;
}

static llvm::Error readValue(llvm::StringRef &bytes, RunContext &run,
                             Value &value) {
  int64_t tag = Nothing, hasShadow = 0;
  if (llvm::Error error = readNumber(bytes).moveInto(tag))
    return error;
  if (tag == OfToken)
    value = Value(Token());
  if (tag == OfTuple) {
    llvm::Expected<std::vector<Value>> parts = readValues(bytes, run);
    if (!parts)
      return parts.takeError();
    value =
        Value(Tuple(std::make_shared<std::vector<Value>>(std::move(*parts))));
  }
  if (tag != OfTensor)
    return llvm::Error::success();
  llvm::Expected<Tensor> tensor = readTensor(bytes, run);
  if (!tensor)
    return tensor.takeError();
  value = Value(std::move(*tensor));
  if (llvm::Error error = readNumber(bytes).moveInto(hasShadow))
    return error;
  if (!hasShadow)
    return llvm::Error::success();
  llvm::Expected<Tensor> shadow = readTensor(bytes, run);
  if (!shadow)
    return shadow.takeError();
  value.setShadow(std::move(*shadow));
  return llvm::Error::success();
}

llvm::Expected<std::vector<Value>> readValues(llvm::StringRef &bytes,
                                              RunContext &run) {
  llvm::Expected<int64_t> count = readNumber(bytes);
  if (!count)
    return count.takeError();
  std::vector<Value> values;
  for (int64_t i = 0; i < *count; ++i)
    if (llvm::Error error = readValue(bytes, run, values.emplace_back()))
      return error;
  return values;
}

} // namespace assay::program
