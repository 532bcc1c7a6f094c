// Gradient of a depthwise filter with channels last (NHWC): batch groups of one entry, or
// of as many as a small group has inputs, which are multiplied one input at a time. Rows of
// the gradient go in strips that fit the second-level cache together with the part of the
// image that they meet, so that both are read from memory once. The elements of the window
// are the positions of kernels::Depthwise, and the strip's columns are its taps. All sums of
// a small window stay in registers: its rows are adjacent in the table at each padded
// column, so that its next column is as many entries on. Some strips make a piece with sums
// of its own, by size alone, so that sums are added in the same order on any number of
// threads. A single strip writes straight to the result.
#include "assay/engine/native/DepthwiseOperands.h"
#include "assay/engine/native/Pieces.h"
#include "assay/kernels/Depthwise.h"
#include "assay/kernels/outer/Clones.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/Strided.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cstring>

namespace assay::engine {

namespace {
/// Rows of the gradient, over all depths and entries.
struct Strip {
  int64_t row, rows;
};

/// How the gradient is cut: rows of a strip, strips, pieces; and how many rows of the window
/// are adjacent in a table.
struct Cut {
  int64_t rows = 1, strips = 1, pieces = 1, together = 1;
};

class DepthwiseFilterGradient final : public NativeStep {
public:
  DepthwiseFilterGradient(std::shared_ptr<NativeContext> context,
                          DepthwiseGeometry geometry, Cut cut,
                          std::vector<kernels::Depthwise> inputs,
                          const StepSpec &spec, numerics::ElementType sums);
  llvm::Error run(StepContext &context) const override;

private:
  struct Operands {
    const std::byte *image, *gradient;
  };
  struct Memory {
    const std::byte **table;
    std::byte *zeros, *wide, *results;
  };
  struct Channels {
    int64_t begin, end;
  };
  const DepthwiseAxis &rows() const { return g_.axes[1]; }
  const DepthwiseAxis &columns() const { return g_.axes[2]; }
  void listRuns();
  /// One strip, whose sums the kernel rounds and writes where they belong.
  bool isDirect() const { return cut_.strips == 1; }
  /// The gradient comes in the type of the sums: one strip is widened ahead, for all threads.
  bool isWide() const { return factors_ == sums_ || isDirect(); }
  Strip stripOf(int64_t index) const;
  /// Positions of a call, times channels.
  int64_t callSums() const { return cut_.together * columns().out * g_.channels; }
  /// Windows of an input: its depths, and as many of its rows as are adjacent.
  int64_t windows() const { return rows().out / cut_.together; }
  int64_t planes() const { return g_.axes[0].out * windows(); }
  int64_t tableEntries() const {
    return cut_.rows * columns().span(columns().out) * cut_.together;
  }
  int64_t pieceSums() const {
    return int64_t(inputs_.size()) * planes() * callSums();
  }
  int64_t memoryBytes(Memory *places, std::byte *begin) const;
  Channels channelsOf(int64_t part, int64_t parts) const;
  void fillTable(const Strip &strip, int64_t plane, int64_t window,
                 const std::byte *image, const Memory &memory) const;
  const std::byte *wideRows(const Strip &strip, const std::byte *gradient,
                            Channels channels, const Memory &memory) const;
  llvm::Expected<Tensor> gradientOf(StepContext &context) const;
  void call(const kernels::Depthwise &kernel, kernels::DepthwiseRow row,
            Channels channels, int64_t size, std::byte *out) const;
  void addStrip(const Strip &strip, bool first, const Operands &operands,
                Channels channels, const Memory &memory, std::byte *sums) const;
  int64_t placeOf(int64_t input, int64_t plane, int64_t h, int64_t x) const;
  void addPieces(int64_t row, const std::byte *sums, std::byte *total,
                 std::byte *out) const;
  llvm::Error sumPieces(StepContext &context, const Operands &operands,
                        std::byte *out, int64_t bytes) const;
  llvm::Error compute(StepContext &context, const Operands &operands,
                      std::byte *out) const;

