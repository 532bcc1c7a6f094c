// convolution on the kernels: the input is brought to [batch, spatial,
// feature], the filter to [feature, spatial, group input]; blocks of output
// positions gather their windows into rows, and rows times filter is one
// product that writes straight to its place in the result, whatever the order
// of the result's dimensions. Blocks are shared out to threads. A 1 x 1 window
// with stride 1 gathers nothing: the input itself is the matrix.
#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/PackedWeight.h"
#include "assay/engine/native/Steps.h"
#include "assay/reference/ConvolutionWindows.h"
#include "assay/reference/Strided.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace assay::engine {

using tensor::Shape;

namespace {
/// The windows, and how far apart output positions lie in the result.
struct Geometry : reference::ConvolutionWindows {
  int64_t outPositionStride = 1;
};
} // namespace

/// Decodes the operation; nullopt where the output positions do not lie at
/// equal distances.
static std::optional<Geometry> decode(stablehlo::ConvolutionOp op,
                                      const StepSpec &spec) {
  Geometry g;
  static_cast<reference::ConvolutionWindows &>(g) =
      reference::ConvolutionWindows::of(op, op.getDimensionNumbers(), spec);
  int64_t positions = 1;
  for (size_t d = g.out.size(); d-- > 0;) {
    int64_t stride = g.outStrides[d + 1];
    if (positions == 1)
      g.outPositionStride = stride;
    else if (g.out[d] > 1 && stride != g.outPositionStride * positions)
      return std::nullopt;
    positions *= g.out[d];
  }
  return g;
}

namespace {
class ConvolutionStep final : public Step {
public:
  ConvolutionStep(std::shared_ptr<NativeContext> context, Geometry geometry,
                  const StepSpec &spec);
  llvm::Error run(StepContext &context) const override;
  void setConstantFilter() { constantFilter_ = true; }

private:
  kernels::GemmProblem problemFor(int64_t rows, bool inPlace) const;
  llvm::Expected<bool> runPacked(StepContext &context, const Tensor &lhs) const;
  /// Windows [first, first + count) of a batch entry, one a row.
  void gatherRows(const Tensor &lhs, int64_t entry, int64_t feature,
                  int64_t first, int64_t count, std::byte *rows) const;
  int64_t rowsOfABlock(int64_t depth, int64_t outBatch, int threads) const;

