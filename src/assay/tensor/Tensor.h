/// Shape and Tensor. A Tensor is dense and row-major with value semantics: its
/// buffer is shared and immutable, so that copies are cheap and no holder sees
/// it change. A splat tensor stores one element (isSplat()); it is expanded
/// only where a loop needs it.
#pragma once

#include "assay/numerics/ElementType.h"
#include "assay/support/Error.h"
#include "assay/support/MemoryBudget.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cassert>
#include <cstddef>
#include <memory>

namespace assay::tensor {

using numerics::ElementType;

/// Dimension sizes, outermost first. Sizes are checked when a tensor is made,
/// not here.
using Shape = llvm::SmallVector<int64_t, 6>;

/// The number of elements, or ResourceLimit when the product overflows int64_t.
/// Rank 0 has one element.
llvm::Expected<int64_t> elementCount(llvm::ArrayRef<int64_t> shape);
/// Row-major strides in elements.
Shape rowMajorStrides(llvm::ArrayRef<int64_t> shape);
/// "2x3xf32", "f32" for rank 0 (the inside of MLIR's tensor<...>).
std::string typeString(llvm::ArrayRef<int64_t> shape, ElementType type);

/// Element type and shape together.
struct TensorType {
  ElementType element;
  Shape shape;
  friend bool operator==(const TensorType &a, const TensorType &b) {
    return a.element == b.element && a.shape == b.shape;
  }
};
inline std::string toString(const TensorType &type) {
  return "tensor<" + typeString(type.shape, type.element) + ">";
}

/// Owned, 64-byte aligned bytes, or a view that keeps its owner (a mapped file,
/// an MLIR attribute) alive.
class Buffer {
public:
  /// Null when the allocation fails or the budget, which the buffer keeps,
  /// would be exceeded.
  static std::shared_ptr<Buffer>
  allocate(int64_t sizeBytes, std::shared_ptr<MemoryBudget> budget = nullptr);
  static std::shared_ptr<Buffer> view(const void *data, int64_t sizeBytes,
                                      std::shared_ptr<const void> owner);
  ~Buffer();
  Buffer(const Buffer &) = delete;

  const std::byte *data() const { return data_; }
  std::byte *mutableData() {
    assert(!owner_ && "a view is never written");
    return data_;
  }
  int64_t sizeBytes() const { return size_; }
  bool isView() const { return owner_ != nullptr; }

private:
  Buffer(std::byte *data, int64_t size, std::shared_ptr<const void> owner,
         std::shared_ptr<MemoryBudget> budget)
      : data_(data), size_(size), owner_(std::move(owner)),
        budget_(std::move(budget)) {}
  std::byte *data_;
  int64_t size_;
  std::shared_ptr<const void> owner_; // set for views only
  std::shared_ptr<MemoryBudget> budget_;
};

class Tensor {
public:
  Tensor() = default; ///< an invalid tensor: valid() is false

  /// A new tensor with undefined content, to be written through
  /// mutableData<T>() before it is shared. Errors: ResourceLimit when the size
  /// overflows or memory is exhausted.
  static llvm::Expected<Tensor>
  allocate(TensorType type,
           const std::shared_ptr<MemoryBudget> &budget = nullptr);
  /// Wraps bytes that already have the tensor's layout; the buffer must hold
  /// elementCount * storageBytes.
  static llvm::Expected<Tensor> fromBuffer(TensorType type,
                                           std::shared_ptr<Buffer> buffer);
  /// A splat: every element equals the one at `element`, from which
  /// storageBytes are read.
  static Tensor splat(TensorType type, const void *element);

  bool valid() const { return buffer_ != nullptr; }
  const TensorType &type() const { return type_; }
  ElementType elementType() const { return type_.element; }
  llvm::ArrayRef<int64_t> shape() const { return type_.shape; }
  int64_t rank() const { return static_cast<int64_t>(type_.shape.size()); }
  int64_t size() const { return size_; }
  bool isSplat() const { return splat_; }
  /// The size of all elements when dense, and the bytes actually stored.
  int64_t denseBytes() const { return size_ * type_.element.storageBytes(); }
  int64_t heldBytes() const { return buffer_ ? buffer_->sizeBytes() : 0; }

  /// The same values with every element stored. A dense tensor is returned as
  /// it is; otherwise the memory is charged to the budget.
  llvm::Expected<Tensor>
  dense(const std::shared_ptr<MemoryBudget> &budget = nullptr) const;
  /// The same elements under another shape of the same count (no copy).
  Tensor reshaped(llvm::ArrayRef<int64_t> shape) const;
  /// The same bytes read as another type of the same storage size (no copy).
  Tensor bitcast(ElementType type) const;

  /// Raw bytes; a splat has only the first storageBytes().
  const std::byte *bytes() const { return buffer_->data(); }
  template <typename T> const T *data() const {
    return reinterpret_cast<const T *>(buffer_->data());
  }
  /// For the code that makes the tensor only, while no copy exists.
  std::byte *mutableBytes() {
    assert(buffer_.use_count() == 1 && "writing a shared tensor");
    return buffer_->mutableData();
  }
  template <typename T> T *mutableData() {
    return reinterpret_cast<T *>(mutableBytes());
  }
  /// True when no other tensor shares the buffer, so that the holder may reuse
  /// it.
  bool unique() const { return buffer_.use_count() == 1; }
  const std::shared_ptr<Buffer> &buffer() const { return buffer_; }

private:
  TensorType type_;
  int64_t size_ = 0;
  bool splat_ = false;
  std::shared_ptr<Buffer> buffer_;
};

} // namespace assay::tensor
