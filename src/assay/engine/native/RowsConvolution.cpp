// convolution on the kernels: the input is brought to [batch, spatial,
// feature], the filter to [feature, spatial, group input]; blocks of output
// positions gather their windows into rows, and rows times filter is one
// product that writes straight to its place in the result, whatever the order
// of the result's dimensions. Blocks are shared out to threads. A 1 x 1 window
// with stride 1 gathers nothing: the input itself is the matrix.
#include "assay/engine/native/ConvAlgorithm.h"
#include "assay/engine/native/PackedWeight.h"
#include "assay/engine/native/Pieces.h"
#include "assay/reference/Strided.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

namespace assay::engine {

using tensor::Shape;

/// The distance of output positions in the result; nullopt where it is not always the same.
static std::optional<int64_t> positionStride(const geometry::Convolution &g) {
  int64_t positions = 1, common = 1;
  for (size_t d = g.axes.size(); d-- > 0;) {
    int64_t stride = g.outStrides[d + 1];
    if (positions == 1)
      common = stride;
    else if (g.axes[d].out > 1 && stride != common * positions)
      return std::nullopt;
    positions *= g.axes[d].out;
  }
  return common;
}

namespace {
class ConvolutionStep final : public PiecewiseStep {
public:
  ConvolutionStep(std::shared_ptr<NativeContext> context,
                  geometry::Convolution geometry, int64_t outPositionStride,
                  const StepSpec &spec, const kernels::ConvConfig &config);
  llvm::Error runPieces(StepContext &context, Ready ready) const override;
  int64_t unit() const override;
  void setConstantWeight() override { constantFilter_ = true; }

private:
  kernels::GemmProblem problemFor(int64_t rows, bool inPlace) const;
  /// The filter in panels, times blocks of rows.
  struct Packed {
    const Tensor &lhs;
    std::byte *out;
    int64_t positions, entries, rows; ///< of an entry; of a block
    bool inPlace;
    WeightPanels panels;
    std::vector<std::byte> windows;
  };
  llvm::Expected<bool> runPacked(StepContext &context, const Tensor &lhs,
                                 Ready ready) const;
  int64_t multiply(const Packed &run, int64_t entry, int64_t first,
                   ThreadPool &pool) const;
  void runBlocks(Packed &run, ThreadPool &pool) const;
  /// Windows [first, first + count) of a batch entry, one a row.
  void gatherRows(const Tensor &lhs, int64_t entry, int64_t feature,
                  int64_t first, int64_t count, std::byte *rows) const;
  int64_t rowsOfABlock(int64_t depth, int64_t outBatch, int threads) const;

  std::shared_ptr<NativeContext> context_;
  geometry::Convolution g_;
  int64_t outPositionStride_;
  int64_t workBytes_; ///< of gathered windows
  int vectors_; ///< of the filter in the register tile; 0: by the rule
  kernels::GemmProblem types_;
  int64_t width_;
  bool constantFilter_ = false;
  mutable PackedWeight weight_;
};
} // namespace

/// Gathered windows of about the second-level cache's size.
static constexpr int64_t kWorkBytes = 1 << 20;

ConvolutionStep::ConvolutionStep(std::shared_ptr<NativeContext> context,
                                 geometry::Convolution geometry,
                                 int64_t outPositionStride,
                                 const StepSpec &spec,
                                 const kernels::ConvConfig &config)
    : context_(std::move(context)), g_(std::move(geometry)),
      outPositionStride_(outPositionStride),
      workBytes_(config.workKb > 0 ? int64_t(config.workKb) << 10
                                   : kWorkBytes),
      vectors_(config.vectors), width_(spec.operands[0].element.storageBytes()) {
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
  p.cStrides = {outPositionStride_, g_.outStrides.back(), 0};
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
  Shape at(g_.axes.size());
  for (int64_t r = 0; r < count; ++r) {
    g_.unflatten(first + r, &geometry::Axis::out, at);
    g_.gather(lhs.bytes(), entry, at, feature, width_, rows + r * bytes);
  }
}

/// The channels of a pixel, where the result is stored as [batch, space, channel].
int64_t ConvolutionStep::unit() const {
  int64_t channels = g_.outFeatures;
  bool dense = g_.groups() == 1 && g_.outStrides.back() == 1 &&
               outPositionStride_ == channels &&
               (g_.batch == 1 ||
                g_.outStrides.front() == channels * g_.positions());
  return dense ? channels : 0;
}

/// Rows from `first` on of an entry; how many they are.
int64_t ConvolutionStep::multiply(const Packed &run, int64_t entry,
                                  int64_t first, ThreadPool &pool) const {
  int64_t count = std::min(run.rows, run.positions - first);
  kernels::GemmPointers pointers;
  pointers.a = run.inPlace ? run.lhs.bytes() + (entry * run.positions + first) *
                                                   g_.features * width_
                           : run.windows.data();
  pointers.b = run.panels.memory.bytes();
  pointers.c = run.out + (entry * g_.outStrides.front() +
                          first * outPositionStride_) *
                             kernels::sizeOf(types_.c);
  run.panels.products[count == run.rows ? 0 : 1]->run(pointers, pool);
  return count;
}

/// Threads gather a block of windows together, then share out the product.
void ConvolutionStep::runBlocks(Packed &run, ThreadPool &pool) const {
  int64_t bytes = g_.taps() * g_.groupIn() * width_;
  for (int64_t entry = 0; entry < run.entries; ++entry)
    for (int64_t first = 0; first < run.positions; first += run.rows) {
      if (!run.inPlace)
        pool.parallelFor(
            std::min(run.rows, run.positions - first), 16,
            [&](int64_t begin, int64_t end) {
              gatherRows(run.lhs, entry, 0, first + begin, end - begin,
                         run.windows.data() + begin * bytes);
            });
      multiply(run, entry, first, pool);
    }
}

/// With the filter in panels; where its result is read at once, each thread
/// takes pieces of it. False if there are no panels.
llvm::Expected<bool> ConvolutionStep::runPacked(StepContext &context,
                                                const Tensor &lhs,
                                                Ready ready) const {
  int64_t k = g_.taps() * g_.groupIn(), pixel = g_.outFeatures;
  ThreadPool &pool = context.run.threads;
  Packed run{lhs, context.out(0).mutableBytes(), g_.positions(), g_.batch, 0,
             g_.isPointwise(), {}, {}};
  if (!constantFilter_ || g_.groups() != 1 || g_.outStrides.back() != 1 ||
      run.positions * g_.batch == 0)
    return false;
  // Entries that follow each other are one image.
  if (run.inPlace && unit() > 0)
    run.positions *= std::exchange(run.entries, 1);
  run.rows = !run.inPlace
                 ? std::min(run.positions,
                            std::clamp<int64_t>(workBytes_ / (k * width_), 128,
                                                4 * workBytes_ / 1024))
             : ready ? rowsOfAPiece(run.positions,
                                    pixel * kernels::sizeOf(types_.c),
                                    pool.threads(),
                                    context_->registry.machine().caches)
                     : run.positions;
  llvm::SmallVector<kernels::GemmProblem, 2> problems{
      problemFor(run.rows, run.inPlace)};
  if (run.positions % run.rows)
    problems.push_back(problemFor(run.positions % run.rows, run.inPlace));
  run.panels =
      weight_.find(context, *context_, context.operand(1), problems, 0, [&] {
        return reordered(context, context.operand(1), g_.rhsOrder);
      }, vectors_);
  if (!run.panels)
    return false;
  run.windows.resize(run.inPlace ? 0
                                 : static_cast<size_t>(run.rows * k * width_));
  int64_t pieces = ceilDiv(run.positions, run.rows);
  if (run.inPlace && ready && run.entries == 1 && pieces >= pool.threads()) {
    pool.parallelFor(pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t first = begin * run.rows; first < end * run.rows;
           first += run.rows)
        if (first < run.positions)
          ready(first * pixel, (first + multiply(run, 0, first, pool)) * pixel);
    });
    return true;
  }
  runBlocks(run, pool);
  if (ready)
    sayAllReady(pool, context.out(0).size(), pixel, ready);
  return true;
}

