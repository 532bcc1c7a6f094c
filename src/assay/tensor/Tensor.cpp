// Shapes, buffers and tensors. Memory comes 64-byte aligned from the C library;
// freed blocks stay in its heap (the tools raise the mmap threshold), so that a
// chain of operators does not pay for fresh pages at every step.
#include "assay/tensor/ByteCount.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace assay::tensor {

llvm::Expected<int64_t> elementCount(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return makeError(ErrorCode::InvalidArgument,
                       "negative dimension size {0}", size);
    empty |= size == 0;
  }
  if (empty)
    return 0;
  for (int64_t size : shape)
    if (__builtin_mul_overflow(count, size, &count))
      return makeError(
          ErrorCode::ResourceLimit,
          "the number of elements of a shape overflows 64 bits (at size {0})",
          size);
  return count;
}

Shape rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::string typeString(llvm::ArrayRef<int64_t> shape, ElementType type) {
  std::string text;
  for (int64_t size : shape)
    text += (size < 0 ? "?" : std::to_string(size)) + "x";
  return text + numerics::toString(type);
}

std::shared_ptr<Buffer> Buffer::allocate(int64_t sizeBytes,
                                         std::shared_ptr<MemoryBudget> budget) {
  if (sizeBytes > INT64_MAX - 128 || (budget && !budget->charge(sizeBytes)))
    return nullptr;
  // Rounded up, with room for one vector after the end: vector loads of a last
  // partial block stay inside the buffer.
  int64_t rounded = (std::max<int64_t>(sizeBytes, 1) + 127) & ~int64_t{63};
  auto *data = static_cast<std::byte *>(
      std::aligned_alloc(64, static_cast<size_t>(rounded)));
  if (!data) {
    if (budget)
      budget->release(sizeBytes);
    return nullptr;
  }
  return std::shared_ptr<Buffer>(
      new Buffer(data, sizeBytes, nullptr, std::move(budget)));
}

std::shared_ptr<Buffer> Buffer::view(const void *data, int64_t sizeBytes,
                                     std::shared_ptr<const void> owner) {
  assert(owner && "a view needs an owner");
  auto *bytes = const_cast<std::byte *>(static_cast<const std::byte *>(data));
  return std::shared_ptr<Buffer>(
      new Buffer(bytes, sizeBytes, std::move(owner), nullptr));
}

Buffer::~Buffer() {
  if (owner_)
    return;
  std::free(data_);
  if (budget_)
    budget_->release(size_);
}

llvm::Expected<int64_t> byteCount(const TensorType &type) {
  llvm::Expected<int64_t> count = elementCount(type.shape);
  if (!count)
    return count.takeError();
  int64_t bytes;
  if (__builtin_mul_overflow(*count, type.element.storageBytes(), &bytes))
    return makeError(ErrorCode::ResourceLimit,
                     "the size of {0} in bytes overflows 64 bits",
                     toString(type));
  return bytes;
}

llvm::Expected<Tensor>
Tensor::allocate(TensorType type, const std::shared_ptr<MemoryBudget> &budget) {
  llvm::Expected<int64_t> bytes = byteCount(type);
  if (!bytes)
    return bytes.takeError();
  std::shared_ptr<Buffer> buffer = Buffer::allocate(*bytes, budget);
  if (!buffer)
    return makeError(
        ErrorCode::ResourceLimit,
        "no memory for {0} ({1} bytes); --max-memory sets the limit",
        toString(type), *bytes);
  return fromBuffer(std::move(type), std::move(buffer));
}

llvm::Expected<Tensor> Tensor::fromBuffer(TensorType type,
                                          std::shared_ptr<Buffer> buffer) {
  llvm::Expected<int64_t> bytes = byteCount(type);
  if (!bytes)
    return bytes.takeError();
  if (buffer->sizeBytes() < *bytes)
    return makeError(ErrorCode::DataLoss, "{0} needs {1} bytes, got {2}",
                     toString(type), *bytes, buffer->sizeBytes());
  Tensor result;
  result.size_ = *bytes / type.element.storageBytes();
  result.type_ = std::move(type);
  result.buffer_ = std::move(buffer);
  return result;
}

Tensor Tensor::splat(TensorType type, const void *element) {
  Tensor result;
  result.size_ = llvm::cantFail(elementCount(type.shape));
  int64_t bytes = type.element.storageBytes();
  result.type_ = std::move(type);
  result.splat_ = true;
  result.buffer_ = Buffer::allocate(bytes);
  std::memcpy(result.buffer_->mutableData(), element,
              static_cast<size_t>(bytes));
  return result;
}

llvm::Expected<Tensor>
Tensor::dense(const std::shared_ptr<MemoryBudget> &budget) const {
  if (!splat_)
    return *this;
  llvm::Expected<Tensor> result = allocate(type_, budget);
  if (!result)
    return result.takeError();
  std::byte *out = result->mutableBytes();
  size_t width = static_cast<size_t>(type_.element.storageBytes());
  size_t total = static_cast<size_t>(denseBytes());
  if (total == 0)
    return result;
  // Copy the filled part onto the rest, doubling it each time.
  std::memcpy(out, bytes(), width);
  for (size_t filled = width; filled < total; filled *= 2)
    std::memcpy(out + filled, out, std::min(filled, total - filled));
  return result;
}

Tensor Tensor::reshaped(llvm::ArrayRef<int64_t> shape) const {
  assert(llvm::cantFail(elementCount(shape)) == size_ &&
         "reshape keeps the number of elements");
  Tensor result = *this;
  result.type_.shape.assign(shape.begin(), shape.end());
  return result;
}

Tensor Tensor::bitcast(ElementType type) const {
  assert(type.storageBytes() == type_.element.storageBytes() &&
         "bitcast keeps the storage size");
  Tensor result = *this;
  result.type_.element = type;
  return result;
}

} // namespace assay::tensor
