// Slices at run-time positions, and operations whose shape is an operand. A
// plan has static result types, so the shape operand must agree with the type:
// a mismatch is an error, never ignored.
// Source: StableHLO specification, dynamic_slice, dynamic_update_slice,
// dynamic_pad, dynamic_iota, real_dynamic_slice, ...
#include "assay/reference/Indices.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Strided.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace assay::reference {

// The offset of a window of `sizes` in `shape`; each start index is clamped so
// that the window stays inside.
static int64_t clampedOffset(StepContext &context, size_t firstIndex,
                             llvm::ArrayRef<int64_t> shape,
                             llvm::ArrayRef<int64_t> sizes) {
  Shape strides = tensor::rowMajorStrides(shape);
  int64_t offset = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t start = indexAt(context.operandValue(firstIndex + d).tensor(), 0);
    offset += std::clamp<int64_t>(start, 0, shape[d] - sizes[d]) * strides[d];
  }
  return offset;
}

llvm::Expected<std::unique_ptr<Step>> dynamicSlice(const StepSpec &spec) {
  return program::makeStep(
      [type = spec.results[0]](StepContext &context) -> llvm::Error {
        const Tensor &operand = context.operand(0);
        int64_t width = type.element.storageBytes();
        if (operand.isSplat()) {
          fillElements(width, context.out(0).mutableBytes(),
                       context.out(0).size(), operand.bytes());
          return llvm::Error::success();
        }
        int64_t offset = clampedOffset(context, 1, operand.shape(), type.shape);
        copyStrided(width, type.shape, operand.bytes() + offset * width,
                    tensor::rowMajorStrides(operand.shape()),
                    context.out(0).mutableBytes(),
                    tensor::rowMajorStrides(type.shape), &context.run.threads);
        return llvm::Error::success();
      });
}

llvm::Expected<std::unique_ptr<Step>> dynamicUpdateSlice(const StepSpec &spec) {
  return program::makeOwningStep(
      [type = spec.results[0]](StepContext &context) -> llvm::Error {
        int64_t width = type.element.storageBytes();
        const Tensor update = context.operand(1);
        int64_t offset = clampedOffset(context, 2, type.shape, update.shape());
        Shape strides = tensor::rowMajorStrides(type.shape);
        // In a loop the operand usually has its last use here; then it is
        // updated in place.
        Tensor result = context.takeUnique(0);
        if (!result.valid()) {
          const Tensor &operand = context.operand(0);
          llvm::Expected<Tensor> copy = context.allocate(type);
          if (!copy)
            return copy.takeError();
          copyStrided(width, type.shape, operand.bytes(),
                      operand.isSplat() ? Shape(strides.size(), 0) : strides,
                      copy->mutableBytes(), strides, &context.run.threads);
          result = std::move(*copy);
        }
        copyStrided(width, update.shape(), update.bytes(),
                    update.isSplat() ? Shape(strides.size(), 0)
                                     : tensor::rowMajorStrides(update.shape()),
                    result.mutableBytes() + offset * width, strides,
                    &context.run.threads);
        context.setOut(0, std::move(result));
        return llvm::Error::success();
      });
}

llvm::Expected<std::unique_ptr<Step>> getDimensionSize(const StepSpec &spec) {
  int32_t size =
      static_cast<int32_t>(spec.operands[0].shape[intOf(spec.op, "dimension")]);
  return program::makeStep([size](StepContext &context) -> llvm::Error {
    *context.out(0).mutableData<int32_t>() = size;
    return llvm::Error::success();
  });
}

// Keeps the used part of a dimension. The rest of a bounded dimension is
// padding, which is never read.
llvm::Expected<std::unique_ptr<Step>> setDimensionSize(const StepSpec &spec) {
  return program::makeStep([type = spec.results[0],
                            dimension = intOf(spec.op, "dimension")](
                               StepContext &context) -> llvm::Error {
    int64_t size = indexAt(context.operandValue(1).tensor(), 0);
    if (size != type.shape[dimension])
      return makeError(ErrorCode::InvalidArgument,
                       "size {0} of dimension {1} is not that of the result's "
                       "type, {2}",
                       size, dimension, tensor::toString(type));
    const Tensor &operand = context.operand(0);
    int64_t width = type.element.storageBytes();
    if (operand.isSplat())
      fillElements(width, context.out(0).mutableBytes(), context.out(0).size(),
                   operand.bytes());
    else
      copyStrided(width, type.shape, operand.bytes(),
                  tensor::rowMajorStrides(operand.shape()),
                  context.out(0).mutableBytes(),
                  tensor::rowMajorStrides(type.shape), &context.run.threads);
    return llvm::Error::success();
  });
}

