// convolution of each channel for itself, on rows of channels that lie side by
// side (NHWC): forward and the gradient of the data as groups of
// one feature, the gradient of the filter as batch groups of one entry, summed
// over the features. Rows of output positions go to kernels::Depthwise. A table
// says where each element of the padded, dilated image lies: a row of zeros
// stands for all that is outside, since padding is multiplied like anything
// else (an infinite weight makes it NaN). Image and result whose channels lie
// otherwise (NCHW) are brought into that order and back. Where a group has a few
// inputs or outputs, the image is copied once for each input, so that each
// output channel finds its own in its place. Work is cut into blocks of rows and,
// where there are few of them, of channels.
#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/KeptResult.h"
#include "assay/engine/native/Steps.h"
#include "assay/kernels/Depthwise.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/ConvolutionWindows.h"
#include "assay/reference/Strided.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <array>

namespace assay::engine {

using tensor::Shape;

namespace {
/// One spatial dimension. Padded column x of the image is its element
/// (x - low) / spread where that is whole and inside.
struct Axis {
  int64_t in = 1, out = 1, kernel = 1, step = 1, dilation = 1, spread = 1,
          low = 0;
  bool reversed = false;
  int64_t inStride = 0, outStride = 0, tapStride = 0;

  /// The element at a padded coordinate, or -1.
  int64_t at(int64_t x) const {
    x -= low;
    return x >= 0 && x % spread == 0 && x / spread < in ? x / spread : -1;
  }
  /// Padded elements that `count` windows in a row see.
  int64_t span(int64_t count) const {
    return (count - 1) * step + (kernel - 1) * dilation + 1;
  }
};

/// The operation with its dimensions sorted out; strides count elements.
struct Geometry {
  std::array<Axis, 3> axes; ///< depth, height, width
  int64_t channels = 1, entries = 1, features = 1;
  int64_t lhsEntry = 0, lhsFeature = 0, outEntry = 0;
  int64_t filterFeature = 0, filterChannel = 0;
  /// How the image lies where its channels do not come last, or where a group
  /// has several: it is copied, dense in the shape's order.
  Shape lhsShape, lhsLies;
  /// How the result lies where its channels do not come last: strides of
  /// [entry, depth, height, width, channel]. Empty: as above.
  Shape outLies;
  /// The result is written in that order.
  bool isDense() const {
    Shape dense = tensor::rowMajorStrides(outShape());
    bool inOrder = outLies.empty() && (entries == 1 || outEntry == dense[0]);
    for (size_t d = 0; d < 3; ++d)
      inOrder &= axes[d].out == 1 || axes[d].outStride == dense[d + 1];
    return inOrder;
  }
  Shape outShape() const {
    return {entries, axes[0].out, axes[1].out, axes[2].out, channels};
  }
  int64_t taps() const {
    return features * axes[0].kernel * axes[1].kernel * axes[2].kernel;
  }
};

class DepthwiseConvolution final : public PiecewiseStep {
public:
  DepthwiseConvolution(std::shared_ptr<NativeContext> context,
                       const Geometry &geometry, kernels::Depthwise kernel,
                       const StepSpec &spec, kernels::DataType input,
                       int64_t workBytes);
  llvm::Error runPieces(StepContext &context, Ready ready) const override;
  int64_t unit() const override { return g_.isDense() ? g_.channels : 0; }
  void setConstantFilter() { constantFilter_ = true; }

private:
  class Run;
  llvm::Expected<Tensor> filterOf(StepContext &context) const;
  llvm::Expected<Tensor> orderedFilter(StepContext &context) const;

