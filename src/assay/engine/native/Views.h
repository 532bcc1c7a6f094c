/// Values that only read a tensor in another way: strides and an offset
/// instead of a copy.
#pragma once

#include "assay/tensor/Tensor.h"
#include "mlir/IR/Operation.h"

namespace assay::engine {

using tensor::Shape;

/// Element i of the value is element offset + i . strides of the tensor `base`. Units:
/// elements.
struct View {
  mlir::Value base;
  Shape shape, strides;
  int64_t offset = 0;

  static View dense(mlir::Value base, llvm::ArrayRef<int64_t> shape);
};

/// The value through all views that make it; dense if it is none, or is observed.
View viewOf(mlir::Value value);

/// The same elements under another shape of the same count, if strides can say
/// it.
std::optional<View> reshaped(const View &view, llvm::ArrayRef<int64_t> shape);

/// Row-major positions [begin, begin + count) of a view, copied together.
/// The dimensions are merged once; loads then move runs.
class StridedReader {
public:
  StridedReader() = default;
  StridedReader(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
                int64_t offset, int64_t width);
  bool isContiguous() const { return contiguous_; }
  int64_t offset() const { return offset_; }
  /// Writes `count` elements of `width` bytes to `to`. Threads: re-entrant.
  void read(const std::byte *base, int64_t begin, int64_t count,
            std::byte *to) const;

private:
  Shape shape_, strides_;
  int64_t offset_ = 0, width_ = 0;
  bool contiguous_ = false;
};

} // namespace assay::engine