/// Rows of a block: enough to be worth packing the filter for, few enough to
/// stay in the second-level cache and to give every thread a share.
int64_t ConvolutionStep::rowsOfABlock(int64_t depth, int64_t outBatch,
                                      int threads) const {
  int64_t rows = std::clamp<int64_t>(workBytes_ / (depth * width_), 48,
                                     workBytes_ / 1024);
  int64_t share =
      (outBatch * g_.positions() * g_.groups() + threads - 1) / threads;
  return std::clamp<int64_t>(
      rows, 1, std::max<int64_t>(1, std::min(share, g_.positions())));
}

llvm::Error ConvolutionStep::runPieces(StepContext &context,
                                       Ready ready) const {
  ++context.run.engineSteps;
  llvm::Expected<Tensor> lhs =
      reordered(context, context.operand(0), g_.lhsOrder);
  if (!lhs)
    return lhs.takeError();
  llvm::Expected<bool> done = runPacked(context, *lhs, ready);
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
      int64_t from = (inEntry * g_.inPositions() + first) * g_.features;
      pointers.a = inPlace ? lhs->bytes() + (from + feature) * width_
                           : windows.data();
      if (!inPlace)
        gatherRows(*lhs, inEntry, feature, first, count, windows.data());
      pointers.b = rhs->bytes() + group * g_.groupOut() * k * width_;
      pointers.c =
          out + (entry * g_.outStrides.front() + first * outPositionStride_ +
                 group * g_.groupOut() * g_.outStrides.back()) *
                    cBytes;
      if (llvm::Error error =
              kernels::gemm(problemFor(count, inPlace), pointers,
                            context_->registry, *context_->selector, pool)) {
        std::lock_guard<std::mutex> lock(mutex);
        failure = llvm::joinErrors(std::move(failure), std::move(error));
        return;
      }
      int64_t done = (entry * g_.positions() + first) * g_.outFeatures;
      if (ready)
        ready(done, done + count * g_.outFeatures);
    }
  });
  return failure;
}

//===--- The algorithm ----------------------------------------------------===//

static std::optional<Refusal> supports(const ConvRequest &request) {
  const geometry::Convolution &w = request.w;
  const StepSpec &spec = request.spec;
  if (!request.hasDenseFilter())
    return refuse("the algorithm reads its filter in place");
  if (spec.operands[0].element != spec.operands[1].element ||
      !kernelTakes(spec.operands[0].element, spec.operands[1].element,
                   spec.results[0].element))
    return refuse("no kernel takes the operation with these types");
  if (!positionStride(w))
    return refuse("positions of the result are not evenly apart");
  // Depthwise and other thin groups are not products worth a kernel.
  const char *text =
      kernels::refusalOfRows(w.taps() * w.groupIn(), w.groupOut());
  return text ? refuse(text) : std::nullopt;
}

static double cost(const ConvRequest &request) {
  return tunedCost(request, kernels::ConvAlgorithm::Rows,
                   request.gathersForTiles() ? 0.9 : 1.1);
}

static Compiled make(const ConvRequest &request,
                     llvm::function_ref<Compiled()> /*next*/) {
  return std::make_unique<ConvolutionStep>(request.context, request.w,
                                           *positionStride(request.w),
                                           request.spec, request.config);
}

const ConvAlgorithm kRowsConvolution{supports, cost, make};

} // namespace assay::engine
