// Depthwise convolution (each channel by itself) with channels last (NHWC): forward
// and the gradient of the data, as groups of one feature. Rows of output positions go
// to kernels::Depthwise. A table has the address of each element of the padded, dilated
// image. A row of zeros stands for everything outside: padding is multiplied like
// any other element (an infinite weight makes it NaN). Image and result in another
// layout (NCHW) are transposed before and after. Small groups with as many outputs as
// inputs are summed in the kernel. Where a group has one or two inputs and a few
// other outputs, the image is copied once for each input, so that each output
// channel finds its own input in its place. Work is cut into blocks of rows, and of
// channels where there are few rows.
#include "assay/engine/native/DepthwiseOperands.h"
#include "assay/engine/native/KeptResult.h"
#include "assay/kernels/Depthwise.h"
#include "assay/kernels/Finite.h"
#include "assay/reference/Strided.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <array>
#include <limits>

namespace assay::engine {

using tensor::Shape;

namespace {
/// The unit of computation: the whole image, or one phase of a dilated one.
struct Part {
  DepthwiseGeometry g;
  kernels::Depthwise kernel;
};

/// The filter as the kernel of each part reads it.
struct OrderedFilter {
  bool isPhased = false;
  std::vector<Tensor> parts;
};
using Ordered = std::shared_ptr<const OrderedFilter>;

class DepthwiseConvolution final : public PiecewiseStep {
public:
  DepthwiseConvolution(std::shared_ptr<NativeContext> context, Part whole,
                       std::vector<Part> phases, const StepSpec &spec,
                       kernels::DataType input, int64_t workBytes);
  llvm::Error runPieces(StepContext &context, Ready ready) const override;
  int64_t unit() const override {
    return whole_.g.isDense() ? whole_.g.channels : 0;
  }
  void setConstantWeight() override { constantFilter_ = true; }

private:
  class Run;
  llvm::Expected<Ordered> filterOf(StepContext &context) const;
  llvm::Expected<Ordered> ordered(StepContext &context) const;
  llvm::Expected<Tensor> orderedFor(const DepthwiseGeometry &g,
                                    const Tensor &filter,
                                    StepContext &context) const;

  std::shared_ptr<NativeContext> context_; ///< owns the kernels' code
  Part whole_;
  /// For a filter whose numbers are all finite.
  std::vector<Part> phases_;
  int64_t workBytes_; ///< of the image in a piece
  numerics::ElementType in_, sums_, out_;
  bool constantFilter_ = false;
  mutable KeptResult<Ordered> filter_;
};
} // namespace

DepthwiseConvolution::DepthwiseConvolution(
    std::shared_ptr<NativeContext> context, Part whole,
    std::vector<Part> phases, const StepSpec &spec, kernels::DataType input,
    int64_t workBytes)
    : context_(std::move(context)), whole_(std::move(whole)),
      phases_(std::move(phases)), workBytes_(workBytes),
      in_(spec.operands[0].element),
      sums_(elementTypeOf(kernels::depthwiseSums(input))),
      out_(spec.results[0].element) {}

//===--- The filter ------------------------------------------------------===//

/// [feature, taps, input, channel] in the type of the sums.
llvm::Expected<Tensor>
DepthwiseConvolution::orderedFor(const DepthwiseGeometry &g,
                                 const Tensor &filter,
                                 StepContext &context) const {
  llvm::Expected<Tensor> dense = depthwiseFilter(context, g, filter);
  return dense ? convertedTo(sums_, context, *dense) : std::move(dense);
}

/// The filters of all phases. One filter for the whole if there are no phases or a
/// number is not finite: it makes NaN of the zeros that phases leave out.
llvm::Expected<Ordered>
DepthwiseConvolution::ordered(StepContext &context) const {
  llvm::Expected<Tensor> filter = context.dense(1);
  if (!filter)
    return filter.takeError();
  auto made = std::make_shared<OrderedFilter>();
  made->isPhased = !phases_.empty();
  for (const Part &part : phases_) {
    llvm::Expected<Tensor> one = orderedFor(part.g, *filter, context);
    if (!one)
      return one.takeError();
    made->isPhased &= kernels::areFinite(*kernels::dataTypeOf(sums_),
                                         one->bytes(), one->size());
    made->parts.push_back(std::move(*one));
  }
  if (made->isPhased)
    return made;
  llvm::Expected<Tensor> all = orderedFor(whole_.g, *filter, context);
  if (!all)
    return all.takeError();
  made->parts.assign(1, std::move(*all));
  return made;
}

/// The one of the last call where the filter is a weight and the same tensor.
llvm::Expected<Ordered>
DepthwiseConvolution::filterOf(StepContext &context) const {
  if (!constantFilter_)
    return ordered(context);
  return filter_.get(context.operand(1), [&] { return ordered(context); });
}

//===--- One execution ---------------------------------------------------===//

/// About what a second-level cache holds of the image beside the result.
static constexpr int64_t kPieceBytes = int64_t(3) << 17;

/// One part of an execution, and how its work is cut.
class DepthwiseConvolution::Run {
public:
  /// `image` and `out` with channels last.
  Run(const DepthwiseConvolution &step, const Part &part, ThreadPool &pool,
      const Tensor &image, const Tensor &filter, std::byte *out)
      : s_(step), g_(part.g), kernel_(part.kernel), pool_(pool), image_(image),
        filter_(filter), out_(out + g_.outStart * s_.out_.storageBytes()),
        isFromMemory_(image.denseBytes() >
                      step.context_->registry.machine().caches.l3) {}
  /// It does not matter when pieces are ready: `ready` is empty.
  void all(Ready ready);
  /// Whether pieces are ready as they are computed.
  bool isCutByRows() const { return parts_ == 1; }

private:
  /// Rows [row, row + rows) of a plane, channels [channel, channelEnd).
  struct Piece {
    int64_t entry, plane, row, rows, channel, channelEnd;
  };
  void computeAll(Ready ready);
  void cut();
  int64_t rowPieces() const {
    return g_.entries * g_.axes[0].out * ceilDiv(g_.axes[1].out, rows_);
  }
  Piece pieceOf(int64_t index) const;
  void listRuns();
  void listColumns();
  void fillTable(const Piece &piece, std::vector<const std::byte *> &table,
                 const std::byte *zeros) const;
  void compute(const Piece &piece, const std::byte *const *table) const;