  std::shared_ptr<NativeContext> context_; ///< owns the kernels' code
  DepthwiseGeometry g_;
  Cut cut_;
  std::vector<kernels::Depthwise> inputs_; ///< a kernel for each input of a group
  numerics::ElementType in_, factors_, sums_, out_; ///< of image, gradient, sums, result
  std::vector<int64_t> runs_;    ///< of taps: byte offsets into a strip's table
  std::vector<int64_t> columns_; ///< padded ones: byte offsets, or -1
};
} // namespace

DepthwiseFilterGradient::DepthwiseFilterGradient(
    std::shared_ptr<NativeContext> context, DepthwiseGeometry geometry, Cut cut,
    std::vector<kernels::Depthwise> inputs, const StepSpec &spec,
    numerics::ElementType sums)
    : context_(std::move(context)), g_(std::move(geometry)), cut_(cut),
      inputs_(std::move(inputs)), in_(spec.operands[0].element),
      factors_(spec.operands[1].element), sums_(sums), out_(spec.results[0].element) {
  listRuns();
  const DepthwiseAxis &width = columns();
  for (int64_t x = 0; x < width.span(width.out); ++x) {
    int64_t column = width.elementAt(x);
    columns_.push_back(column < 0 ? -1
                                  : column * width.inStride * in_.storageBytes());
  }
}

//===--- Lists ------------------------------------------------------------===//

Strip DepthwiseFilterGradient::stripOf(int64_t index) const {
  int64_t row = index * cut_.rows;
  return {row, std::min(cut_.rows, g_.lines() - row)};
}

/// Where runs of taps begin, in the gradient's order. A table is [row of the gradient,
/// padded column, row of the window].
void DepthwiseFilterGradient::listRuns() {
  const DepthwiseAxis &width = columns();
  int64_t run = inputs_[0].runTaps(), span = width.span(width.out);
  for (int64_t y = 0; y < cut_.rows; ++y)
    for (int64_t x = 0; x < width.kernel; x += run) {
      int64_t column = (width.reversed ? width.kernel - 1 - x : x) * width.dilation;
      runs_.push_back((y * span + column) * cut_.together * 8);
    }
}

DepthwiseFilterGradient::Channels
DepthwiseFilterGradient::channelsOf(int64_t part, int64_t parts) const {
  int64_t block = inputs_[0].blockChannels(), blocks = g_.channels / block;
  return {part * blocks / parts * block,
          part + 1 == parts ? g_.channels : (part + 1) * blocks / parts * block};
}

int64_t DepthwiseFilterGradient::memoryBytes(Memory *places, std::byte *begin) const {
  int64_t at = 0;
  auto take = [&](int64_t size) {
    std::byte *mine = begin + at;
    at += roundUp(size, 64);
    return mine;
  };
  int64_t wide = isWide() ? 0
                          : cut_.rows * columns().kernel * g_.channels *
                                sums_.storageBytes();
  std::byte *table = take(tableEntries() * 8),
            *zeros = take(g_.channels * in_.storageBytes()), *rows = take(wide),
            *results = take(callSums() * sums_.storageBytes());
  if (places)
    *places = {reinterpret_cast<const std::byte **>(table), zeros, rows, results};
  return at;
}

//===--- A strip ----------------------------------------------------------===//

/// Addresses of a line's columns, `apart` entries from one to the next.
ASSAY_CLONES static void fillLine(const std::byte *line, const std::byte *zeros,
                                  llvm::ArrayRef<int64_t> columns, int64_t apart,
                                  const std::byte **table) {
  if (apart == 1) {
    for (size_t x = 0; x < columns.size(); ++x)
      table[x] = columns[x] < 0 ? zeros : line + columns[x];
    return;
  }
  for (int64_t column : columns) {
    *table = column < 0 ? zeros : line + column;
    table += apart;
  }
}

/// For rows [window, window + cut_.together) of the window.
void DepthwiseFilterGradient::fillTable(const Strip &strip, int64_t plane,
                                        int64_t window, const std::byte *image,
                                        const Memory &memory) const {
  const DepthwiseAxis &depths = g_.axes[0], &height = rows();
  auto place = [](const DepthwiseAxis &axis, int64_t tap) {
    return axis.entry(tap) * axis.dilation;
  };
  int64_t size = in_.storageBytes(),
          entries = static_cast<int64_t>(columns_.size()) * cut_.together;
  const std::byte **table = memory.table;
  for (int64_t y = strip.row; y < strip.row + strip.rows; ++y, table += entries) {
    int64_t above = y / height.kernel, entry = above / depths.kernel,
            depth = depths.elementAt(plane * depths.stride + place(depths, above % depths.kernel)),
            first = window * height.stride + place(height, y % height.kernel);
    for (int64_t h = 0; h < cut_.together; ++h) {
      int64_t row = height.elementAt(first + h * height.stride);
      if (depth < 0 || row < 0) {
        for (int64_t at = h; at < entries; at += cut_.together)
          table[at] = memory.zeros;
        continue;
      }
      fillLine(image + (entry * g_.lhsFeature + depth * depths.inStride +
                        row * height.inStride) * size,
               memory.zeros, columns_, cut_.together, table + h);
    }
  }
}

/// These channels of the strip's rows of the gradient, in the type of the sums.
const std::byte *DepthwiseFilterGradient::wideRows(const Strip &strip,
                                                   const std::byte *gradient,
                                                   Channels channels,
                                                   const Memory &memory) const {
  int64_t row = columns().kernel * g_.channels,
          size = (isWide() ? sums_ : factors_).storageBytes(),
          count = channels.end - channels.begin;
  const std::byte *mine = gradient + strip.row * row * size;
  if (isWide())
    return mine;
  int64_t each = count == g_.channels ? strip.rows * row : count;
  for (int64_t at = channels.begin; at < strip.rows * row;
       at += std::max(each, g_.channels))
    numerics::convertArray(factors_, mine + at * size, sums_,
                           memory.wide + at * sums_.storageBytes(), each);
  return memory.wide;
}

ASSAY_CLONES static void addFloats(float *sums, const float *more, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    sums[i] += more[i];
}

static void addDoubles(double *sums, const double *more, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    sums[i] += more[i];
}

static void add(std::byte *sums, const std::byte *more, int64_t count, int64_t size) {
  if (size == 8)
    addDoubles(reinterpret_cast<double *>(sums),
               reinterpret_cast<const double *>(more), count);
  else
    addFloats(reinterpret_cast<float *>(sums),
              reinterpret_cast<const float *>(more), count);
}

/// One call's positions, for these channels.
void DepthwiseFilterGradient::call(const kernels::Depthwise &kernel,
                                   kernels::DepthwiseRow row, Channels channels,
                                   int64_t size, std::byte *out) const {
  for (int64_t c = channels.begin; c < channels.end; c += kernel.blockChannels()) {
    int64_t from = std::min(c, channels.end - kernel.blockChannels());
    row.out = out + from * size;
    kernel.run(row, from);
  }
}

/// To a piece's sums, [input, depth and rows of the window, position, channel], which its
/// first strip sets; or, where there is one, to the result.
void DepthwiseFilterGradient::addStrip(const Strip &strip, bool first,
                                       const Operands &operands, Channels channels,
                                       const Memory &memory, std::byte *sums) const {
  int64_t size = sums_.storageBytes(),
          perLine = columns().kernel / inputs_[0].runTaps();
  kernels::DepthwiseRow row;
  row.table = memory.table;
  row.runOffsets = llvm::ArrayRef(runs_).take_front(strip.rows * perLine);
  row.filter = wideRows(strip, operands.gradient, channels, memory);
  row.outStride = isDirect() ? columns().outStride : g_.channels;
  for (int64_t plane = 0; plane < planes(); ++plane) {
    fillTable(strip, plane / windows(), plane % windows() * cut_.together,
              operands.image, memory);
    for (size_t input = 0; input < inputs_.size(); ++input) {
      if (isDirect()) {
        call(inputs_[input], row, channels, out_.storageBytes(),
             sums + placeOf(int64_t(input), plane, 0, 0) * out_.storageBytes());
        continue;
      }
      std::byte *mine = sums + (int64_t(input) * planes() + plane) * callSums() * size,
                *out = first ? mine : memory.results;
      call(inputs_[input], row, channels, size, out);
      for (int64_t at = channels.begin; !first && at < callSums(); at += g_.channels)
        add(mine + at * size, out + at * size, channels.end - channels.begin, size);
    }
  }
}

//===--- The step ---------------------------------------------------------===//

/// The element of the result that begins position (h, x) of a call's.
int64_t DepthwiseFilterGradient::placeOf(int64_t input, int64_t plane, int64_t h,
                                         int64_t x) const {
  int64_t depth = plane / windows(), row = plane % windows() * cut_.together + h;
  return g_.outStart + input * g_.outEntry + depth * g_.axes[0].outStride +
         row * rows().outStride + x * columns().outStride;
}

/// Row `row` of [input, depth and rows of the window, column, row of those, channel], over
/// all pieces, to where it belongs.
void DepthwiseFilterGradient::addPieces(int64_t row, const std::byte *sums,
                                        std::byte *total, std::byte *out) const {
  int64_t size = sums_.storageBytes(), bytes = g_.channels * size,
          positions = cut_.together * columns().out;
  std::memcpy(total, sums + row * bytes, static_cast<size_t>(bytes));
  for (int64_t p = 1; p < cut_.pieces; ++p)
    add(total, sums + p * pieceSums() * size + row * bytes, g_.channels, size);
  int64_t call = row / positions,
          at = placeOf(call / planes(), call % planes(), row % cut_.together,
                       row % positions / cut_.together);
  numerics::convertArray(sums_, total, out_, out + at * out_.storageBytes(),
                         g_.channels);
}

/// Pieces of `bytes` from `out` on; parts of the channels where there are few of them.
llvm::Error DepthwiseFilterGradient::sumPieces(StepContext &context,
                                               const Operands &operands,
                                               std::byte *out, int64_t bytes) const {
  int64_t threads = context.run.threads.threads(),
          most = g_.channels / inputs_[0].blockChannels(),
          parts = threads == 1 ? 1
                               : std::clamp<int64_t>(
                                     ceilDiv(2 * threads, cut_.pieces), 1, most);
  return forEachPiece(
      context, cut_.pieces * parts, memoryBytes(nullptr, nullptr),
      [&](int64_t index, std::byte *begin) -> llvm::Error {
        int64_t piece = index / parts, first = piece * cut_.strips / cut_.pieces,
                last = (piece + 1) * cut_.strips / cut_.pieces;
        Memory memory;
        memoryBytes(&memory, begin);
        std::memset(memory.zeros, 0,
                    static_cast<size_t>(g_.channels * in_.storageBytes()));
        for (int64_t s = first; s < last; ++s)
          addStrip(stripOf(s), s == first, operands,
                   channelsOf(index % parts, parts), memory, out + piece * bytes);
        return llvm::Error::success();
      });
}

/// The result, with channels last.
llvm::Error DepthwiseFilterGradient::compute(StepContext &context,
                                             const Operands &operands,
                                             std::byte *out) const {
  if (isDirect())
    return sumPieces(context, operands, out, 0);
  llvm::Expected<Tensor> sums =
      context.allocate({sums_, {cut_.pieces, pieceSums()}});
  if (!sums)
    return sums.takeError();
  int64_t size = sums_.storageBytes();
  if (llvm::Error error = sumPieces(context, operands, sums->mutableBytes(),
                                    pieceSums() * size))
    return error;
  return forEachPiece(context, pieceSums() / g_.channels, g_.channels * size,
                      [&](int64_t row, std::byte *total) -> llvm::Error {
                        addPieces(row, sums->bytes(), total, out);
                        return llvm::Error::success();
                      });
}

/// The gradient in the order of the kernels; widened where it is one strip.
llvm::Expected<Tensor> DepthwiseFilterGradient::gradientOf(StepContext &context) const {
  llvm::Expected<Tensor> dense = context.dense(1);
  if (!dense)
    return dense;
  llvm::Expected<Tensor> ordered = depthwiseFilter(context, g_, *dense);
  if (!ordered || !isDirect())
    return ordered;
  return convertedTo(sums_, context, *ordered);
}

llvm::Error DepthwiseFilterGradient::run(StepContext &context) const {
  ++context.run.engineSteps;
  llvm::Expected<Tensor> image = depthwiseImage(context, g_);
  if (!image)
    return image.takeError();
  llvm::Expected<Tensor> gradient = gradientOf(context);
  if (!gradient)
    return gradient.takeError();
  Operands operands{image->bytes(), gradient->bytes()};
  if (g_.outLies.empty())
    return compute(context, operands, context.out(0).mutableBytes());
  llvm::Expected<Tensor> result = context.allocate({out_, g_.outShape()});
  if (!result)
    return result.takeError();
  llvm::Error error = compute(context, operands, result->mutableBytes());
  if (!error)
    reference::copyStrided(out_.storageBytes(), g_.outShape(), result->bytes(),
                           tensor::rowMajorStrides(g_.outShape()),
                           context.out(0).mutableBytes(), g_.outLies,
                           &context.run.threads);
  return error;
}

//===--- How work is cut -------------------------------------------------===//

/// The kernels' limit of entries between taps.
static constexpr int64_t kMostApart = 64;

/// As many rows of the window as its table may have side by side, in a window whose sums
/// registers hold twice: in wider ones a column's neighbours share more than its rows. None
/// where columns of the window are apart, since positions are evenly spaced.
static int64_t rowsTogether(const DepthwiseGeometry &g) {
  constexpr int64_t kMostPositions = 12;
  const DepthwiseAxis &height = g.axes[1], &width = g.axes[2];
  if (width.stride != 1 || height.out * width.out > kMostPositions ||
      height.out * width.dilation > kMostApart)
    return 1;
  return height.out;
}

/// Strips that `workBytes` hold; a few at least, where a strip has some more rows than its
/// sums cost; pieces for some threads.
static Cut cutOf(const DepthwiseGeometry &g, int64_t elementBytes, int64_t workBytes) {
  constexpr int64_t kLeastStrips = 4, kLeastRows = 3, kMostPieces = 16;
  const DepthwiseAxis &height = g.axes[1], &width = g.axes[2];
  int64_t imageRows = std::max<int64_t>(1, height.dilation / height.baseDilation),
          rowBytes = (imageRows * width.in + width.kernel) * g.channels * elementBytes,
          window = g.axes[0].out * height.out * width.out,
          least = std::max(kLeastRows, ceilDiv(4 * window, width.kernel)),
          held = std::max(least, workBytes / std::max<int64_t>(1, rowBytes)),
          some = std::clamp<int64_t>(g.lines() / least, 1, kLeastStrips);
  Cut cut;
  cut.rows = ceilDiv(g.lines(), std::max(ceilDiv(g.lines(), held), some));
  cut.strips = ceilDiv(g.lines(), cut.rows);
  cut.pieces = std::min(cut.strips, kMostPieces);
  cut.together = cut.strips == 1 ? 1 : rowsTogether(g);
  return cut;
}

Compiled makeDepthwiseFilterGradient(const ConvRequest &request) {
  const StepSpec &spec = request.spec;
  const kernels::ConvConfig &config = request.config;
  const DepthwiseGeometry g =
      std::get<DepthwiseGeometry>(depthwiseGeometry(request));
  kernels::DataType input = *depthwiseInput(spec);
  const DepthwiseAxis &width = g.axes[2];
  // Half of the second level: 1.1 times as fast as an eighth on a Zen 5 (24 November 2026).
  int64_t workBytes = config.workKb > 0 ? int64_t(config.workKb) << 10
                                        : request.machine().caches.l2 / 2;
  Cut cut = cutOf(g, spec.operands[0].element.storageBytes(), workBytes);
  kernels::DepthwiseProblem problem{input, g.channels, cut.together * width.out,
                                    width.stride};
  problem.lineTaps = width.kernel;
  problem.tapStep = (width.reversed ? -width.dilation : width.dilation) * cut.together;
  problem.lines = g.lines() / cut.strips;
  problem.inputs = g.inputs;
  if (cut.strips == 1)
    problem.output = kernels::dataTypeOf(spec.results[0].element);
  std::vector<kernels::Depthwise> inputs;
  for (int64_t only = g.only; only < (g.only < 0 ? 0 : g.inputs); ++only) {
    problem.only = only;
    auto kernel =
        kernels::Depthwise::prepare(problem, request.context->registry.jit(),
                                    {config.vectors, config.positions});
    if (!kernel) {
      ErrorText error = takeError(kernel.takeError());
      return Refusal{error.code, std::move(error.message)};
    }
    inputs.push_back(std::move(*kernel));
  }
  return std::make_unique<DepthwiseFilterGradient>(
      request.context, g, cut, std::move(inputs), spec,
      elementTypeOf(kernels::depthwiseSums(input)));
}

} // namespace assay::engine
