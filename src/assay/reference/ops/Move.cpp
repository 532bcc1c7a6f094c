// Operations that only move elements: each copies with its own strides and
// turns a splat into a splat. Source: StableHLO specification, the sections
// named after the operations.
#include "assay/numerics/Convert.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Strided.h"

#include <algorithm>

namespace assay::reference {

// A step whose result is operand 0 with another shape; copies nothing.
static std::unique_ptr<Step> renamed(const StepSpec &spec) {
  return program::makeOwningStep(
      [shape = spec.results[0].shape](StepContext &context) -> llvm::Error {
        context.setOut(0, context.operand(0).reshaped(shape));
        return llvm::Error::success();
      });
}

// Whether every element keeps its position in memory, because only dimensions
// of size 1 are added, removed or moved.
static bool staysInPlace(const StepSpec &spec, llvm::ArrayRef<int64_t> strides,
                         int64_t offset) {
  const Shape &shape = spec.results[0].shape;
  int64_t count = 1;
  for (size_t d = shape.size(); d-- > 0; count *= shape[d])
    if (shape[d] != 1 && strides[d] != count)
      return false;
  return offset == 0 &&
         count == llvm::cantFail(tensor::elementCount(spec.operands[0].shape));
}

// A step that reads operand 0 with strides: result[i] = operand[offset + i .
// strides].
static std::unique_ptr<Step> stridedRead(const StepSpec &spec, Shape strides,
                                         int64_t offset) {
  if (staysInPlace(spec, strides, offset))
    return renamed(spec);
  TensorType type = spec.results[0];
  return program::makeOwningStep([type = std::move(type),
                                  strides = std::move(strides),
                                  offset](StepContext &context) -> llvm::Error {
    const Tensor &operand = context.operand(0);
    if (operand.isSplat()) {
      context.setOut(0, Tensor::splat(type, operand.bytes()));
      return llvm::Error::success();
    }
    llvm::Expected<Tensor> result = context.allocate(type);
    if (!result)
      return result.takeError();
    int64_t width = type.element.storageBytes();
    copyStrided(width, type.shape, operand.bytes() + offset * width, strides,
                result->mutableBytes(), tensor::rowMajorStrides(type.shape),
                &context.run.threads);
    context.setOut(0, std::move(*result));
    return llvm::Error::success();
  });
}

llvm::Expected<std::unique_ptr<Step>> broadcastInDim(const StepSpec &spec) {
  const TensorType &from = spec.operands[0], &to = spec.results[0];
  if (llvm::cantFail(tensor::elementCount(from.shape)) ==
      1) // one element fills the result, which becomes a splat
    return program::makeOwningStep([to](StepContext &context) -> llvm::Error {
      context.setOut(0, Tensor::splat(to, context.operand(0).bytes()));
      return llvm::Error::success();
    });
  Ints dims = intsOf(spec.op, "broadcast_dimensions");
  Shape strides(to.shape.size(), 0),
      source = tensor::rowMajorStrides(from.shape);
  for (size_t d = 0; d < dims.size(); ++d)
    strides[dims[d]] = from.shape[d] == 1 ? 0 : source[d];
  return stridedRead(spec, std::move(strides), 0);
}

// broadcast: the new dimensions are the leading ones.
llvm::Expected<std::unique_ptr<Step>> broadcast(const StepSpec &spec) {
  Shape strides(spec.results[0].shape.size() - spec.operands[0].shape.size(),
                0);
  for (int64_t stride : tensor::rowMajorStrides(spec.operands[0].shape))
    strides.push_back(stride);
  return stridedRead(spec, std::move(strides), 0);
}

llvm::Expected<std::unique_ptr<Step>> transpose(const StepSpec &spec) {
  Shape source = tensor::rowMajorStrides(spec.operands[0].shape), strides;
  for (int64_t d : intsOf(spec.op, "permutation"))
    strides.push_back(source[d]);
  return stridedRead(spec, std::move(strides), 0);
}

llvm::Expected<std::unique_ptr<Step>> slice(const StepSpec &spec) {
  Ints starts = intsOf(spec.op, "start_indices"),
       steps = intsOf(spec.op, "strides");
  Shape source = tensor::rowMajorStrides(spec.operands[0].shape), strides;
  int64_t offset = 0;
  for (size_t d = 0; d < source.size(); ++d) {
    offset += starts[d] * source[d];
    strides.push_back(steps[d] * source[d]);
  }
  return stridedRead(spec, std::move(strides), offset);
}

llvm::Expected<std::unique_ptr<Step>> reverse(const StepSpec &spec) {
  Shape strides = tensor::rowMajorStrides(spec.operands[0].shape);
  int64_t offset = 0;
  for (int64_t d : intsOf(spec.op, "dimensions")) {
    offset += (spec.operands[0].shape[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  return stridedRead(spec, std::move(strides), offset);
}

llvm::Expected<std::unique_ptr<Step>> reshape(const StepSpec &spec) {
  return renamed(spec);
}

llvm::Expected<std::unique_ptr<Step>> concatenate(const StepSpec &spec) {
  int64_t dim = intOf(spec.op, "dimension");
  return program::makeStep([dim, type = spec.results[0]](
                               StepContext &context) -> llvm::Error {
    int64_t width = type.element.storageBytes(), offset = 0;
    Shape strides = tensor::rowMajorStrides(type.shape);
    for (size_t i = 0; i < context.operandCount(); ++i) {
      const Tensor &operand = context.operand(i);
      Shape from = operand.isSplat() ? Shape(type.shape.size(), 0)
                                     : tensor::rowMajorStrides(operand.shape());
      copyStrided(width, operand.shape(), operand.bytes(), from,
                  context.out(0).mutableBytes() + offset * strides[dim] * width,
                  strides, &context.run.threads);
      offset += operand.shape()[dim];
    }
    return llvm::Error::success();
  });
}

namespace {
// One dimension of pad: the operand's elements first + j for j < count are
// written to target + j * step.
struct PaddedDimension {
  int64_t first, count, target, step;
};
} // namespace

// Element i goes to low + i * (interior + 1); elements that fall outside the
// result are cut off.
static PaddedDimension padDimension(int64_t size, int64_t result, int64_t low,
                                    int64_t interior) {
  int64_t step = interior + 1;
  int64_t first = low >= 0 ? 0 : (-low + step - 1) / step;
  int64_t last =
      result - 1 - low < 0 ? -1 : std::min((result - 1 - low) / step, size - 1);
  return {first, std::max<int64_t>(0, last - first + 1), low + first * step,
          step};
}

std::unique_ptr<Step> makePad(const TensorType &from, const TensorType &to,
                              llvm::ArrayRef<int64_t> low,
                              llvm::ArrayRef<int64_t> interior) {
  Shape source = tensor::rowMajorStrides(from.shape),
        target = tensor::rowMajorStrides(to.shape);
  Shape shape, dstStrides;
  int64_t srcOffset = 0, dstOffset = 0;
  for (size_t d = 0; d < source.size(); ++d) {
    PaddedDimension padded =
        padDimension(from.shape[d], to.shape[d], low[d], interior[d]);
    shape.push_back(padded.count);
    srcOffset += padded.first * source[d];
    dstOffset += padded.target * target[d];
    dstStrides.push_back(padded.step * target[d]);
  }
  return program::makeStep(
      [=, size = llvm::cantFail(tensor::elementCount(to.shape)),
       width = to.element.storageBytes()](StepContext &context) -> llvm::Error {
        const Tensor &operand = context.operand(0);
        std::byte *out = context.out(0).mutableBytes();
        fillElements(width, out, size, context.operand(1).bytes());
        copyStrided(width, shape,
                    operand.bytes() +
                        (operand.isSplat() ? 0 : srcOffset * width),
                    operand.isSplat() ? Shape(shape.size(), 0) : source,
                    out + dstOffset * width, dstStrides, &context.run.threads);
        return llvm::Error::success();
      });
}

llvm::Expected<std::unique_ptr<Step>> pad(const StepSpec &spec) {
  return makePad(spec.operands[0], spec.results[0],
                 intsOf(spec.op, "edge_padding_low"),
                 intsOf(spec.op, "interior_padding"));
}

llvm::Expected<std::unique_ptr<Step>> iota(const StepSpec &spec) {
  int64_t dim = intOf(spec.op, "iota_dimension");
  return program::makeStep([type = spec.results[0],
                            dim](StepContext &context) -> llvm::Error {
    // Convert the values along the dimension once, then broadcast them over the
    // others.
    std::vector<int64_t> counted(static_cast<size_t>(type.shape[dim]));
    for (size_t i = 0; i < counted.size(); ++i)
      counted[i] = static_cast<int64_t>(i);
    int64_t width = type.element.storageBytes();
    std::vector<std::byte> values(counted.size() * static_cast<size_t>(width));
    numerics::convertArray(numerics::ElementType::integer(64), counted.data(),
                           type.element, values.data(),
                           static_cast<int64_t>(counted.size()));
    Shape from(type.shape.size(), 0);
    from[dim] = 1;
    copyStrided(width, type.shape, values.data(), from,
                context.out(0).mutableBytes(),
                tensor::rowMajorStrides(type.shape), &context.run.threads);
    return llvm::Error::success();
  });
}

} // namespace assay::reference
