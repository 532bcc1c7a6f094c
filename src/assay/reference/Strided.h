/// Copies elements between strided views; used by transpose, broadcast, slice,
/// pad, reverse, concatenate and gather.
#pragma once

#include "assay/support/ThreadPool.h"
#include "assay/tensor/Tensor.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace assay::reference {

/// Copies dst[i . dstStrides] = src[i . srcStrides] for every index i of
/// `shape`. Strides are in elements and may be zero (a broadcast) or negative
/// (a reversal); base pointers point at index zero. `width` is the element's
/// size in bytes: 1, 2, 4, 8, 16 or 32.
void copyStrided(int64_t width, llvm::ArrayRef<int64_t> shape, const void *src,
                 llvm::ArrayRef<int64_t> srcStrides, void *dst,
                 llvm::ArrayRef<int64_t> dstStrides,
                 ThreadPool *threads = nullptr);

/// Broadcasts an operand of the chlo.broadcast_* operation `op` to the shape of
/// its result. It is aligned at the last dimension, or, if its rank is the
/// lower one, according to broadcast_dimensions; dimensions of size 1 are
/// repeated.
void copyBroadcast(mlir::Operation *op, int64_t width,
                   llvm::ArrayRef<int64_t> shape, const void *operand,
                   llvm::ArrayRef<int64_t> resultShape, void *result,
                   ThreadPool *threads = nullptr);

/// Fills `count` elements with one element of `width` bytes.
void fillElements(int64_t width, void *dst, int64_t count, const void *element);

/// Advances `index` in row-major order; false after the last index. Rank 0 has
/// one index.
inline bool nextIndex(llvm::MutableArrayRef<int64_t> index,
                      llvm::ArrayRef<int64_t> shape) {
  for (size_t d = index.size(); d-- > 0;) {
    if (++index[d] < shape[d])
      return true;
    index[d] = 0;
  }
  return false;
}

/// Sets `index` to the row-major index of element number `linear`.
inline void unflatten(int64_t linear, llvm::ArrayRef<int64_t> shape,
                      llvm::MutableArrayRef<int64_t> index) {
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = linear % shape[d];
    linear /= shape[d];
  }
}

inline int64_t dotIndex(llvm::ArrayRef<int64_t> index,
                        llvm::ArrayRef<int64_t> strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d)
    offset += index[d] * strides[d];
  return offset;
}

} // namespace assay::reference