  std::shared_ptr<NativeContext> context_; ///< owns the kernel's code
  Geometry g_;
  kernels::Depthwise kernel_;
  int64_t workBytes_; ///< of the image in a piece
  numerics::ElementType in_, sums_, out_; ///< in_: as the kernel reads it
  bool constantFilter_ = false;
  mutable KeptResult<Tensor> filter_;
};
} // namespace

//===--- Decoding --------------------------------------------------------===//

static Refusal refuse(const char *text) {
  return {ErrorCode::Unsupported, text};
}

static void decodeAxes(Geometry &g, const reference::ConvolutionWindows &w,
                       stablehlo::ConvDimensionNumbersAttr dims,
                       const Shape &lhs, const Shape &rhs, const Shape &out) {
  size_t first = 3 - w.in.size();
  for (size_t d = 0; d < w.in.size(); ++d) {
    Axis &axis = g.axes[first + d];
    axis.in = w.in[d], axis.out = w.out[d], axis.kernel = w.kernel[d];
    axis.step = w.strides[d], axis.dilation = w.rhsDilation[d];
    axis.spread = w.lhsDilation[d], axis.low = w.low[d];
    axis.reversed = w.reversal[d] != 0;
    axis.inStride = lhs[dims.getInputSpatialDimensions()[d]];
    axis.outStride = out[dims.getOutputSpatialDimensions()[d]];
    axis.tapStride = rhs[dims.getKernelSpatialDimensions()[d]];
  }
}

/// The image as copies of it, one for each input of a group, in which channel c
/// is the input that output channel c reads.
static void copyImage(Geometry &g, int64_t inputs, int64_t outputs,
                      int64_t channel) {
  std::array<Axis, 3> &a = g.axes;
  int64_t entries = g.entries;
  g.lhsLies = {channel, g.lhsEntry};
  if (g.features > 1) // a gradient of the filter: there are no entries
    g.lhsLies = {0, g.lhsFeature}, entries = g.features;
  g.lhsShape = {inputs,  entries, a[0].in,
                a[1].in, a[2].in, g.channels / outputs,
                outputs};
  for (const Axis &axis : a)
    g.lhsLies.push_back(axis.inStride);
  g.lhsLies.push_back(inputs * channel);
  g.lhsLies.push_back(0);
  Shape dense = tensor::rowMajorStrides(g.lhsShape);
  g.lhsEntry = g.features > 1 ? 0 : dense[1];
  g.lhsFeature = g.features > 1 ? dense[1] : dense[0];
  g.features = std::max(g.features, inputs);
  for (size_t d = 0; d < 3; ++d)
    a[d].inStride = dense[d + 2];
}

/// The result as [entry, depth, height, width, channel], to be brought back.
static void reorderResult(Geometry &g, int64_t channel) {
  Shape dense = tensor::rowMajorStrides(g.outShape());
  g.outLies = {g.outEntry};
  g.outEntry = dense[0];
  for (size_t d = 0; d < 3; ++d) {
    g.outLies.push_back(g.axes[d].outStride);
    g.axes[d].outStride = dense[d + 1];
  }
  g.outLies.push_back(channel);
}

/// The geometry of a depthwise convolution, or why it is none.
static std::variant<Geometry, Refusal> decode(stablehlo::ConvolutionOp op,
                                              const StepSpec &spec) {
  auto dims = op.getDimensionNumbers();
  auto w = reference::ConvolutionWindows::of(op, dims, spec);
  Shape lhs = tensor::rowMajorStrides(spec.operands[0].shape),
        rhs = tensor::rowMajorStrides(spec.operands[1].shape),
        out = tensor::rowMajorStrides(spec.results[0].shape);
  if (w.groups() < 2)
    return refuse("one group");
  if (w.in.size() > 3)
    return refuse("more than three spatial dimensions");
  Geometry g;
  g.channels = w.outFeatures;
  int64_t batch = lhs[dims.getInputBatchDimension()],
          feature = lhs[dims.getInputFeatureDimension()], channel = feature;
  bool thin = w.groupIn() > 1 || w.groupOut() > 1;
  if (w.batchGroups > 1) {
    if (w.batch != w.batchGroups || w.groupOut() != 1)
      return refuse("not one entry and one output channel a batch group");
    thin = false;
    g.features = w.features;
    g.lhsFeature = feature;
    channel = batch;
  } else {
    if (thin && (w.groupIn() > kernels::kMostThinInputs ||
                 w.groupOut() > kernels::kMostThinOutputs ||
                 channel != 1))
      return refuse("groups of many channels, or of planes");
    g.entries = w.batch;
    g.lhsEntry = batch;
  }
  g.outEntry = out[dims.getOutputBatchDimension()];
  g.filterFeature = rhs[dims.getKernelInputFeatureDimension()];
  g.filterChannel = rhs[dims.getKernelOutputFeatureDimension()];
  decodeAxes(g, w, dims, lhs, rhs, out);
  if (thin || channel != 1)
    copyImage(g, thin ? w.groupIn() : 1, thin ? w.groupOut() : 1, channel);
  int64_t outChannel = out[dims.getOutputFeatureDimension()];
  if (outChannel != 1)
    reorderResult(g, outChannel);
  if (g.taps() > (int64_t(1) << 22))
    return refuse("the window has more than four million elements");
  return g;
}

DepthwiseConvolution::DepthwiseConvolution(
    std::shared_ptr<NativeContext> context, const Geometry &geometry,
    kernels::Depthwise kernel, const StepSpec &spec, kernels::DataType input,
    int64_t workBytes)
    : context_(std::move(context)), g_(geometry), kernel_(std::move(kernel)),
      workBytes_(workBytes),
      in_(*numerics::parseElementType(kernels::toString(input))),
      out_(spec.results[0].element) {
  auto sums = kernels::accumulatorOf(input);
  sums_ = *numerics::parseElementType(kernels::toString(sums));
}

//===--- The filter ------------------------------------------------------===//

/// The filter as [feature, taps, channel] in the type of the sums.
llvm::Expected<Tensor>
DepthwiseConvolution::orderedFilter(StepContext &context) const {
  llvm::Expected<Tensor> filter = context.dense(1);
  if (!filter)
    return filter;
  const std::array<Axis, 3> &a = g_.axes;
  Shape shape{g_.features, a[0].kernel, a[1].kernel, a[2].kernel, g_.channels},
      strides{g_.filterFeature, a[0].tapStride, a[1].tapStride, a[2].tapStride,
              g_.filterChannel},
      order = tensor::rowMajorStrides(shape);
  numerics::ElementType type = filter->elementType();
  bool inOrder = true;
  for (size_t d = 0; d < shape.size(); ++d)
    inOrder &= shape[d] == 1 || strides[d] == order[d];
  if (!inOrder) {
    llvm::Expected<Tensor> copy = context.allocate({type, shape});
    if (!copy)
      return copy;
    reference::copyStrided(type.storageBytes(), shape, filter->bytes(), strides,
                           copy->mutableBytes(), order, &context.run.threads);
    *filter = std::move(*copy);
  }
  if (type == sums_)
    return filter;
  llvm::Expected<Tensor> wide = context.allocate({sums_, shape});
  if (wide)
    numerics::convertArray(type, filter->bytes(), sums_, wide->mutableBytes(),
                           filter->size());
  return wide;
}

/// That of the last call where it is a weight and the same tensor.
llvm::Expected<Tensor>
DepthwiseConvolution::filterOf(StepContext &context) const {
  if (!constantFilter_)
    return orderedFilter(context);
  return filter_.get(context.operand(1),
                     [&] { return orderedFilter(context); });
}

void setDepthwiseFilter(Step &step) {
  if (auto *convolution = dynamic_cast<DepthwiseConvolution *>(&step))
    convolution->setConstantFilter();
}

//===--- One execution ---------------------------------------------------===//

/// About what a second-level cache holds of the image beside the result.
static constexpr int64_t kPieceBytes = int64_t(3) << 17;

/// The operands of one execution, and how its work is cut.
class DepthwiseConvolution::Run {
public:
  Run(const DepthwiseConvolution &step, StepContext &context)
      : s_(step), g_(step.g_), context_(context), pool_(context.run.threads) {}
  llvm::Error all(Ready ready);

private:
  /// Rows [row, row + rows) of a plane, channels [channel, channelEnd).
  struct Piece {
    int64_t entry, plane, row, rows, channel, channelEnd;
  };
  llvm::Error widen();
  llvm::Error putInOrder(Tensor &result);
  void computeAll(Ready ready);
  void cut();
  int64_t rowPieces() const {
    return g_.entries * g_.axes[0].out * ceilDiv(g_.axes[1].out, rows_);
  }
  Piece pieceOf(int64_t index) const;
  void listTaps();
  void fillTable(const Piece &piece, std::vector<const std::byte *> &table,
                 const std::byte *zeros) const;
  void compute(const Piece &piece, const std::byte *const *table,
               std::byte *sums) const;

