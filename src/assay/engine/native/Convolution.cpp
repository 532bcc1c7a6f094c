// convolution on the kernels: the input is brought to [batch, spatial,
// feature], the filter to [feature, spatial, group input]; blocks of output
// positions gather their windows into rows, and rows times filter is one
// product that writes straight to its place in the result, whatever the order
// of the result's dimensions. Blocks are shared out to threads. A 1 x 1 window
// with stride 1 gathers nothing: the input itself is the matrix.
#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/Steps.h"
#include "assay/reference/Strided.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace assay::engine {

using reference::intOf;
using reference::Ints;
using reference::intsOf;
using tensor::Shape;

namespace {
struct Geometry {
  int64_t batch, features, outFeatures, featureGroups, batchGroups;
  Shape in, window, out; // spatial sizes
  Ints strides, low, inDilation, windowDilation, reversal;
  Shape lhsOrder, rhsOrder; // dimensions as [batch, spatial, feature] and [out
                            // feature, spatial, in feature]
  int64_t outBatchStride, outFeatureStride, outPositionStride;
  int64_t positions = 1, inPositions = 1, taps = 1;
  int64_t groups() const { return std::max(featureGroups, batchGroups); }
  int64_t groupIn() const { return features / featureGroups; }
  int64_t groupOut() const { return outFeatures / groups(); }
  bool isPointwise() const;
};
} // namespace

bool Geometry::isPointwise() const {
  if (taps != 1 || positions != inPositions)
    return false;
  for (size_t d = 0; d < in.size(); ++d)
    if (strides[d] != 1 || low[d] != 0 || inDilation[d] != 1)
      return false;
  return true;
}

/// Decodes the operation; nullopt where the output positions do not lie at
/// equal distances.
static std::optional<Geometry> decode(stablehlo::ConvolutionOp op,
                                      const StepSpec &spec) {
  auto dims = op.getDimensionNumbers();
  const TensorType &lhs = spec.operands[0], &rhs = spec.operands[1],
                   &result = spec.results[0];
  auto rank = static_cast<int64_t>(dims.getInputSpatialDimensions().size());
  Geometry g;
  g.batch = lhs.shape[dims.getInputBatchDimension()];
  g.features = lhs.shape[dims.getInputFeatureDimension()];
  g.outFeatures = rhs.shape[dims.getKernelOutputFeatureDimension()];
  g.featureGroups = intOf(op, "feature_group_count", 1);
  g.batchGroups = intOf(op, "batch_group_count", 1);
  g.strides = intsOf(op, "window_strides", rank, 1);
  g.inDilation = intsOf(op, "lhs_dilation", rank, 1);
  g.windowDilation = intsOf(op, "rhs_dilation", rank, 1);
  g.reversal = intsOf(op, "window_reversal", rank, 0);
  Ints padding = intsOf(op, "padding", 2 * rank, 0);
  g.lhsOrder.push_back(dims.getInputBatchDimension());
  g.rhsOrder.push_back(dims.getKernelOutputFeatureDimension());
  Shape outStrides = tensor::rowMajorStrides(result.shape);
  g.outBatchStride = outStrides[dims.getOutputBatchDimension()];
  g.outFeatureStride = outStrides[dims.getOutputFeatureDimension()];
  g.outPositionStride = 1;
  for (int64_t d = rank - 1; d >= 0; --d) {
    int64_t dim = dims.getOutputSpatialDimensions()[d];
    if (g.positions == 1)
      g.outPositionStride = outStrides[dim];
    else if (result.shape[dim] > 1 &&
             outStrides[dim] != g.outPositionStride * g.positions)
      return std::nullopt;
    g.positions *= result.shape[dim];
  }
  for (int64_t d = 0; d < rank; ++d) {
    g.low.push_back(padding[2 * d]);
    g.in.push_back(lhs.shape[dims.getInputSpatialDimensions()[d]]);
    g.window.push_back(rhs.shape[dims.getKernelSpatialDimensions()[d]]);
    g.out.push_back(result.shape[dims.getOutputSpatialDimensions()[d]]);
    g.inPositions *= g.in.back();
    g.taps *= g.window.back();
    g.lhsOrder.push_back(dims.getInputSpatialDimensions()[d]);
    g.rhsOrder.push_back(dims.getKernelSpatialDimensions()[d]);
  }
  g.lhsOrder.push_back(dims.getInputFeatureDimension());
  g.rhsOrder.push_back(dims.getKernelInputFeatureDimension());
  return g;
}

