// convolution as the gradient of a filter where channels come last: image
// [n, positions, c] and gradient of the result [n, positions, o] give
//   dW[t, c, o] = sum over n, p of window(image)[n p, t c] * dY[n p, o]
// which StableHLO writes with the image's channels as batch and its batch
// as features. Windows are gathered as the forward convolution sees them, a
// block of positions by a group of taps at a time; each is one product of a
// column-major matrix with rows of dY, added to dW in place. A 1 x 1 filter
// gathers nothing.
#include "assay/engine/native/FilterGradient.h"

#include "assay/numerics/Convert.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cstring>

namespace assay::engine {

using tensor::Shape;

/// Columns of a window matrix that are gathered together, and its bytes: enough
/// rows that adding to dW costs little compared with the product.
static constexpr int64_t kColumns = 1152, kWindowBytes = int64_t(4) << 20;

namespace {
class FilterGradient final : public Step {
public:
  FilterGradient(std::shared_ptr<NativeContext> context,
                 geometry::Convolution forward, const StepSpec &spec,
                 const kernels::ConvConfig &config)
      : context_(std::move(context)), f_(std::move(forward)),
        columns_(config.columns > 0 ? config.columns : kColumns),
        workBytes_(config.workKb > 0 ? int64_t(config.workKb) << 10
                                     : kWindowBytes),
        width_(spec.operands[0].element.storageBytes()) {
    types_.a = *kernels::dataTypeOf(spec.operands[0].element);
    types_.b = *kernels::dataTypeOf(spec.operands[1].element);
    types_.c = types_.acc = kernels::accumulatorOf(types_.a);
  }
  llvm::Error run(StepContext &context) const override;

private:
  /// Rows [first, first + count) of all entries' positions, taps [tap, tapEnd).
  struct Block {
    int64_t first, count, tap, tapEnd, group;
  };
  void gather(const std::byte *image, const Block &block, int64_t row,
              std::byte *to) const;
  llvm::Error multiply(const Block &block, const std::byte *windows,
                       int64_t windowRow, const std::byte *gradient,
                       std::byte *out, ThreadPool &pool) const;

