// Views: strides follow a value through transposes, broadcasts, slices and
// reshapes, so that products and fused loops read the tensor that is there
// instead of a rearranged copy. A reshape can be expressed when each group of new
// dimensions covers old ones that continue each other (the rule of
// numpy.reshape without a copy).
#include "assay/engine/native/Views.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/FusionRoles.h"
#include "assay/engine/native/Groups.h"
#include "assay/numerics/Dispatch.h"
#include "assay/reference/Attributes.h"
#include "assay/reference/Strided.h"

#include <cstring>

namespace assay::engine {

View View::dense(mlir::Value base, llvm::ArrayRef<int64_t> shape) {
  View view;
  view.base = base;
  view.shape.assign(shape.begin(), shape.end());
  view.strides = tensor::rowMajorStrides(shape);
  return view;
}

std::optional<View> reshaped(const View &view, llvm::ArrayRef<int64_t> shape) {
  View result;
  result.base = view.base;
  result.offset = view.offset;
  result.shape.assign(shape.begin(), shape.end());
  result.strides.assign(shape.size(), 0);
  if (llvm::is_contained(shape, 0))
    return std::nullopt;
  size_t from = 0, to = 0, rank = view.shape.size();
  while (true) {
    while (from < rank && view.shape[from] == 1)
      ++from;
    while (to < shape.size() && shape[to] == 1)
      ++to;
    if (from == rank || to == shape.size())
      break;
    // The shortest groups of old and new dimensions with one product.
    size_t fromEnd = from + 1, toEnd = to + 1;
    int64_t have = view.shape[from], want = shape[to];
    while (have != want) {
      if (have < want && fromEnd < rank)
        have *= view.shape[fromEnd++];
      else if (want < have && toEnd < shape.size())
        want *= shape[toEnd++];
      else
        return std::nullopt;
    }
    // They continue each other, or all of them repeat.
    std::optional<int64_t> next;
    for (size_t d = fromEnd; d-- > from;) {
      if (view.shape[d] == 1)
        continue;
      if (next && view.strides[d] != *next)
        return std::nullopt;
      next = view.strides[d] * view.shape[d];
    }
    size_t last = fromEnd - 1;
    while (last > from && view.shape[last] == 1)
      --last;
    int64_t stride = view.strides[last];
    for (size_t d = toEnd; d-- > to;) {
      result.strides[d] = stride;
      stride *= shape[d];
    }
    from = fromEnd;
    to = toEnd;
  }
  return result;
}

/// The result of a transpose, broadcast_in_dim, slice or reshape of `operand`;
/// nullopt for another operation, and for a reshape that no strides can say.
static std::optional<View> viewOf(mlir::Operation *op, const View &operand,
                           llvm::ArrayRef<int64_t> resultShape) {
  View view;
  view.base = operand.base;
  view.offset = operand.offset;
  view.shape.assign(resultShape.begin(), resultShape.end());
  if (mlir::isa<stablehlo::TransposeOp>(op)) {
    for (int64_t dim : reference::intsOf(op, "permutation"))
      view.strides.push_back(operand.strides[dim]);
    return view;
  }
  if (mlir::isa<stablehlo::BroadcastInDimOp>(op)) {
    view.strides.assign(resultShape.size(), 0);
    for (auto [from, to] :
         llvm::enumerate(reference::intsOf(op, "broadcast_dimensions")))
      if (operand.shape[from] == resultShape[to])
        view.strides[to] = operand.strides[from];
    return view;
  }
  if (mlir::isa<stablehlo::SliceOp>(op)) {
    reference::Ints starts = reference::intsOf(op, "start_indices"),
                    steps = reference::intsOf(op, "strides");
    for (size_t d = 0; d < resultShape.size(); ++d) {
      view.offset += starts[d] * operand.strides[d];
      view.strides.push_back(operand.strides[d] * steps[d]);
    }
    return view;
  }
  if (mlir::isa<stablehlo::ReshapeOp>(op))
    return reshaped(operand, resultShape);
  return std::nullopt;
}

View viewOf(mlir::Value value) {
  auto to = knownTypeOf(value);
  mlir::Operation *op = value.getDefiningOp();
  if (op && op->getNumOperands() == 1 && !isObserved(op) &&
      mlir::isa<stablehlo::TransposeOp, stablehlo::BroadcastInDimOp,
                stablehlo::SliceOp, stablehlo::ReshapeOp>(op) &&
      knownTypeOf(op->getOperand(0)))
    if (auto view = viewOf(op, viewOf(op->getOperand(0)), to->shape))
      return *view;
  return View::dense(value, to->shape);
}

StridedReader::StridedReader(llvm::ArrayRef<int64_t> shape,
                             llvm::ArrayRef<int64_t> strides, int64_t offset,
                             int64_t width)
    : offset_(offset), width_(width) {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1)
      continue;
    if (!shape_.empty() && strides_.back() == strides[d] * shape[d]) {
      shape_.back() *= shape[d];
      strides_.back() = strides[d];
    } else {
      shape_.push_back(shape[d]);
      strides_.push_back(strides[d]);
    }
  }
  if (shape_.empty()) {
    shape_.push_back(1);
    strides_.push_back(1);
  }
  contiguous_ = shape_.size() == 1 && strides_[0] == 1;
}

static void copyRun(int64_t width, const std::byte *from, int64_t stride,
                    int64_t count, std::byte *to) {
  if (stride == 1)
    std::memcpy(to, from, static_cast<size_t>(count * width));
  else if (stride == 0)
    reference::fillElements(width, to, count, from);
  else
    numerics::dispatchStorage(width, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      auto *source = reinterpret_cast<const T *>(from);
      auto *target = reinterpret_cast<T *>(to);
      for (int64_t i = 0; i < count; ++i)
        target[i] = source[i * stride];
    });
}

void StridedReader::read(const std::byte *base, int64_t begin, int64_t count,
                         std::byte *to) const {
  base += offset_ * width_;
  if (contiguous_) {
    std::memcpy(to, base + begin * width_, static_cast<size_t>(count * width_));
    return;
  }
  size_t last = shape_.size() - 1;
  Shape index(shape_.size());
  reference::unflatten(begin, shape_, index);
  while (count > 0) {
    int64_t run = std::min(count, shape_[last] - index[last]);
    copyRun(width_, base + reference::dotIndex(index, strides_) * width_,
            strides_[last], run, to);
    to += run * width_;
    count -= run;
    index[last] = shape_[last] - 1;
    if (!reference::nextIndex(index, shape_))
      return;
  }
}

} // namespace assay::engine