namespace {
class ConvolutionStep final : public Step {
public:
  ConvolutionStep(std::shared_ptr<NativeContext> context, Geometry geometry,
                  const StepSpec &spec);
  llvm::Error run(StepContext &context) const override;

private:
  void gather(const std::byte *input, int64_t entry, int64_t position,
              int64_t feature, std::byte *row) const;
  kernels::GemmProblem problemFor(int64_t rows, bool inPlace) const;

  std::shared_ptr<NativeContext> context_;
  Geometry g_;
  kernels::GemmProblem types_;
  int64_t width_;
};
} // namespace

ConvolutionStep::ConvolutionStep(std::shared_ptr<NativeContext> context,
                                 Geometry geometry, const StepSpec &spec)
    : context_(std::move(context)), g_(std::move(geometry)),
      width_(spec.operands[0].element.storageBytes()) {
  types_.a = *kernels::dataTypeOf(spec.operands[0].element);
  types_.b = *kernels::dataTypeOf(spec.operands[1].element);
  types_.c = *kernels::dataTypeOf(spec.results[0].element);
  types_.acc = kernels::accumulatorOf(types_.a);
}

/// One row: the window of an output position, zero outside the input.
void ConvolutionStep::gather(const std::byte *input, int64_t entry,
                             int64_t position, int64_t feature,
                             std::byte *row) const {
  Shape at(g_.out.size()), tap(g_.out.size(), 0),
      strides = tensor::rowMajorStrides(g_.in);
  reference::unflatten(position, g_.out, at);
  auto bytes = static_cast<size_t>(g_.groupIn() * width_);
  const std::byte *from =
      input + (entry * g_.inPositions * g_.features + feature) * width_;
  do {
    int64_t offset = 0;
    bool inside = true;
    for (size_t d = 0; d < tap.size() && inside; ++d) {
      int64_t q = g_.reversal[d] ? g_.window[d] - 1 - tap[d] : tap[d];
      int64_t x = at[d] * g_.strides[d] + q * g_.windowDilation[d] - g_.low[d];
      inside = x >= 0 && x % g_.inDilation[d] == 0 &&
               x / g_.inDilation[d] < g_.in[d];
      if (inside)
        offset += x / g_.inDilation[d] * strides[d];
    }
    if (inside)
      std::memcpy(row, from + offset * g_.features * width_, bytes);
    else
      std::memset(row, 0, bytes);
    row += bytes;
  } while (reference::nextIndex(tap, g_.window));
}

kernels::GemmProblem ConvolutionStep::problemFor(int64_t rows,
                                                 bool inPlace) const {
  kernels::GemmProblem p = types_;
  p.m = rows;
  p.n = g_.groupOut();
  p.k = g_.taps * g_.groupIn();
  p.aStrides = {inPlace ? g_.features : p.k, 1, 0};
  p.bStrides = {1, p.k, 0};
  p.cStrides = {g_.outPositionStride, g_.outFeatureStride, 0};
  return p;
}

/// The operand's dimensions in another order, or the operand itself where they
/// are in that order already.
static llvm::Expected<Tensor> reordered(StepContext &context,
                                        const Tensor &operand,
                                        llvm::ArrayRef<int64_t> order) {
  bool same = !operand.isSplat();
  Shape strides = tensor::rowMajorStrides(operand.shape()), shape, from;
  for (size_t d = 0; d < order.size(); ++d) {
    same &= order[d] == static_cast<int64_t>(d);
    shape.push_back(operand.shape()[order[d]]);
    from.push_back(operand.isSplat() ? 0 : strides[order[d]]);
  }
  if (same)
    return operand;
  llvm::Expected<Tensor> copy =
      context.allocate({operand.elementType(), shape});
  if (copy)
    reference::copyStrided(operand.elementType().storageBytes(), shape,
                           operand.bytes(), from, copy->mutableBytes(),
                           tensor::rowMajorStrides(shape),
                           &context.run.threads);
  return copy;
}

