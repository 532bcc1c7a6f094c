// gather, dynamic_gather, torch_index_select: one slice of the operand for
// every start index, which is clamped so that the slice stays inside. Source:
// StableHLO specification, gather.
#include "assay/dialect/Stablehlo.h"
#include "assay/reference/Indices.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Strided.h"

#include <algorithm>

namespace assay::reference {

namespace {
struct Gather {
  TensorType operand, result;
  Shape sliceSizes;
  llvm::SmallVector<int64_t> offsetDims, collapsed, operandBatching,
      indexBatching, startIndexMap;
  int64_t indexVectorDim = 0;
  bool sorted = false; ///< the program promises sorted indices
};

// The result's dimensions are batch dimensions (one start index each) and
// offset dimensions (inside the slice).
struct GatherSpaces {
  GatherSpaces(const Gather &gather, const Shape &sliceSizes,
               const Tensor &indices);
  // The first element of the slice for batch index `batch`, clamped so that the
  // slice stays inside.
  void startOf(const Shape &batch, Shape &start) const;

  const Gather &g;
  const Shape &sliceSizes;
  const Tensor &indices;
  Shape operandStrides, indexStrides;
  Shape batchShape, batchOut, windowShape, windowIn, windowOut;
};
} // namespace

template <typename Op> static Gather decode(Op op, const StepSpec &spec) {
  auto dims = op.getDimensionNumbers();
  auto list = [](llvm::ArrayRef<int64_t> values) {
    return llvm::SmallVector<int64_t>(values.begin(), values.end());
  };
  return {spec.operands[0],
          spec.results[0],
          {},
          list(dims.getOffsetDims()),
          list(dims.getCollapsedSliceDims()),
          list(dims.getOperandBatchingDims()),
          list(dims.getStartIndicesBatchingDims()),
          list(dims.getStartIndexMap()),
          dims.getIndexVectorDim(),
          op.getIndicesAreSorted()};
}

GatherSpaces::GatherSpaces(const Gather &gather, const Shape &sizes,
                           const Tensor &starts)
    : g(gather), sliceSizes(sizes), indices(starts),
      operandStrides(tensor::rowMajorStrides(gather.operand.shape)),
      indexStrides(tensor::rowMajorStrides(starts.shape())) {
  Shape outStrides = tensor::rowMajorStrides(g.result.shape);
  size_t offset = 0;
  llvm::SmallVector<int64_t> windowDims;
  for (int64_t d = 0; d < static_cast<int64_t>(g.operand.shape.size()); ++d)
    if (!llvm::is_contained(g.collapsed, d) &&
        !llvm::is_contained(g.operandBatching, d))
      windowDims.push_back(d);
  for (int64_t d = 0; d < static_cast<int64_t>(g.result.shape.size()); ++d) {
    if (llvm::is_contained(g.offsetDims, d)) {
      windowShape.push_back(g.result.shape[d]);
      windowIn.push_back(operandStrides[windowDims[offset++]]);
      windowOut.push_back(outStrides[d]);
    } else {
      batchShape.push_back(g.result.shape[d]);
      batchOut.push_back(outStrides[d]);
    }
  }
}

void GatherSpaces::startOf(const Shape &batch, Shape &start) const {
  int64_t base = 0, vectorStride = 0;
  for (int64_t d = 0, s = 0; d < indices.rank(); ++d) {
    if (d == g.indexVectorDim)
      vectorStride = indexStrides[d];
    else
      base += batch[s++] * indexStrides[d];
  }
  std::fill(start.begin(), start.end(), 0);
  for (auto [i, d] : llvm::enumerate(g.startIndexMap))
    start[d] = std::clamp<int64_t>(
        indexAt(indices, base + static_cast<int64_t>(i) * vectorStride), 0,
        g.operand.shape[d] - sliceSizes[d]);
  for (auto [operandDim, indexDim] :
       llvm::zip_equal(g.operandBatching, g.indexBatching))
    start[operandDim] = batch[indexDim - (indexDim > g.indexVectorDim ? 1 : 0)];
}

// Checks the promise on the clamped starts, as the specification defines it.
static void checkSorted(const GatherSpaces &spaces, int64_t batches,
                        StepContext &context) {
  SortedPromise sorted(spaces.g.sorted);
  Shape batch(spaces.batchShape.size(), 0),
      start(spaces.g.operand.shape.size());
  for (int64_t b = 0; b < batches && !sorted.isBroken();
       ++b, nextIndex(batch, spaces.batchShape)) {
    spaces.startOf(batch, start);
    sorted.see(start);
  }
  if (sorted.isBroken())
    noteBrokenPromise(context, "indices_are_sorted", "they are not");
}

static llvm::Error runGather(const Gather &g, const Shape &sliceSizes,
                             StepContext &context) {
  int64_t width = g.result.element.storageBytes();
  const Tensor &operand = context.operand(0),
               &indices = context.operandValue(1).tensor();
  std::byte *out = context.out(0).mutableBytes();
  if (context.out(0).size() == 0)
    return llvm::Error::success();
  if (operand.isSplat()) {
    fillElements(width, out, context.out(0).size(), operand.bytes());
    return llvm::Error::success();
  }
  GatherSpaces spaces(g, sliceSizes, indices);
  int64_t batches = llvm::cantFail(tensor::elementCount(spaces.batchShape));
  if (g.sorted)
    checkSorted(spaces, batches, context);
  context.run.threads.parallelFor(
      batches, 256, [&](int64_t begin, int64_t end) {
        Shape batch(spaces.batchShape.size());
        unflatten(begin, spaces.batchShape, batch);
        Shape start(g.operand.shape.size());
        for (int64_t b = begin; b < end;
             ++b, nextIndex(batch, spaces.batchShape)) {
          spaces.startOf(batch, start);
          copyStrided(
              width, spaces.windowShape,
              operand.bytes() + dotIndex(start, spaces.operandStrides) * width,
              spaces.windowIn, out + dotIndex(batch, spaces.batchOut) * width,
              spaces.windowOut);
        }
      });
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> gather(const StepSpec &spec) {
  Gather g = decode(mlir::cast<stablehlo::GatherOp>(spec.op), spec);
  Ints sizes = intsOf(spec.op, "slice_sizes");
  g.sliceSizes.assign(sizes.begin(), sizes.end());
  return program::makeStep([g](StepContext &context) {
    return runGather(g, g.sliceSizes, context);
  });
}

llvm::Expected<std::unique_ptr<Step>> dynamicGather(const StepSpec &spec) {
  Gather g = decode(mlir::cast<stablehlo::DynamicGatherOp>(spec.op), spec);
  return program::makeStep([g](StepContext &context) -> llvm::Error {
    llvm::SmallVector<int64_t, 8> sizes =
        indicesOf(context.operandValue(2).tensor());
    llvm::SmallVector<int64_t> kept;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] < 0 || sizes[d] > g.operand.shape[d])
        return makeError(ErrorCode::InvalidArgument,
                         "slice size {0} of dimension {1} is outside [0, {2}]",
                         sizes[d], d, g.operand.shape[d]);
      if (!llvm::is_contained(g.collapsed, static_cast<int64_t>(d)) &&
          !llvm::is_contained(g.operandBatching, static_cast<int64_t>(d)))
        kept.push_back(sizes[d]);
    }
    for (auto [size, dim] : llvm::zip_equal(kept, g.offsetDims))
      if (size != g.result.shape[dim])
        return makeError(ErrorCode::InvalidArgument,
                         "slice size {0} does not give the result's size {1}",
                         size, g.result.shape[dim]);
    return runGather(g, Shape(sizes.begin(), sizes.end()), context);
  });
}