// Checks that the shape operand agrees with the result type.
static llvm::Error checkShape(StepContext &context, size_t operand,
                              llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 8> asked =
      indicesOf(context.operandValue(operand).tensor());
  if (llvm::ArrayRef<int64_t>(asked) == shape)
    return llvm::Error::success();
  auto list = [](llvm::ArrayRef<int64_t> sizes) {
    return "[" +
           llvm::join(
               llvm::map_range(
                   sizes, [](int64_t size) { return std::to_string(size); }),
               ", ") +
           "]";
  };
  return makeError(ErrorCode::InvalidArgument,
                   "the shape asked for is {0}, the result's is {1}",
                   list(asked), list(shape));
}

// The step of the static operation, after a check of the last operand, the
// shape.
static llvm::Expected<std::unique_ptr<Step>> checked(StepFactory factory,
                                                     const StepSpec &spec) {
  llvm::Expected<std::unique_ptr<Step>> inner = factory(spec);
  if (!inner)
    return inner;
  auto body = [step = std::shared_ptr<Step>(std::move(*inner)),
               at = spec.operands.size() - 1, shape = spec.results[0].shape](
                  StepContext &context) -> llvm::Error {
    if (llvm::Error error = checkShape(context, at, shape))
      return error;
    return step->run(context);
  };
  if (factory == iota)
    return program::makeStep(std::move(body));
  return program::makeOwningStep(std::move(body));
}

llvm::Expected<std::unique_ptr<Step>> dynamicReshape(const StepSpec &spec) {
  return checked(reshape, spec);
}
llvm::Expected<std::unique_ptr<Step>>
dynamicBroadcastInDim(const StepSpec &spec) {
  return checked(broadcastInDim, spec);
}
llvm::Expected<std::unique_ptr<Step>> dynamicIota(const StepSpec &spec) {
  return checked(iota, spec);
}

llvm::Expected<std::unique_ptr<Step>> realDynamicSlice(const StepSpec &spec) {
  return program::makeStep([type = spec.results[0]](
                               StepContext &context) -> llvm::Error {
    const Tensor &operand = context.operand(0);
    llvm::SmallVector<int64_t, 8> starts = indicesOf(
                                      context.operandValue(1).tensor()),
                                  limits = indicesOf(
                                      context.operandValue(2).tensor()),
                                  steps = indicesOf(
                                      context.operandValue(3).tensor());
    Shape source = tensor::rowMajorStrides(operand.shape()), strides;
    int64_t offset = 0, width = type.element.storageBytes();
    for (size_t d = 0; d < source.size(); ++d) {
      bool inside = steps[d] > 0 && starts[d] >= 0 && starts[d] <= limits[d] &&
                    limits[d] <= operand.shape()[d];
      if (!inside ||
          (limits[d] - starts[d] + steps[d] - 1) / steps[d] != type.shape[d])
        return makeError(ErrorCode::InvalidArgument,
                         "slice [{0}:{1}:{2}] of dimension {3} (size {4}) does "
                         "not give the result's size {5}",
                         starts[d], limits[d], steps[d], d, operand.shape()[d],
                         type.shape[d]);
      offset += starts[d] * source[d];
      strides.push_back(steps[d] * source[d]);
    }
    if (operand.isSplat())
      fillElements(width, context.out(0).mutableBytes(), context.out(0).size(),
                   operand.bytes());
    else
      copyStrided(width, type.shape, operand.bytes() + offset * width, strides,
                  context.out(0).mutableBytes(),
                  tensor::rowMajorStrides(type.shape), &context.run.threads);
    return llvm::Error::success();
  });
}

llvm::Expected<std::unique_ptr<Step>> dynamicPad(const StepSpec &spec) {
  return program::makeStep([from = spec.operands[0], to = spec.results[0]](
                               StepContext &context) -> llvm::Error {
    llvm::SmallVector<int64_t, 8> low = indicesOf(
                                      context.operandValue(2).tensor()),
                                  high = indicesOf(
                                      context.operandValue(3).tensor()),
                                  interior = indicesOf(
                                      context.operandValue(4).tensor());
    for (size_t d = 0; d < low.size(); ++d) {
      int64_t spread =
          std::max<int64_t>(0, from.shape[d] - 1) * interior[d] + from.shape[d];
      if (interior[d] < 0 || low[d] + spread + high[d] != to.shape[d])
        return makeError(
            ErrorCode::InvalidArgument,
            "padding {0}, {1}, {2} of dimension {3} does not give size {4}",
            low[d], high[d], interior[d], d, to.shape[d]);
    }
    return makePad(from, to, low, interior)->run(context);
  });
}

} // namespace assay::reference