  const DepthwiseConvolution &s_;
  const Geometry &g_;
  StepContext &context_;
  ThreadPool &pool_;
  Tensor lhs_, filter_;
  std::byte *out_ = nullptr;
  int64_t rows_ = 1, parts_ = 1; ///< of a piece; of the channels
  std::vector<int64_t> taps_;    ///< byte offsets into a piece's table
};

/// Blocks of rows that the cache holds, fewer rows or channels to a piece where
/// threads would have nothing to do.
void DepthwiseConvolution::Run::cut() {
  const Axis &height = g_.axes[1], &width = g_.axes[2];
  int64_t rowBytes = std::max<int64_t>(
      1, width.in * g_.channels * s_.in_.storageBytes() * g_.features);
  rows_ = std::clamp<int64_t>(s_.workBytes_ / (rowBytes * height.step), 4,
                              std::max<int64_t>(4, height.out));
  rows_ = std::max<int64_t>(1, std::min(rows_, height.out));
  if (pool_.threads() == 1)
    return;
  int64_t wanted = 4 * pool_.threads(),
          most = g_.channels / s_.kernel_.blockChannels();
  while (rowPieces() < wanted && rows_ > 4)
    --rows_;
  parts_ = std::clamp<int64_t>(ceilDiv(wanted, rowPieces()), 1, most);
  while (rowPieces() * parts_ < pool_.threads() && rows_ > 1)
    --rows_;
}

DepthwiseConvolution::Run::Piece
DepthwiseConvolution::Run::pieceOf(int64_t index) const {
  Piece piece;
  int64_t part = index % parts_, block = s_.kernel_.blockChannels(),
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

/// Taps in the filter's order. A table is [feature, depth tap, padded row,
/// padded column].
void DepthwiseConvolution::Run::listTaps() {
  const std::array<Axis, 3> &a = g_.axes;
  int64_t width = a[2].span(a[2].out), height = a[1].span(rows_);
  auto place = [](const Axis &axis, int64_t tap) {
    return (axis.reversed ? axis.kernel - 1 - tap : tap) * axis.dilation;
  };
  for (int64_t i = 0; i < g_.features; ++i)
    for (int64_t d = 0; d < a[0].kernel; ++d)
      for (int64_t h = 0; h < a[1].kernel; ++h)
        for (int64_t w = 0; w < a[2].kernel; ++w) {
          int64_t depth = a[0].reversed ? a[0].kernel - 1 - d : d;
          taps_.push_back(
              (((i * a[0].kernel + depth) * height + place(a[1], h)) * width +
               place(a[2], w)) *
              8);
        }
}

/// Lines in the order of memory, into the second-level cache: the kernels come
/// back to each pixel for each block of channels, strides that no processor
/// fetches ahead.
static void askFor(const std::byte *begin, int64_t bytes) {
  for (int64_t line = 0; line < bytes; line += 64)
    __builtin_prefetch(begin + line, 0, 2);
}

void DepthwiseConvolution::Run::fillTable(const Piece &piece,
                                          std::vector<const std::byte *> &table,
                                          const std::byte *zeros) const {
  const std::array<Axis, 3> &a = g_.axes;
  int64_t width = a[2].span(a[2].out), height = a[1].span(rows_),
          size = s_.in_.storageBytes();
  table.clear();
  for (int64_t i = 0; i < g_.features; ++i)
    for (int64_t d = 0; d < a[0].kernel; ++d) {
      int64_t depth = a[0].at(piece.plane * a[0].step + d * a[0].dilation);
      for (int64_t h = 0; h < height; ++h) {
        int64_t row = a[1].at(piece.row * a[1].step + h);
        if (depth < 0 || row < 0) {
          table.insert(table.end(), static_cast<size_t>(width), zeros);
          continue;
        }
        const std::byte *line =
            lhs_.bytes() + (piece.entry * g_.lhsEntry + i * g_.lhsFeature +
                            depth * a[0].inStride + row * a[1].inStride) *
                               size;
        if (parts_ == 1 && g_.features == 1 && a[0].kernel == 1)
          askFor(line, a[2].in * a[2].inStride * size);
        for (int64_t x = 0; x < width; ++x) {
          int64_t column = a[2].at(x);
          table.push_back(column < 0 ? zeros
                                     : line + column * a[2].inStride * size);
        }
      }
    }
}

/// `sums`: memory for a block of channels of a row, where the result is of
/// another type; null else.
void DepthwiseConvolution::Run::compute(const Piece &piece,
                                        const std::byte *const *table,
                                        std::byte *sums) const {
  const Axis &height = g_.axes[1], &width = g_.axes[2];
  int64_t block = s_.kernel_.blockChannels(), wide = s_.sums_.storageBytes(),
          size = s_.out_.storageBytes(), columns = width.span(width.out);
  kernels::DepthwiseRow row;
  row.tapOffsets = taps_;
  row.filter = filter_.bytes();
  for (int64_t c = piece.channel; c < piece.channelEnd; c += block) {
    int64_t first = std::min(c, piece.channelEnd - block);
    for (int64_t r = 0; r < piece.rows; ++r) {
      std::byte *out = out_ + (piece.entry * g_.outEntry +
                               piece.plane * g_.axes[0].outStride +
                               (piece.row + r) * height.outStride) *
                                  size;
      row.table = table + r * height.step * columns;
      row.out = sums ? sums : out + first * size;
      row.outStride = sums ? block : width.outStride;
      s_.kernel_.run(row, first);
      for (int64_t p = 0; sums && p < width.out; ++p)
        numerics::convertArray(s_.sums_, sums + p * block * wide, s_.out_,
                               out + (p * width.outStride + first) * size,
                               block);
    }
  }
}

llvm::Error DepthwiseConvolution::Run::all(Ready ready) {
  llvm::Expected<Tensor> lhs = context_.dense(0);
  if (!lhs)
    return lhs.takeError();
  lhs_ = std::move(*lhs);
  out_ = context_.out(0).mutableBytes();
  if (llvm::Error error = widen())
    return error;
  Tensor ordered;
  if (llvm::Error error = putInOrder(ordered))
    return error;
  if (llvm::Error error = s_.filterOf(context_).moveInto(filter_))
    return error;
  cut();
  listTaps();
  bool soon = ready && parts_ == 1 && !ordered.valid();
  computeAll(soon ? ready : Ready());
  if (ordered.valid())
    reference::copyStrided(s_.out_.storageBytes(), g_.outShape(), out_,
                           tensor::rowMajorStrides(g_.outShape()),
                           context_.out(0).mutableBytes(), g_.outLies, &pool_);
  if (ready && !soon)
    sayAllReady(pool_, context_.out(0).size(), g_.channels, ready);
  return llvm::Error::success();
}

/// Bytes as the kernel reads them.
llvm::Error DepthwiseConvolution::Run::widen() {
  numerics::ElementType from = lhs_.elementType();
  if (from == s_.in_)
    return llvm::Error::success();
  constexpr int64_t kGrain = 1 << 14;
  llvm::Expected<Tensor> wide =
      context_.allocate({s_.in_, Shape(lhs_.shape())});
  if (!wide)
    return wide.takeError();
  std::byte *to = wide->mutableBytes();
  pool_.parallelFor(lhs_.size(), kGrain, [&](int64_t begin, int64_t end) {
    numerics::convertArray(from, lhs_.bytes() + begin * from.storageBytes(),
                           s_.in_, to + begin * s_.in_.storageBytes(),
                           end - begin);
  });
  lhs_ = std::move(*wide);
  return llvm::Error::success();
}

/// The image with channels last, and `result`, memory for such a result, where
/// they lie otherwise.
llvm::Error DepthwiseConvolution::Run::putInOrder(Tensor &result) {
  if (!g_.lhsLies.empty()) {
    llvm::Expected<Tensor> copy = context_.allocate({s_.in_, g_.lhsShape});
    if (!copy)
      return copy.takeError();
    reference::copyStrided(s_.in_.storageBytes(), g_.lhsShape, lhs_.bytes(),
                           g_.lhsLies, copy->mutableBytes(),
                           tensor::rowMajorStrides(g_.lhsShape), &pool_);
    lhs_ = std::move(*copy);
  }
  if (g_.outLies.empty())
    return llvm::Error::success();
  llvm::Expected<Tensor> made = context_.allocate({s_.out_, g_.outShape()});
  if (!made)
    return made.takeError();
  result = std::move(*made);
  out_ = result.mutableBytes();
  return llvm::Error::success();
}

void DepthwiseConvolution::Run::computeAll(Ready ready) {
  std::vector<std::byte> zeros(
      static_cast<size_t>(g_.channels * s_.in_.storageBytes()));
  size_t sumBytes =
      s_.sums_ == s_.out_
          ? 0
          : static_cast<size_t>(g_.axes[2].out * s_.kernel_.blockChannels() *
                                s_.sums_.storageBytes());
  pool_.parallelFor(rowPieces() * parts_, 1, [&](int64_t begin, int64_t end) {
    std::vector<const std::byte *> table;
    std::vector<std::byte> sums(sumBytes);
    for (int64_t index = begin; index < end; ++index) {
      Piece piece = pieceOf(index);
      if (index == begin || parts_ == 1 || index % parts_ == 0)
        fillTable(piece, table, zeros.data());
      compute(piece, table.data(), sumBytes ? sums.data() : nullptr);
      int64_t first = piece.entry * g_.outEntry +
                      piece.plane * g_.axes[0].outStride +
                      piece.row * g_.axes[1].outStride;
      if (ready)
        ready(first, first + piece.rows * g_.axes[2].out * g_.channels);
    }
  });
}

llvm::Error DepthwiseConvolution::runPieces(StepContext &context,
                                            Ready ready) const {
  ++context.run.engineSteps;
  return Run(*this, context).all(ready);
}

bool isDepthwiseStep(const Step &step) {
  return dynamic_cast<const DepthwiseConvolution *>(&step) != nullptr;
}

static bool isByte(const TensorType &type) {
  return type.element.isInteger() && type.element.bits == 8;
}

/// So many products of bytes add up to a number that f32 holds exactly.
static constexpr int64_t kMostByteTaps = (1 << 24) / (255 * 255);

/// What the kernel reads: the operands' type; of bytes f32.
static std::optional<kernels::DataType> inputTypeOf(const StepSpec &spec) {
  const TensorType &lhs = spec.operands[0], &rhs = spec.operands[1],
                   &result = spec.results[0];
  if (isByte(lhs) && isByte(rhs))
    return result.element == numerics::ElementType::integer(32)
               ? std::optional(kernels::DataType::F32)
               : std::nullopt;
  auto input = kernels::dataTypeOf(lhs.element);
  return input && rhs.element == lhs.element &&
                 kernelTakes(lhs.element, rhs.element, result.element)
             ? input
             : std::nullopt;
}

Compiled makeDepthwiseStep(std::shared_ptr<NativeContext> context,
                           const StepSpec &spec, double minimumWork,
                           const kernels::ConvConfig &config) {
  auto op = mlir::dyn_cast<stablehlo::ConvolutionOp>(spec.op);
  if (!op)
    return refuse("not a convolution");
  std::optional<kernels::DataType> input = inputTypeOf(spec);
  if (!input)
    return refuse("no kernel takes the operation with these types");
  auto decoded = decode(op, spec);
  if (auto *refusal = std::get_if<Refusal>(&decoded))
    return std::move(*refusal);
  const auto &g = std::get<Geometry>(decoded);
  if (isByte(spec.operands[0]) && g.taps() > kMostByteTaps)
    return refuse("f32 does not hold the sums of so many products of bytes");
  int64_t rows = g.entries * g.axes[0].out * g.axes[1].out;
  double work = double(rows) * double(g.axes[2].out) * double(g.channels) *
                double(g.taps());
  if (work < minimumWork || work == 0)
    return refuse("the convolution is small");
  auto kernel = kernels::Depthwise::prepare(
      {*input, g.channels, g.axes[2].out, g.axes[2].step},
      context->registry.jit(), {config.vectors, config.positions});
  if (!kernel) {
    ErrorText error = takeError(kernel.takeError());
    return Refusal{error.code, std::move(error.message)};
  }
  return std::make_unique<DepthwiseConvolution>(
      std::move(context), g, std::move(*kernel), spec, *input,
      config.workKb > 0 ? int64_t(config.workKb) << 10 : kPieceBytes);
}

} // namespace assay::engine
