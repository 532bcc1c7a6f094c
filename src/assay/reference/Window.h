/// Windows that slide over a padded, dilated index space: shared by
/// reduce_window and select_and_scatter.
#pragma once

#include "assay/reference/Attributes.h"
#include "assay/reference/Ops.h"

namespace assay::reference {

struct Window {
  Shape shape, strides; ///< the operand's
  Ints size, stride, low, baseDilation, dilation;

  static Window of(mlir::Operation *op, const TensorType &operand) {
    Window w;
    int64_t rank = static_cast<int64_t>(operand.shape.size());
    w.shape = operand.shape;
    w.strides = tensor::rowMajorStrides(operand.shape);
    w.size = intsOf(op, "window_dimensions", rank, 1);
    w.stride = intsOf(op, "window_strides", rank, 1);
    w.baseDilation = intsOf(op, "base_dilations", rank, 1);
    w.dilation = intsOf(op, "window_dilations", rank, 1);
    Ints padding = intsOf(op, "padding", 2 * rank, 0);
    for (int64_t d = 0; d < rank; ++d)
      w.low.push_back(padding[2 * d]);
    return w;
  }

  int64_t taps() const {
    int64_t count = 1;
    for (int64_t s : size)
      count *= s;
    return count;
  }

  /// The operand's element under window position `tap` of the window at `at`,
  /// or -1 in padding or between dilated ones.
  int64_t elementAt(llvm::ArrayRef<int64_t> at,
                    llvm::ArrayRef<int64_t> tap) const {
    int64_t offset = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t x = at[d] * stride[d] + tap[d] * dilation[d] - low[d];
      if (x < 0 || x % baseDilation[d] != 0 || x / baseDilation[d] >= shape[d])
        return -1;
      offset += x / baseDilation[d] * strides[d];
    }
    return offset;
  }
};

/// Bound for the row at a time: lanes of one block.
constexpr int64_t kWindowLanes = 1024;

} // namespace assay::reference
