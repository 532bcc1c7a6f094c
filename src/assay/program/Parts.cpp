// Boxes are copied row by row: the innermost dimension is contiguous in the
// whole and in the part.
#include "assay/program/Parts.h"

#include <cstring>

namespace assay::program {

/// Calls `row(from, to, count)` for each row of the box, with its offsets in
/// the whole and in the part, in elements.
static void
forEachRow(llvm::ArrayRef<int64_t> shape, const Box &box,
           llvm::function_ref<void(int64_t, int64_t, int64_t)> row) {
  size_t rank = shape.size();
  int64_t inner = rank ? box.sizes.back() : 1, rows = 1;
  for (size_t d = 0; d + 1 < rank; ++d)
    rows *= box.sizes[d];
  tensor::Shape strides = tensor::rowMajorStrides(shape);
  for (int64_t r = 0; r < rows && inner > 0; ++r) {
    int64_t at = rank ? box.offset.back() : 0, rest = r;
    for (size_t d = rank > 0 ? rank - 1 : 0; d-- > 0;) {
      at += (box.offset[d] + rest % box.sizes[d]) * strides[d];
      rest /= box.sizes[d];
    }
    row(at, r * inner, inner);
  }
}

static llvm::Expected<Tensor> cutTensor(const Tensor &whole, const Box &box,
                                        RunContext &run) {
  llvm::Expected<Tensor> from = whole.dense();
  if (!from)
    return from;
  llvm::Expected<Tensor> part =
      Tensor::allocate({whole.elementType(), box.sizes}, run.budget);
  if (!part)
    return part;
  int64_t width = whole.elementType().storageBytes();
  std::byte *to = part->mutableBytes();
  forEachRow(whole.shape(), box, [&](int64_t at, int64_t own, int64_t count) {
    std::memcpy(to + own * width, from->bytes() + at * width,
                static_cast<size_t>(count * width));
  });
  return part;
}

llvm::Expected<Value> cut(const Value &whole, const Box &box, RunContext &run) {
  llvm::Expected<Tensor> part = cutTensor(whole.tensor(), box, run);
  if (!part)
    return part.takeError();
  Value value(std::move(*part));
  if (whole.shadow().valid()) {
    llvm::Expected<Tensor> shadow = cutTensor(whole.shadow(), box, run);
    if (!shadow)
      return shadow.takeError();
    value.setShadow(std::move(*shadow));
  }
  return value;
}

static llvm::Expected<Tensor> joinTensors(const Mesh &mesh,
                                          const Sharding &sharding,
                                          llvm::ArrayRef<const Tensor *> parts,
                                          llvm::ArrayRef<int64_t> shape,
                                          RunContext &run) {
  numerics::ElementType element = parts[0]->elementType();
  llvm::Expected<Tensor> whole = Tensor::allocate(
      {element, tensor::Shape(shape.begin(), shape.end())}, run.budget);
  if (!whole)
    return whole;
  int64_t width = element.storageBytes();
  std::byte *to = whole->mutableBytes();
  for (size_t place = parts.size(); place-- > 0;) {
    llvm::Expected<Tensor> part = parts[place]->dense();
    if (!part)
      return part;
    Box box = boxOf(mesh, sharding, static_cast<int64_t>(place), shape);
    forEachRow(shape, box, [&](int64_t at, int64_t own, int64_t count) {
      std::memcpy(to + at * width, part->bytes() + own * width,
                  static_cast<size_t>(count * width));
    });
  }
  return whole;
}

llvm::Expected<Value> join(const Mesh &mesh, const Sharding &sharding,
                           llvm::ArrayRef<Value> parts,
                           llvm::ArrayRef<int64_t> shape, RunContext &run) {
  llvm::SmallVector<const Tensor *, 8> tensors, shadows;
  for (const Value &part : parts) {
    tensors.push_back(&part.tensor());
    if (part.shadow().valid())
      shadows.push_back(&part.shadow());
  }
  llvm::Expected<Tensor> whole =
      joinTensors(mesh, sharding, tensors, shape, run);
  if (!whole)
    return whole.takeError();
  Value value(std::move(*whole));
  if (shadows.size() == parts.size()) {
    llvm::Expected<Tensor> shadow =
        joinTensors(mesh, sharding, shadows, shape, run);
    if (!shadow)
      return shadow.takeError();
    value.setShadow(std::move(*shadow));
  }
  return value;
}

} // namespace assay::program