  const DepthwiseConvolution &s_;
  const DepthwiseGeometry &g_;
  const kernels::Depthwise &kernel_;
  ThreadPool &pool_;
  Tensor image_, filter_;
  std::byte *out_;
  bool isFromMemory_;            ///< the caches do not hold the image
  int64_t rows_ = 1, parts_ = 1; ///< of a piece; of the channels
  std::vector<int64_t> runs_;    ///< of taps: byte offsets into a piece's table
  std::vector<int64_t> columns_; ///< padded ones: byte offsets, or -1
};

/// Blocks of rows that fit the cache, the same number for each thread; blocks of channels
/// where there are fewer rows than threads.
void DepthwiseConvolution::Run::cut() {
  // What a piece costs beside its rows, in rows: those that it sees beyond them.
  constexpr int64_t kPieceOverheadRows = 1;
  const DepthwiseAxis &height = g_.axes[1], &width = g_.axes[2];
  int64_t rowBytes = std::max<int64_t>(
      1, width.in * g_.channels * s_.in_.storageBytes() * g_.features);
  rows_ = std::clamp<int64_t>(s_.workBytes_ / (rowBytes * height.stride), 4,
                              std::max<int64_t>(4, height.out));
  rows_ = std::max<int64_t>(1, std::min(rows_, height.out));
  int64_t threads = pool_.threads(), planes = g_.entries * g_.axes[0].out;
  if (threads == 1)
    return;
  if (planes * height.out < threads) {
    rows_ = 1;
    parts_ = std::clamp<int64_t>(ceilDiv(4 * threads, rowPieces()), 1,
                                 g_.channels / kernel_.blockChannels());
    return;
  }
  int64_t best = rows_, least = std::numeric_limits<int64_t>::max();
  for (int64_t count = ceilDiv(height.out, rows_); count <= height.out;
       ++count) {
    rows_ = ceilDiv(height.out, count);
    int64_t pieces = rowPieces(),
            cost = ceilDiv(pieces, threads) * (rows_ + kPieceOverheadRows);
    if (cost < least)
      least = cost, best = rows_;
    if (pieces >= 4 * threads)
      break;
  }
  rows_ = best;
}

DepthwiseConvolution::Run::Piece
DepthwiseConvolution::Run::pieceOf(int64_t index) const {
  Piece piece;
  int64_t part = index % parts_, block = kernel_.blockChannels(),
          blocks = g_.channels / block,
          perPlane = ceilDiv(g_.axes[1].out, rows_);
  piece.channel = part * blocks / parts_ * block;
  piece.channelEnd =
      part + 1 == parts_ ? g_.channels : (part + 1) * blocks / parts_ * block;
  index /= parts_;
  piece.row = index % perPlane * rows_;
  piece.rows = std::min(rows_, g_.axes[1].out - piece.row);
  index /= perPlane;
  piece.plane = index % g_.axes[0].out;
  piece.entry = index / g_.axes[0].out;
  return piece;
}

/// Where runs of taps begin, in the filter's order. A table is [feature, depth tap,
/// padded row, padded column].
void DepthwiseConvolution::Run::listRuns() {
  const std::array<DepthwiseAxis, 3> &a = g_.axes;
  int64_t width = a[2].span(a[2].out), height = a[1].span(rows_);
  auto place = [](const DepthwiseAxis &axis, int64_t tap) {
    return axis.entry(tap) * axis.dilation;
  };
  for (int64_t i = 0; i < g_.features; ++i)
    for (int64_t d = 0; d < a[0].kernel; ++d)
      for (int64_t h = 0; h < a[1].kernel; ++h)
        for (int64_t w = 0; w < a[2].kernel; w += kernel_.runTaps()) {
          int64_t depth = a[0].entry(d);
          runs_.push_back(
              (((i * a[0].kernel + depth) * height + place(a[1], h)) * width +
               place(a[2], w)) *
              8);
        }
}

void DepthwiseConvolution::Run::listColumns() {
  const DepthwiseAxis &width = g_.axes[2];
  for (int64_t x = 0; x < width.span(width.out); ++x) {
    int64_t column = width.elementAt(x);
    columns_.push_back(
        column < 0 ? -1 : column * width.inStride * s_.in_.storageBytes());
  }
}

/// Lines in the order of memory, into the second-level cache: the kernels come
/// back to each pixel for each block of channels, strides that no processor
/// fetches ahead from memory. From the caches it is 0.8x as fast (Zen 5).
static void askFor(const std::byte *begin, int64_t bytes) {
  for (int64_t line = 0; line < bytes; line += 64)
    __builtin_prefetch(begin + line, 0, 2);
}

void DepthwiseConvolution::Run::fillTable(const Piece &piece,
                                          std::vector<const std::byte *> &table,
                                          const std::byte *zeros) const {
  const std::array<DepthwiseAxis, 3> &a = g_.axes;
  int64_t width = a[2].span(a[2].out), height = a[1].span(rows_),
          size = s_.in_.storageBytes();
  table.clear();
  for (int64_t i = 0; i < g_.features; ++i)
    for (int64_t d = 0; d < a[0].kernel; ++d) {
      int64_t depth = a[0].elementAt(piece.plane * a[0].stride + d * a[0].dilation);
      for (int64_t h = 0; h < height; ++h) {
        int64_t row = a[1].elementAt(piece.row * a[1].stride + h);
        if (depth < 0 || row < 0) {
          table.insert(table.end(), static_cast<size_t>(width), zeros);
          continue;
        }
        const std::byte *line =
            image_.bytes() + (piece.entry * g_.lhsEntry + i * g_.lhsFeature +
                              depth * a[0].inStride + row * a[1].inStride) *
                                 size;
        if (isFromMemory_ && parts_ == 1 && g_.features == 1 &&
            a[0].kernel == 1)
          askFor(line, a[2].in * a[2].inStride * size);
        for (int64_t column : columns_)
          table.push_back(column < 0 ? zeros : line + column);
      }
    }
}

void DepthwiseConvolution::Run::compute(const Piece &piece,
                                        const std::byte *const *table) const {
  const DepthwiseAxis &height = g_.axes[1], &width = g_.axes[2];
  int64_t block = kernel_.blockChannels(), size = s_.out_.storageBytes(),
          columns = width.span(width.out);
  kernels::DepthwiseRow row;
  row.runOffsets = runs_;
  row.filter = filter_.bytes();
  for (int64_t c = piece.channel; c < piece.channelEnd; c += block) {
    int64_t first = std::min(c, piece.channelEnd - block);
    for (int64_t r = 0; r < piece.rows; ++r) {
      std::byte *out = out_ + (piece.entry * g_.outEntry +
                               piece.plane * g_.axes[0].outStride +
                               (piece.row + r) * height.outStride) *
                                  size;
      row.table = table + r * height.stride * columns;
      row.out = out + first * size;
      row.outStride = width.outStride;
      kernel_.run(row, first);
    }
  }
}

void DepthwiseConvolution::Run::all(Ready ready) {
  cut();
  listRuns();
  listColumns();
  computeAll(isCutByRows() ? ready : Ready());
}

void DepthwiseConvolution::Run::computeAll(Ready ready) {
  std::vector<std::byte> zeros(
      static_cast<size_t>(g_.channels * s_.in_.storageBytes()));
  pool_.parallelFor(rowPieces() * parts_, 1, [&](int64_t begin, int64_t end) {
    std::vector<const std::byte *> table;
    for (int64_t index = begin; index < end; ++index) {
      Piece piece = pieceOf(index);
      if (index == begin || parts_ == 1 || index % parts_ == 0)
        fillTable(piece, table, zeros.data());
      compute(piece, table.data());
      int64_t first = piece.entry * g_.outEntry +
                      piece.plane * g_.axes[0].outStride +
                      piece.row * g_.axes[1].outStride;
      if (ready)
        ready(first, first + piece.rows * g_.axes[2].out * g_.channels);
    }
  });
}

//===--- The step --------------------------------------------------------===//

llvm::Error DepthwiseConvolution::runPieces(StepContext &context,
                                            Ready ready) const {
  ++context.run.engineSteps;
  const DepthwiseGeometry &g = whole_.g;
  llvm::Expected<Tensor> image = depthwiseImage(context, g);
  if (!image)
    return image.takeError();
  Tensor result;
  if (!g.outLies.empty())
    if (llvm::Error error =
            context.allocate({out_, g.outShape()}).moveInto(result))
      return error;
  llvm::Expected<Ordered> filter = filterOf(context);
  if (!filter)
    return filter.takeError();
  std::byte *out =
      result.valid() ? result.mutableBytes() : context.out(0).mutableBytes();
  bool said = false;
  for (size_t i = 0; i < (*filter)->parts.size(); ++i) {
    const bool phased = (*filter)->isPhased;
    Run run(*this, phased ? phases_[i] : whole_, context.run.threads, *image,
            (*filter)->parts[i], out);
    bool soon = ready && !phased && !result.valid();
    run.all(soon ? ready : Ready());
    said = soon && run.isCutByRows();
  }
  if (result.valid())
    reference::copyStrided(out_.storageBytes(), g.outShape(), out,
                           tensor::rowMajorStrides(g.outShape()),
                           context.out(0).mutableBytes(), g.outLies,
                           &context.run.threads);
  if (ready && !said)
    sayAllReady(context.run.threads, context.out(0).size(), g.channels, ready);
  return llvm::Error::success();
}

static llvm::Expected<Part> makePart(const DepthwiseGeometry &g,
                                     kernels::DataType input,
                                     kernels::DataType output,
                                     kernels::Jit &jit,
                                     const kernels::ConvConfig &config) {
  const DepthwiseAxis &width = g.axes[2];
  kernels::DepthwiseProblem problem{input, g.channels, width.out, width.stride};
  problem.lineTaps = width.kernel;
  problem.tapStep = width.reversed ? -width.dilation : width.dilation;
  problem.lines = g.lines();
  problem.inputs = g.inputs;
  problem.output = output;
  auto kernel = kernels::Depthwise::prepare(problem, jit,
                                            {config.vectors, config.positions});
  if (!kernel)
    return kernel.takeError();
  return Part{g, std::move(*kernel)};
}

//===--- The algorithm ----------------------------------------------------===//

/// Forward and the gradient of the data, by rows of channels.
static Compiled makeForward(const ConvRequest &request) {
  const StepSpec &spec = request.spec;
  const kernels::ConvConfig &config = request.config;
  DepthwiseGeometry g = std::get<DepthwiseGeometry>(depthwiseGeometry(request));
  kernels::DataType input = *depthwiseInput(spec),
                    output = *kernels::dataTypeOf(spec.results[0].element);
  std::vector<DepthwiseGeometry> geometries = phasesOf(g);
  geometries.insert(geometries.begin(), g);
  std::vector<Part> parts;
  for (const DepthwiseGeometry &geometry : geometries) {
    llvm::Expected<Part> part = makePart(
        geometry, input, output, request.context->registry.jit(), config);
    if (!part) {
      ErrorText error = takeError(part.takeError());
      return Refusal{error.code, std::move(error.message)};
    }
    parts.push_back(std::move(*part));
  }
  Part whole = std::move(parts.front());
  parts.erase(parts.begin());
  return std::make_unique<DepthwiseConvolution>(
      request.context, std::move(whole), std::move(parts), spec, input,
      config.workKb > 0 ? int64_t(config.workKb) << 10 : kPieceBytes);
}

static double cost(const ConvRequest &request) {
  return tunedCost(request, kernels::ConvAlgorithm::Channels, 0.5);
}

static Compiled make(const ConvRequest &request,
                     llvm::function_ref<Compiled()> /*next*/) {
  return request.w.batchGroups > 1 ? makeDepthwiseFilterGradient(request)
                                   : makeForward(request);
}

const ConvAlgorithm kChannelsConvolution{refusalOfDepthwise, cost, make};

} // namespace assay::engine