  std::shared_ptr<NativeContext> context_;
  Geometry g_;
  kernels::GemmProblem types_;
  int64_t width_;
  bool constantFilter_ = false;
  mutable PackedWeight weight_;
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

kernels::GemmProblem ConvolutionStep::problemFor(int64_t rows,
                                                 bool inPlace) const {
  kernels::GemmProblem p = types_;
  p.m = rows;
  p.n = g_.groupOut();
  p.k = g_.taps() * g_.groupIn();
  p.aStrides = {inPlace ? g_.features : p.k, 1, 0};
  p.bStrides = {1, p.k, 0};
  p.cStrides = {g_.outPositionStride, g_.outStrides.back(), 0};
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

void ConvolutionStep::gatherRows(const Tensor &lhs, int64_t entry,
                                 int64_t feature, int64_t first, int64_t count,
                                 std::byte *rows) const {
  int64_t bytes = g_.taps() * g_.groupIn() * width_;
  Shape at(g_.out.size());
  for (int64_t r = 0; r < count; ++r) {
    reference::unflatten(first + r, g_.out, at);
    g_.gather(lhs.bytes(), entry, at, feature, width_, rows + r * bytes);
  }
}

/// With the filter in panels: threads gather a block of windows together, then
/// share out the product. False where there are no panels.
llvm::Expected<bool> ConvolutionStep::runPacked(StepContext &context,
                                                const Tensor &lhs) const {
  int64_t k = g_.taps() * g_.groupIn(), positions = g_.positions();
  bool inPlace = g_.isPointwise();
  if (!constantFilter_ || g_.groups() != 1 || g_.outStrides.back() != 1 ||
      positions * g_.batch == 0)
    return false;
  // A block of windows of about the second-level cache's size.
  int64_t rows =
      inPlace
          ? positions
          : std::min(positions,
                     std::clamp<int64_t>((1 << 20) / (k * width_), 128, 4096));
  llvm::SmallVector<kernels::GemmProblem, 2> problems{
      problemFor(rows, inPlace)};
  if (positions % rows)
    problems.push_back(problemFor(positions % rows, inPlace));
  WeightPanels panels =
      weight_.find(context, *context_, context.operand(1), problems, 0, [&] {
        return reordered(context, context.operand(1), g_.rhsOrder);
      });
  if (!panels)
    return false;
  ThreadPool &pool = context.run.threads;
  std::vector<std::byte> windows(
      inPlace ? 0 : static_cast<size_t>(rows * k * width_));
  std::byte *out = context.out(0).mutableBytes();
  for (int64_t entry = 0; entry < g_.batch; ++entry)
    for (int64_t first = 0; first < positions; first += rows) {
      int64_t count = std::min(rows, positions - first);
      if (!inPlace)
        pool.parallelFor(count, 16, [&](int64_t begin, int64_t end) {
          gatherRows(lhs, entry, 0, first + begin, end - begin,
                     windows.data() + begin * k * width_);
        });
      kernels::GemmPointers pointers;
      pointers.a = inPlace
                       ? lhs.bytes() + entry * positions * g_.features * width_
                       : windows.data();
      pointers.b = panels.memory.bytes();
      pointers.c =
          out + (entry * g_.outStrides.front() + first * g_.outPositionStride) *
                    kernels::sizeOf(types_.c);
      panels.products[count == rows ? 0 : 1]->run(pointers, pool);
    }
  return true;
}

/// Rows of a block: enough to be worth packing the filter for, few enough to
/// stay in the second-level cache and to give every thread a share.
int64_t ConvolutionStep::rowsOfABlock(int64_t depth, int64_t outBatch,
                                      int threads) const {
  int64_t rows = std::clamp<int64_t>((1 << 20) / (depth * width_), 48, 1024);
  int64_t share =
      (outBatch * g_.positions() * g_.groups() + threads - 1) / threads;
  return std::clamp<int64_t>(
      rows, 1, std::max<int64_t>(1, std::min(share, g_.positions())));
}

llvm::Error ConvolutionStep::run(StepContext &context) const {
  ++context.run.engineSteps;
  llvm::Expected<Tensor> lhs =
      reordered(context, context.operand(0), g_.lhsOrder);
  if (!lhs)
    return lhs.takeError();
  llvm::Expected<bool> done = runPacked(context, *lhs);
  if (!done || *done)
    return done.takeError();
  llvm::Expected<Tensor> rhs =
      reordered(context, context.operand(1), g_.rhsOrder);
  if (!rhs)
    return rhs.takeError();
  std::byte *out = context.out(0).mutableBytes();
  int64_t k = g_.taps() * g_.groupIn(), outBatch = g_.batch / g_.batchGroups,
          cBytes = kernels::sizeOf(types_.c);
  bool inPlace = g_.isPointwise();
  ThreadPool &pool = context.run.threads;
  int64_t rows = rowsOfABlock(k, outBatch, pool.threads());
  int64_t perEntry = (g_.positions() + rows - 1) / rows,
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
      int64_t count = std::min(rows, g_.positions() - first);
      int64_t inEntry = entry + (g_.batchGroups > 1 ? group * outBatch : 0);
      int64_t feature = g_.featureGroups > 1 ? group * g_.groupIn() : 0;
      kernels::GemmPointers pointers;
      if (inPlace)
        pointers.a =
            lhs->bytes() +
            ((inEntry * g_.inPositions() + first) * g_.features + feature) *
                width_;
      else
        gatherRows(*lhs, inEntry, feature, first, count, windows.data());
      if (!inPlace)
        pointers.a = windows.data();
      pointers.b = rhs->bytes() + group * g_.groupOut() * k * width_;
      pointers.c =
          out + (entry * g_.outStrides.front() + first * g_.outPositionStride +
                 group * g_.groupOut() * g_.outStrides.back()) *
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

void setConstantFilter(Step &step) {
  if (auto *convolution = dynamic_cast<ConvolutionStep *>(&step))
    convolution->setConstantFilter();
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
  if (!g || g->taps() * g->groupIn() < 8 || g->groupOut() < 4)
    return nullptr;
  double work = double(g->batch / g->batchGroups) * double(g->positions()) *
                double(g->outFeatures) * double(g->taps() * g->groupIn());
  if (work < minimumWork || work == 0)
    return nullptr;
  return std::make_unique<ConvolutionStep>(std::move(context), std::move(*g),
                                           spec);
}

} // namespace assay::engine