llvm::Error ConvolutionStep::run(StepContext &context) const {
  llvm::Expected<Tensor> lhs =
      reordered(context, context.operand(0), g_.lhsOrder);
  if (!lhs)
    return lhs.takeError();
  llvm::Expected<Tensor> rhs =
      reordered(context, context.operand(1), g_.rhsOrder);
  if (!rhs)
    return rhs.takeError();
  std::byte *out = context.out(0).mutableBytes();
  int64_t k = g_.taps * g_.groupIn(), outBatch = g_.batch / g_.batchGroups,
          cBytes = kernels::sizeOf(types_.c);
  bool inPlace = g_.isPointwise();
  ThreadPool &pool = context.run.threads;
  // Blocks of rows: large enough to be worth packing the filter for, small
  // enough to stay in the second-level cache.
  int64_t rows = std::clamp<int64_t>((1 << 20) / (k * width_), 48, 1024);
  int64_t share = (outBatch * g_.positions * g_.groups() + pool.threads() - 1) /
                  pool.threads();
  rows = std::clamp<int64_t>(
      rows, 1, std::max<int64_t>(1, std::min(share, g_.positions)));
  int64_t perEntry = (g_.positions + rows - 1) / rows,
          blocks = perEntry * outBatch * g_.groups();
  std::mutex mutex;
  llvm::Error failure = llvm::Error::success();
  pool.parallelFor(blocks, 1, [&](int64_t begin, int64_t end) {
    std::vector<std::byte> windows(
        inPlace ? 0 : static_cast<size_t>(rows * k * width_));
    for (int64_t work = begin; work < end; ++work) {
      int64_t group = work / (perEntry * outBatch),
              entry = work / perEntry % outBatch,
              first = work % perEntry * rows;
      int64_t count = std::min(rows, g_.positions - first);
      int64_t inEntry = entry + (g_.batchGroups > 1 ? group * outBatch : 0);
      int64_t feature = g_.featureGroups > 1 ? group * g_.groupIn() : 0;
      kernels::GemmPointers pointers;
      if (inPlace)
        pointers.a =
            lhs->bytes() +
            ((inEntry * g_.inPositions + first) * g_.features + feature) *
                width_;
      else
        for (int64_t r = 0; r < count; ++r)
          gather(lhs->bytes(), inEntry, first + r, feature,
                 windows.data() + r * k * width_);
      if (!inPlace)
        pointers.a = windows.data();
      pointers.b = rhs->bytes() + group * g_.groupOut() * k * width_;
      pointers.c =
          out + (entry * g_.outBatchStride + first * g_.outPositionStride +
                 group * g_.groupOut() * g_.outFeatureStride) *
                    cBytes;
      if (llvm::Error error =
              kernels::gemm(problemFor(count, inPlace), pointers,
                            context_->registry, *context_->selector, pool)) {
        std::lock_guard<std::mutex> lock(mutex);
        failure = llvm::joinErrors(std::move(failure), std::move(error));
        return;
      }
    }
  });
  return failure;
}

std::unique_ptr<Step>
makeConvolutionStep(std::shared_ptr<NativeContext> context,
                    const StepSpec &spec, double minimumWork) {
  auto op = mlir::dyn_cast<stablehlo::ConvolutionOp>(spec.op);
  if (!op || spec.operands[0].element != spec.operands[1].element ||
      !kernelTakes(spec.operands[0].element, spec.operands[1].element,
                   spec.results[0].element))
    return nullptr;
  std::optional<Geometry> g = decode(op, spec);
  // Depthwise and other thin groups are no products worth a kernel.
  if (!g || g->taps * g->groupIn() < 8 || g->groupOut() < 4)
    return nullptr;
  double work = double(g->batch / g->batchGroups) * double(g->positions) *
                double(g->outFeatures) * double(g->taps * g->groupIn());
  if (work < minimumWork || work == 0)
    return nullptr;
  return std::make_unique<ConvolutionStep>(std::move(context), std::move(*g),
                                           spec);
}

} // namespace assay::engine