  std::shared_ptr<NativeContext> context_;
  geometry::Convolution f_;        ///< of the forward convolution
  int64_t columns_, workBytes_; ///< of a window matrix
  kernels::GemmProblem types_;
  int64_t width_;
};
} // namespace

/// One row of windows; whole rows go in runs along the filter's last dimension.
void FilterGradient::gather(const std::byte *image, const Block &block,
                            int64_t row, std::byte *to) const {
  Shape at(f_.axes.size()), tap(f_.axes.size());
  int64_t entry = row / f_.positions(), feature = block.group * f_.groupIn(),
          bytes = f_.groupIn() * width_;
  f_.unflatten(row % f_.positions(), &geometry::Axis::out, at);
  if (block.tapEnd - block.tap == f_.taps())
    return f_.gather(image, entry, at, feature, width_, to);
  for (int64_t t = block.tap; t < block.tapEnd; ++t, to += bytes) {
    f_.unflatten(t, &geometry::Axis::kernel, tap);
    int64_t from = f_.elementAt(at, tap);
    if (from >= 0)
      std::memcpy(
          to,
          image + ((entry * f_.inPositions() + from) * f_.features + feature) *
                      width_,
          static_cast<size_t>(bytes));
    else
      std::memset(to, 0, static_cast<size_t>(bytes));
  }
}

llvm::Error FilterGradient::multiply(const Block &block,
                                     const std::byte *windows,
                                     int64_t windowRow,
                                     const std::byte *gradient, std::byte *out,
                                     ThreadPool &pool) const {
  kernels::GemmProblem p = types_;
  int64_t ci = f_.groupIn(), co = f_.groupOut(), size = kernels::sizeOf(p.c);
  p.m = (block.tapEnd - block.tap) * ci, p.n = co, p.k = block.count;
  p.aStrides = {1, windowRow, 0};
  p.bStrides = {f_.outFeatures, 1, 0};
  p.cStrides = {f_.outFeatures, 1, 0};
  p.beta = block.first > 0 ? 1 : 0;
  p.threads = pool.threads();
  kernels::GemmPointers pointers;
  pointers.a = windows;
  pointers.b =
      gradient + (block.first * f_.outFeatures + block.group * co) * width_;
  pointers.c =
      out + (block.tap * ci * f_.outFeatures + block.group * co) * size;
  return kernels::gemm(p, pointers, context_->registry, *context_->selector,
                       pool);
}

llvm::Error FilterGradient::run(StepContext &context) const {
  ++context.run.engineSteps;
  llvm::Expected<Tensor> image = context.dense(0);
  if (!image)
    return image.takeError();
  llvm::Expected<Tensor> gradient = context.dense(1);
  if (!gradient)
    return gradient.takeError();
  std::byte *out = context.out(0).mutableBytes();
  ThreadPool &pool = context.run.threads;
  int64_t all = f_.batch * f_.positions(), ci = f_.groupIn();
  if (f_.isPointwise()) {
    for (int64_t group = 0; group < f_.groups(); ++group)
      if (llvm::Error error = multiply(
              {0, all, 0, 1, group}, image->bytes() + group * ci * width_,
              f_.features, gradient->bytes(), out, pool))
        return error;
    return llvm::Error::success();
  }
  int64_t together = std::clamp<int64_t>(columns_ / ci, 1, f_.taps());
  together = ceilDiv(f_.taps(), ceilDiv(f_.taps(), together));
  int64_t rowBytes = together * ci * width_,
          rows = std::clamp<int64_t>(workBytes_ / rowBytes, 256, 8192);
  rows = ceilDiv(all, ceilDiv(all, rows));
  llvm::Expected<Tensor> windows =
      context.allocate({*numerics::parseElementType("ui8"), {rows * rowBytes}});
  if (!windows)
    return windows.takeError();
  std::byte *matrix = windows->mutableBytes();
  for (int64_t group = 0; group < f_.groups(); ++group)
    for (int64_t first = 0; first < all; first += rows)
      for (int64_t tap = 0; tap < f_.taps(); tap += together) {
        Block block{first, std::min(rows, all - first), tap,
                    std::min(f_.taps(), tap + together), group};
        int64_t row = (block.tapEnd - tap) * ci;
        pool.parallelFor(block.count, 16, [&](int64_t begin, int64_t end) {
          for (int64_t r = begin; r < end; ++r)
            gather(image->bytes(), block, first + r, matrix + r * row * width_);
        });
        if (llvm::Error error =
                multiply(block, matrix, row, gradient->bytes(), out, pool))
          return error;
      }
  return llvm::Error::success();
}

//===--- Sums of a wider type --------------------------------------------===//

namespace {
/// A step whose results are of a narrower type than its sums: they are added up in
/// memory of its own, and rounded once.
class RoundedStep final : public Step {
public:
  RoundedStep(std::unique_ptr<Step> step, numerics::ElementType sums)
      : step_(std::move(step)), sums_(sums) {}
  llvm::Error run(StepContext &context) const override;

private:
  std::unique_ptr<Step> step_;
  numerics::ElementType sums_;
};
} // namespace

llvm::Error RoundedStep::run(StepContext &context) const {
  Tensor &out = context.out(0);
  llvm::Expected<Tensor> wide = context.allocate({sums_, Shape(out.shape())});
  if (!wide)
    return wide.takeError();
  StepContext inner(context.run, context.op);
  inner.operands = context.operands;
  inner.dying.assign(context.operandCount(), false);
  program::Value sums(std::move(*wide));
  inner.results = llvm::MutableArrayRef(sums);
  if (llvm::Error error = step_->run(inner))
    return error;
  constexpr int64_t kGrain = 1 << 14;
  const std::byte *from = inner.out(0).bytes();
  std::byte *to = out.mutableBytes();
  int64_t size = out.elementType().storageBytes();
  context.run.threads.parallelFor(
      out.size(), kGrain, [&](int64_t begin, int64_t end) {
        numerics::convertArray(sums_, from + begin * sums_.storageBytes(),
                               out.elementType(), to + begin * size,
                               end - begin);
      });
  return llvm::Error::success();
}

std::unique_ptr<Step> roundedOnce(std::unique_ptr<Step> step,
                                  const StepSpec &spec) {
  kernels::DataType sums =
      kernels::accumulatorOf(*kernels::dataTypeOf(spec.operands[0].element));
  if (*kernels::dataTypeOf(spec.results[0].element) == sums)
    return step;
  return std::make_unique<RoundedStep>(
      std::move(step), *numerics::parseElementType(kernels::toString(sums)));
}

//===--- The algorithm ----------------------------------------------------===//

std::optional<Refusal> refusalOfGradient(const ConvRequest &request) {
  const geometry::Convolution &w = request.w;
  numerics::ElementType in = request.spec.operands[0].element;
  if (!isGradientOfChannelsLast(request.dims) || w.axes.empty() ||
      w.featureGroups != 1 || w.hasDilatedInput() || w.isReversed())
    return refuse("not the gradient of a filter with channels last");
  if (!request.hasDenseFilter())
    return refuse("the algorithm reads its filter in place");
  if (!(in == request.spec.operands[1].element) ||
      !kernelTakes(in, in, request.spec.results[0].element))
    return refuse("no kernel takes the operation with these types");
  return std::nullopt;
}

static std::optional<Refusal> supports(const ConvRequest &request) {
  if (auto refusal = refusalOfGradient(request))
    return refusal;
  // Each group would be its own product.
  constexpr int64_t kFewChannels = 16;
  geometry::Convolution f = request.w.forwardOfGradient();
  if (f.groups() > 1 && request.spec.operands[0].element.storageBytes() < 4 &&
      std::min(f.groupIn(), f.groupOut()) < kFewChannels)
    return refuse("groups of fewer than 16 channels, in 16 bits or bytes");
  return std::nullopt;
}

static double cost(const ConvRequest &request) {
  return tunedCost(request, kernels::ConvAlgorithm::Columns, 0.85);
}

static Compiled make(const ConvRequest &request,
                     llvm::function_ref<Compiled()> /*next*/) {
  return roundedOnce(std::make_unique<FilterGradient>(
                         request.context, request.w.forwardOfGradient(),
                         request.spec, request.config),
                     request.spec);
}

const ConvAlgorithm kColumnsConvolution{supports, cost, make};

} // namespace assay::engine
