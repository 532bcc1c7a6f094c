#include "assay/reference/DotOperands.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/Strided.h"

namespace assay::reference {

OperandView viewOf(const TensorType &type, llvm::ArrayRef<int64_t> batch,
                   llvm::ArrayRef<int64_t> contracted) {
  OperandView view;
  Shape strides = tensor::rowMajorStrides(type.shape);
  auto add = [&](int64_t d, int64_t &count) {
    view.shape.push_back(type.shape[d]);
    view.strides.push_back(strides[d]);
    count *= type.shape[d];
  };
  for (int64_t d : batch)
    add(d, view.batch);
  for (int64_t d = 0; d < static_cast<int64_t>(type.shape.size()); ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracted, d))
      add(d, view.free);
  for (int64_t d : contracted)
    add(d, view.contracted);
  return view;
}

static llvm::Expected<Tensor> arrange(StepContext &context,
                                      const Tensor &operand,
                                      const OperandView &view,
                                      numerics::ElementType compute) {
  int64_t width = operand.elementType().storageBytes();
  Shape shape{view.batch, view.free, view.contracted};
  Tensor packed = operand;
  bool inOrder = view.strides == tensor::rowMajorStrides(view.shape);
  if (operand.isSplat() || !inOrder) {
    llvm::Expected<Tensor> copy =
        context.allocate({operand.elementType(), shape});
    if (!copy)
      return copy;
    copyStrided(width, view.shape, operand.bytes(),
                operand.isSplat() ? Shape(view.shape.size(), 0) : view.strides,
                copy->mutableBytes(), tensor::rowMajorStrides(view.shape),
                &context.run.threads);
    packed = std::move(*copy);
  }
  if (packed.elementType() == compute)
    return packed;
  llvm::Expected<Tensor> result = context.allocate({compute, shape});
  if (!result)
    return result;
  std::byte *out = result->mutableBytes();
  context.run.threads.parallelFor(
      packed.size(), 1 << 15, [&](int64_t begin, int64_t end) {
        numerics::convertArray(
            packed.elementType(), packed.bytes() + begin * width, compute,
            out + begin * compute.storageBytes(), end - begin);
      });
  return result;
}

llvm::Expected<Arranged> arrangeBoth(StepContext &context,
                                     const OperandView &lhs,
                                     const OperandView &rhs,
                                     numerics::ElementType compute) {
  llvm::Expected<Tensor> a = arrange(context, context.operand(0), lhs, compute);
  if (!a)
    return a.takeError();
  llvm::Expected<Tensor> b = arrange(context, context.operand(1), rhs, compute);
  if (!b)
    return b.takeError();
  return Arranged{std::move(*a), std::move(*b)};
}

} // namespace assay::reference