// result[batch..., i..., rest...] = operand[batch..., index[batch..., i...],
// rest...]
llvm::Expected<std::unique_ptr<Step>> torchIndexSelect(const StepSpec &spec) {
  int64_t dim = intOf(spec.op, "dim"), batchDims = intOf(spec.op, "batch_dims");
  return program::makeStep([=, type = spec.operands[0]](
                               StepContext &context) -> llvm::Error {
    llvm::Expected<Tensor> operand = context.dense(0);
    if (!operand)
      return operand.takeError();
    const Tensor &index = context.operandValue(1).tensor();
    int64_t outer = 1, inner = type.element.storageBytes(), batch = 1;
    for (int64_t d = 0; d < dim; ++d)
      (d < batchDims ? batch : outer) *= type.shape[d];
    for (size_t d = static_cast<size_t>(dim) + 1; d < type.shape.size(); ++d)
      inner *= type.shape[d];
    int64_t picks = batch == 0 ? 0 : index.size() / batch,
            size = type.shape[dim];
    std::byte *out = context.out(0).mutableBytes();
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t o = 0; o < outer; ++o)
        for (int64_t p = 0; p < picks; ++p, out += inner) {
          int64_t at =
              std::clamp<int64_t>(indexAt(index, b * picks + p), 0, size - 1);
          std::copy_n(operand->bytes() + ((b * outer + o) * size + at) * inner,
                      inner, out);
        }
    return llvm::Error::success();
  });
}

} // namespace assay::reference
