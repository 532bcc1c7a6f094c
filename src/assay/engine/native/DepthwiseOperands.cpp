// The operands of a depthwise convolution in the order in which its kernels
// read them.
#include "assay/engine/native/DepthwiseOperands.h"

#include "assay/numerics/Convert.h"
#include "assay/reference/Strided.h"

namespace assay::engine {

using tensor::Shape;

llvm::Expected<Tensor> depthwiseImage(StepContext &context,
                                      const DepthwiseGeometry &g) {
  llvm::Expected<Tensor> image = context.dense(0);
  if (!image || g.lhsLies.empty())
    return image;
  numerics::ElementType type = image->elementType();
  llvm::Expected<Tensor> copy = context.allocate({type, g.lhsShape});
  if (copy)
    reference::copyStrided(type.storageBytes(), g.lhsShape, image->bytes(),
                           g.lhsLies, copy->mutableBytes(),
                           tensor::rowMajorStrides(g.lhsShape),
                           &context.run.threads);
  return copy;
}

llvm::Expected<Tensor> depthwiseFilter(StepContext &context,
                                       const DepthwiseGeometry &g,
                                       const Tensor &filter) {
  const std::array<DepthwiseAxis, 3> &a = g.axes;
  Shape shape{g.features,  a[0].kernel, a[1].kernel,
              a[2].kernel, g.summed(),  g.channels},
      strides{g.filterFeature, a[0].tapStride, a[1].tapStride,
              a[2].tapStride,  g.filterInput,  g.filterChannel},
      order = tensor::rowMajorStrides(shape);
  bool inOrder = g.taps() * g.channels == filter.size();
  for (size_t d = 0; d < shape.size(); ++d)
    inOrder &= shape[d] == 1 || strides[d] == order[d];
  if (inOrder)
    return filter;
  numerics::ElementType type = filter.elementType();
  llvm::Expected<Tensor> copy = context.allocate({type, shape});
  if (copy)
    reference::copyStrided(
        type.storageBytes(), shape,
        filter.bytes() + g.filterStart * type.storageBytes(), strides,
        copy->mutableBytes(), order, &context.run.threads);
  return copy;
}

llvm::Expected<Tensor> convertedTo(numerics::ElementType type, StepContext &context,
                                   const Tensor &tensor) {
  numerics::ElementType from = tensor.elementType();
  if (from == type)
    return tensor;
  llvm::Expected<Tensor> result = context.allocate({type, Shape(tensor.shape())});
  if (!result)
    return result;
  constexpr int64_t kSome = 16384;
  std::byte *to = result->mutableBytes();
  context.run.threads.parallelFor(tensor.size(), kSome, [&](int64_t begin, int64_t end) {
    numerics::convertArray(from, tensor.bytes() + begin * from.storageBytes(), type,
                           to + begin * type.storageBytes(), end - begin);
  });
  return result;
}

} // namespace assay::engine
