/// Values that only read a tensor in another way: strides and an offset
/// instead of a copy.
#pragma once

#include "assay/program/Plan.h"

namespace assay::engine {

using tensor::Shape;

/// Element i of the value is element offset + i . strides of the tensor in slot
/// `base`. Units: elements.
struct View {
  program::SlotId base = 0;
  Shape shape, strides;
  int64_t offset = 0;

  static View dense(program::SlotId base, llvm::ArrayRef<int64_t> shape);
  bool isDense() const; ///< offset 0 and row-major: the tensor itself, perhaps
                        ///< under another shape
};

/// The result of a transpose, broadcast_in_dim, slice or reshape of `operand`;
/// nullopt for another operation, and for a reshape that no strides can say.
std::optional<View> viewOf(mlir::Operation *op, const View &operand,
                           llvm::ArrayRef<int64_t> resultShape);

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
